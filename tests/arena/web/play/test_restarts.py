"""Tables are stored: a server that is started again goes on with them, however the one before it ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from arena.web.app import make_app
from bots.loader.version import BotVersion, pack
from engine.records import FaultKind
from engine.replay.format import read_replay
from engine.replay.verifier import verify_replay
from leaderboard.storage.play_tables import StoredTable, human_match_replay, moves_of, save_table, stored_tables
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import submit
from tests.arena.web.hosting import execute, settings_for
from tests.arena.web.visits import Visit, two_people
from tests.people import person
from tests.rows import changed

FIRST_MOVE = "class Bot:\n    def choose(self, view, clock):\n        return next(iter(view.legal_moves))\n"


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "tables.db"
    Store.create(path).close()
    return path


def keep_bot(db: Path, name: str, code: str) -> None:
    with Store.join(db) as store:
        submit(store, name, "0" * 64, person(store, "Eve"), pack(BotVersion(name, "0" * 64, f"{name}.py", "Bot", code)))


def change_record(db: Path, change: Callable[[StoredTable], StoredTable]) -> None:
    """Change the only stored table."""
    with Store.join(db) as store:
        [record] = stored_tables(store)
        save_table(store, change(record), {})


def server(db: Path, **more: Any) -> TestClient:
    return TestClient(make_app(settings_for(db, tables_of_one=50, **more)))


@pytest.mark.slow  # starts two servers
def test_two_people_and_a_bot_go_on_after_a_restart_where_they_were(db: Path) -> None:
    with server(db) as first:
        maui = Visit(first).make("me", "random", "person")
        hina = maui.other("Hina")
        maui.post("start")
        maui.move()
        hina.move()
        maui.post("chat", text="a storm is coming")
        before = maui.until(lambda state: state.get("offers"))
    with server(db) as second:
        looker, maui, hina = Visit(second, maui.address), maui.come_back(second), hina.come_back(second)
        paused = looker.state()
        assert [paused["at"], paused["paused"], [line["text"] for line in paused["chat"]]] == [before["at"], True, ["a storm is coming"]]
        assert paused["notice"] == f"The server was restarted; the match goes on from decision {before['at'] + 1}."
        assert maui.get("/play/mine.json").json()[0]["address"] == maui.address
        assert maui.get(maui.address).status_code == 200
        state = maui.until(lambda state: state.get("offers"))
        assert [state["at"], state["board"], state["log"], state["offers"]] == [before[key] for key in ("at", "board", "log", "offers")]
        assert "notice" not in maui.move()
        hina.post("resign")
        over = maui.resign()
    assert [seat["name"] for seat in over["seats"]] == ["Maui", "random", "Hina"]
    with Store.read(db) as store:
        replay = read_replay(human_match_replay(store, over["match"]))
        verify_replay(replay)
        assert moves_of(store, maui.key) == ()  # the replay has them
    assert {(forfeit.seat, forfeit.reason) for forfeit in replay.forfeits} == {(0, "resigned"), (2, "resigned")}


@pytest.mark.slow  # two servers
def test_a_seat_that_was_taken_over_stays_so_from_the_decision_where_it_was(db: Path) -> None:
    keep_bot(db, "wreck", "class Bot:\n    def choose(self, view, clock):\n        raise ValueError('storm')\n")
    with server(db) as first:
        maui = Visit(first).make("me", "wreck@1")
        maui.move()
        failed = maui.until(lambda state: state.get("offers"))
        assert failed["seats"][1]["fault"] == FaultKind.CRASH
    with server(db) as second:
        maui = maui.come_back(second)
        assert maui.get(maui.address).status_code == 200
        assert maui.until(lambda state: state.get("offers"))["seats"] == failed["seats"]
        over = maui.resign()
    assert [(seat["rank"], seat.get("fault")) for seat in over["seats"]] == [(1, "resigned"), (2, FaultKind.CRASH)]
    with Store.read(db) as store:
        replay = read_replay(human_match_replay(store, over["match"]))
    verify_replay(replay)
    [forfeit] = [each for each in replay.forfeits if each.seat == 1]
    assert forfeit.index == next(at for at, decision in enumerate(replay.decisions) if decision.seat == 1 and decision.legal > 1)


@pytest.mark.slow  # two servers
def test_a_table_whose_bot_is_not_the_same_any_more_is_closed_with_a_sentence(db: Path) -> None:
    with server(db) as first:
        maui = Visit(first).make("me", "greedy")
        maui.move()
    change_record(db, lambda old: changed(old, chairs=tuple(replace(each, digest=each.digest and "0" * 64) for each in old.chairs)))
    with server(db) as second:
        answer = maui.come_back(second).get(f"{maui.address}/state")
    assert answer.status_code == 410
    assert "the bot greedy has changed since this match began" in answer.text


def test_free_seats_are_kept_and_who_comes_later_finds_the_match_that_was_played(db: Path) -> None:
    with server(db) as first:
        lobby = Visit(first).make("me", "person")
        maui, hina = two_people(first)
        hina.post("resign")
        over = maui.resign()
    with server(db) as second:
        lobby = lobby.come_back(second)
        lobby.other("Hina")
        assert lobby.state()["can"] == ["start", "leave", "chat"]
        answer = maui.come_back(second).get(maui.address)
    assert [answer.status_code, answer.headers["location"]] == [303, f"/m/{over['match']}"]


def test_a_move_that_was_accepted_while_the_server_stops_is_stored(db: Path) -> None:
    with server(db) as first:
        maui, hina = two_people(first)
        state = maui.until(lambda state: state.get("asked"))
        [seat] = state["asked"]
        table = first.app.state.tables.find(maui.key)  # type: ignore[attr-defined]
        move = (maui, hina)[seat].state()["offers"]["moves"][0][0]
        with table.changed:  # the match sees both at once
            table.live.answer(seat, state["at"], move)
            table.stop()
    with Store.read(db) as store:
        assert moves_of(store, maui.key)[state["at"] :] == (move,)
    with server(db) as second:
        assert maui.come_back(second).state()["at"] == state["at"] + 1


@pytest.mark.slow  # two servers
def test_a_submitted_bot_is_not_played_by_a_server_that_could_not_isolate_it(db: Path) -> None:
    keep_bot(db, "guest", FIRST_MOVE)
    with server(db) as first:
        maui = Visit(first).make("me", "guest@1")
        before = maui.until(lambda state: state.get("offers"))
    with server(db) as second:
        second.app.state.tables._isolation = "L0"  # type: ignore[attr-defined]
        maui = maui.come_back(second)
        maui.get(maui.address)
        refused = maui.until(lambda state: "can't be played here" in state.get("notice", ""))
        assert [refused["at"], refused["stage"]] == [before["at"], "playing"]
        maui.until(lambda state: state["paused"])
        second.app.state.tables._isolation = "best"  # type: ignore[attr-defined]
        maui.post("resume")
        assert "notice" not in maui.until(lambda state: state.get("offers"))


def test_stored_tables_that_are_looked_at_one_after_the_other_do_not_pile_up_in_memory(db: Path) -> None:
    with server(db) as first:
        tables = [two_people(first)[0] for _ in range(5)]
    with server(db, tables=1) as second:
        looker = Visit(second)
        assert [looker.get(f"{each.address}/state").status_code for each in tables] == [200] * 5
        assert len(second.app.state.tables._tables) <= 3  # type: ignore[attr-defined]


DAMAGES = (
    "UPDATE play_table SET chairs = '{'",
    "UPDATE play_table SET chairs = '[3]'",
    "UPDATE play_table SET seed = 'x'",
    "UPDATE play_table SET since = 'yesterday'",
    "UPDATE play_table SET stage = 'asleep'",
    "UPDATE play_table SET maker = 17",
    "UPDATE play_table SET options = '[]'",
    'UPDATE play_table SET faults = \'[{"seat": 9, "kind": "crash", "index": 1, "detail": ""}]\'',
)


def test_a_damaged_row_closes_its_table_and_hinders_no_other(db: Path) -> None:
    with server(db) as first:
        lobbies = [Visit(first).make("me", "person") for _ in DAMAGES[:3]]
        begun = [two_people(first) for _ in (*DAMAGES, "a missing move", "none")]
        for each in begun[-2]:
            each.move()
    *damaged, (missing, _), (whole, _) = begun
    for damage, visit in (*zip(DAMAGES, lobbies, strict=False), *zip(DAMAGES, (maui for maui, _ in damaged), strict=True)):
        execute(db, f"{damage} WHERE id = '{visit.key}'")
    execute(db, f"DELETE FROM play_move WHERE number = 0 AND table_id = '{missing.key}'")  # noqa: S608  # a key of our own
    with server(db) as second:
        for maui in (each.come_back(second) for each in (*lobbies, *(maui for maui, _ in damaged), missing)):
            assert maui.get("/play").status_code == 200
            closed = maui.get(maui.address)
            assert closed.status_code == 410
            assert "This table is closed: " in closed.text
            assert maui.post("resume").status_code == 410
        whole = whole.come_back(second)
        assert whole.get(whole.address).status_code == 200
        whole.move()


def test_no_page_tells_the_seed_of_a_match_that_is_being_played(db: Path) -> None:
    with server(db) as first:
        maui, _ = two_people(first)
        maui.move()
        with Store.read(db) as store, store.reading() as connection:
            seed, ticket = connection.exec_driver_sql("SELECT seed, ticket FROM play_table").one()
        for page in ("/play", "/play/mine.json", maui.address, f"{maui.address}/state", f"{maui.address}/text"):
            text = maui.get(page).text
            assert str(seed) not in text
            assert ticket not in text
        assert maui.get(f"/m/{ticket}").status_code == 404
