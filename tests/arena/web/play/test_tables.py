"""Tables over HTTP, without a browser: giving up, hints, chat, playing again, restarts, and what is refused."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from arena.web.app import make_app
from arena.web.play import table as table_module
from bots.loader.version import BotVersion, pack
from engine.records import FaultKind, Replay
from engine.replay.format import read_replay
from engine.replay.verifier import verify_replay
from leaderboard.errors import StoreError
from leaderboard.storage.play_tables import human_match_replay, stored_tables
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import submit
from tests.arena.web.hosting import execute, make_ladder, settings_for
from tests.arena.web.visits import Visit, two_people
from tests.world import person


@pytest.fixture
def db(tmp_path: Path) -> Path:
    path = tmp_path / "tables.db"
    Store.create(path).close()
    return path


def serve(db: Path, **more: Any) -> TestClient:
    return TestClient(make_app(settings_for(db, **({"tables_of_one": 50, "requests_per_minute": 100_000} | more))))


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    path = tmp_path_factory.mktemp("tables") / "tables.db"
    Store.create(path).close()
    with serve(path) as found:
        yield found


@pytest.fixture
def alone(client: TestClient) -> Visit:
    """A person who plays with a bot."""
    return Visit(client).make("me", "random")


@pytest.fixture
def both(client: TestClient) -> tuple[Visit, Visit]:
    """Two people whose match has begun."""
    return two_people(client)


def replay_of(db: Path, over: Any) -> Replay:
    """The replay of the match that was played at a table, which is valid."""
    with Store.read(db) as store:
        replay = read_replay(human_match_replay(store, over["match"]))
    verify_replay(replay)
    return replay


def keep_bot(db: Path, name: str, choice: str) -> None:
    code = f"class Bot:\n    def choose(self, view, clock):\n        {choice}\n"
    with Store.join(db) as store:
        submit(store, name, "0" * 64, person(store, "Eve"), pack(BotVersion(name, "0" * 64, f"{name}.py", "Bot", code)))


def test_who_resigns_sees_the_substitute_play_on_and_ranks_last(alone: Visit) -> None:
    assert {"resign", "leave", "hint"} == set(alone.until(lambda state: state.get("offers"))["can"])
    over = alone.resign()
    assert [over["seats"][0]["fault"], over["seats"][0]["rank"]] == ["resigned", 2]
    assert set(over["can"]) == {"rematch"}


def test_who_leaves_is_gone_for_good_and_a_table_without_people_is_closed(both: tuple[Visit, Visit]) -> None:
    maui, hina = both
    assert hina.post("leave").status_code == 204
    assert "me" not in hina.state()
    assert hina.post("chat", text="still here?").status_code == 403
    maui.move()
    assert maui.post("leave").status_code == 204
    assert maui.until(lambda state: state["stage"] == "closed")["problem"] == "everybody has left the table"


def test_a_hint_is_what_the_expert_would_play_and_nobody_gets_one_against_people(alone: Visit, both: tuple[Visit, Visit]) -> None:
    state = both[0].until(lambda state: state.get("offers"))
    assert "hint" not in state["can"]
    assert both[0].post("hint", at=state["at"]).json() == {"error": "There are no hints at this table."}
    state = alone.until(lambda state: state.get("offers"))
    hint = alone.post("hint", at=state["at"]).json()
    assert hint["why"].startswith("expert, a strong reference bot, would play this, knowing only what you know.")
    assert hint == alone.post("hint", at=state["at"]).json()
    assert alone.post("hint", at=state["at"] + 1).status_code == 409
    assert [alone.post("hint", at=state["at"]).status_code for _ in range(20)][-1] == 429
    assert alone.post("move", at=state["at"], move=hint["move"]).status_code == 204


def test_a_move_out_of_turn_or_an_illegal_one_is_refused(both: tuple[Visit, Visit]) -> None:
    maui, hina = both
    state = maui.until(lambda state: state.get("offers"))
    move = state["offers"]["moves"][0][0]
    wrong = [maui.post("move", at=state["at"], move=each) for each in ("nonsense", "sail 1>2 3")]
    wrong += [hina.post("move", at=state["at"], move=move), maui.post("move", at=state["at"] + 1, move=move)]
    assert [answer.status_code for answer in wrong] == [422, 422, 409, 409]
    assert maui.state()["at"] == state["at"]


def test_people_play_again_in_their_seats(both: tuple[Visit, Visit]) -> None:
    maui, hina = both
    assert maui.post("rematch").status_code == 409
    maui.post("resign")
    hina.resign()
    answers = [each.post("rematch").json() for each in (hina, maui, hina)]
    assert len({answer["address"] for answer in answers}) == 1
    assert maui.state()["rematch"] == answers[0]["address"]
    maui.address = hina.address = answers[0]["address"]
    assert [maui.state()["me"], [seat["name"] for seat in maui.state()["seats"]]] == [0, ["Maui", "Hina"]]


def test_a_chat_has_lines_of_plain_text_of_those_who_sit_there(client: TestClient) -> None:
    maui = Visit(client).make("me", "person")
    looker = Visit(client, maui.address)
    assert maui.post("chat", text=" hello\u202e <b>\n\x07 ").status_code == 204
    assert looker.post("chat", text="hello").status_code == 403
    assert [maui.post("chat", text=text).status_code for text in ("x" * 201, " \n")] == [422, 422]
    [line] = looker.state()["chat"]
    assert [line["seat"], line["name"], line["text"]] == [0, "Maui", "hello\\u202e <b> \\x07"]
    codes = [maui.post("chat", text="again").status_code for _ in range(14)]
    assert [codes[0], codes[-1]] == [204, 429]


def test_the_lobby_lists_public_tables_for_others_and_private_ones_for_nobody(client: TestClient) -> None:
    maui, hidden = Visit(client).make("me", "person"), Visit(client).make("me", "person", private="yes")
    lobby = Visit(client).get("/play").text
    assert f'href="{maui.address}">Join' in lobby
    assert hidden.address not in lobby
    assert f'href="{maui.address}">Go to the table' in maui.get("/play").text
    maui.other("Hina")
    maui.post("start")
    assert f'href="{maui.address}">Watch' in Visit(client).get("/play").text


def test_seats_are_chosen_by_hand_and_changed_until_the_match_begins(client: TestClient) -> None:
    maui = Visit(client).make("me", "person", "person")
    hina = Visit(client, maui.address)
    assert hina.post("join", data={"name": "Hina", "seat": 2}).status_code == 303
    assert hina.state()["me"] == 2
    assert maui.post("join", data={"seat": 2}).json() == {"error": "That seat is not free."}
    assert maui.post("join", data={"seat": 1}).status_code == 303
    assert [maui.state()["me"], maui.state()["can"]] == [1, ["leave", "chat"]]
    tane = maui.other("Tane")
    assert [tane.state()["me"], maui.state()["can"]] == [0, ["start", "leave", "chat"]]
    tane.post("leave")
    assert maui.post("start").json() == {"error": "A seat is still free."}
    maui.post("leave")
    assert hina.state()["stage"] == "lobby"
    hina.post("leave")
    assert hina.state()["stage"] == "closed"


def test_who_is_asked_has_a_countdown_until_a_substitute_takes_over(both: tuple[Visit, Visit], monkeypatch: pytest.MonkeyPatch) -> None:
    passed = 0.0
    monkeypatch.setattr(table_module, "running_time", lambda: time.monotonic() + passed)
    monkeypatch.setattr(table_module, "_LOOK_SECONDS", 0.05)
    monkeypatch.setattr(table_module.Table, "is_idle", False)  # a jump of the clock is no absence
    both[0].move()  # so that the match looks at the clock as often as that
    state = both[1].until(lambda state: state.get("asked"))
    assert 0 < state["deadline"] <= 900
    [late] = state["asked"]
    passed += 901
    other = both[1 - late]
    state = other.until(lambda state: state["seats"][late].get("fault"))
    assert state["seats"][late]["fault"] == "move timeout"
    state = other.until(lambda state: state.get("offers"))
    told = [event["words"] for line in state["log"] for event in line.get("events", [])]
    assert f"A substitute plays for {['Maui', 'Hina'][late]} from here on: no move was made within 15 minutes" in told
    assert "deadline" not in state  # nobody is kept waiting: the match of the last person is paused instead
    passed += 901
    paused = other.until(lambda state: state.get("paused"))
    assert [paused["can"], paused["stage"]] == [["resign", "leave", "resume", "chat"], "playing"]
    assert paused["notice"] == "Nobody made a move for 15 minutes, so the match is paused."
    assert other.post("resume").status_code == 204
    other.move()


def test_a_forged_cookie_is_nobody(both: tuple[Visit, Visit], client: TestClient) -> None:
    for secret in ("", "A" * 32, "A" * 5000, "%00" * 10, "ÿ" * 32):
        headers = {b"cookie": f"player={secret}".encode("latin-1"), b"accept": b"application/json"}
        assert not {"me", "can"} & client.get(f"{both[0].address}/state", headers=headers).json().keys(), secret


def test_who_looks_on_is_told_nothing_that_a_seat_hides(client: TestClient) -> None:
    people = two_people(client, game="sunda", **{"sunda.level": "5", "sunda.mode": "simultaneous"})
    state = people[0].until(lambda state: state.get("asked"))
    [first] = state["asked"]
    chooser = people[first]
    app: Any = client.app
    move = str(app.state.tables.find(chooser.key).look(first).view.legal_moves[0])
    assert chooser.post("move", at=state["at"], move=move).status_code == 204
    told = Visit(client, chooser.address).state()
    assert "offers" not in told
    mine, seen = chooser.state()["log"][0], told["log"][0]
    assert mine["seat"] == seen["seat"] == first
    assert people[1 - first].state()["log"][0].get("notation") == seen.get("notation")


def test_a_table_that_continues_a_match_says_so_to_those_who_join_also_after_a_restart(db: Path) -> None:
    make_ladder(db, rounds=1)
    with Store.read(db) as store:
        [match, *_] = store.find_ids("", 1)
    with serve(db) as first:
        maui = Visit(first).make("me", "person", match=match, at="4")
        pages = [first.get(maui.address).text, first.get("/play").text]
        state = first.get(f"{maui.address}/state").json()
    assert state["at"] == 4
    with serve(db) as again:
        pages.append(again.get(maui.address).text)
    for page in (pages[0], pages[2]):
        assert f'This match continues <a href="/m/{match}">an earlier one</a> from decision 5' in page
    assert '<span class="badge">continued</span>' in pages[1]


def test_two_people_and_a_bot_go_on_after_a_restart_where_they_were(db: Path) -> None:
    with serve(db) as first:
        maui = Visit(first).make("me", "random", "person")
        hina = maui.other("Hina")
        maui.post("start")
        maui.move()
        hina.move()
        maui.post("chat", text="a storm is coming")
        before = maui.until(lambda state: state.get("offers"))
    with serve(db) as second:
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
    assert {(forfeit.seat, forfeit.reason) for forfeit in replay_of(db, over).forfeits} == {(0, "resigned"), (2, "resigned")}
    with serve(db) as third:
        answer = maui.come_back(third).get(maui.address)
    assert [answer.status_code, answer.headers["location"]] == [303, f"/m/{over['match']}"]


def test_a_seat_that_was_taken_over_stays_so_from_the_decision_where_it_was(db: Path) -> None:
    keep_bot(db, "wreck", "raise ValueError('storm')")
    with serve(db) as first:
        maui = Visit(first).make("me", "wreck@1")
        maui.move()
        failed = maui.until(lambda state: state.get("offers"))
        assert failed["seats"][1]["fault"] == FaultKind.CRASH
    with serve(db) as second:
        maui = maui.come_back(second)
        assert maui.get(maui.address).status_code == 200
        assert maui.until(lambda state: state.get("offers"))["seats"] == failed["seats"]
        over = maui.resign()
    assert [(seat["rank"], seat.get("fault")) for seat in over["seats"]] == [(1, "resigned"), (2, FaultKind.CRASH)]
    replay = replay_of(db, over)
    [forfeit] = [each for each in replay.forfeits if each.seat == 1]
    assert forfeit.index == next(at for at, decision in enumerate(replay.decisions) if decision.seat == 1 and decision.legal > 1)


def test_what_can_not_be_stored_is_not_accepted(both: tuple[Visit, Visit], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise StoreError("the disk is full")

    maui, hina = both
    before = maui.until(lambda state: state.get("offers"))
    refused: dict[str, Any] = {"resign": {}, "leave": {}, "chat": {"text": "hello"}}
    with monkeypatch.context() as broken:
        broken.setattr(table_module, "change_table", full)
        codes = [maui.post("move", at=before["at"], move=before["offers"]["moves"][0][0]).status_code]
        codes += [hina.post(what, **body).status_code for what, body in refused.items()]
    assert codes == [503] * 4
    assert maui.state() | {"deadline": 0} == before | {"deadline": 0}
    assert maui.move()["at"] > before["at"]


def test_a_submitted_bot_is_not_played_by_a_server_that_could_not_isolate_it(db: Path) -> None:
    keep_bot(db, "guest", "return next(iter(view.legal_moves))")
    with serve(db) as first:
        maui = Visit(first).make("me", "guest@1")
        before = maui.until(lambda state: state.get("offers"))
    with serve(db) as second:
        second.app.state.tables._isolation = "L0"  # type: ignore[attr-defined]
        maui = maui.come_back(second)
        maui.get(maui.address)
        refused = maui.until(lambda state: state.get("paused") and "can't be played here" in state.get("notice", ""))
        assert [refused["at"], refused["stage"]] == [before["at"], "playing"]
        second.app.state.tables._isolation = "best"  # type: ignore[attr-defined]
        maui.post("resume")
        assert "notice" not in maui.until(lambda state: state.get("offers"))


DAMAGES = (
    "chairs = '{'",
    "stage = 'asleep'",
    "maker = 17",
    'faults = \'{"9": {"kind": "crash", "index": 1, "detail": ""}}\'',
    "moves = '[\"place 99\"]'",
    'chairs = replace(chairs, \'"digest":"\', \'"digest":"0\')',
)


def test_a_damaged_row_closes_its_table_and_hinders_no_other(db: Path) -> None:
    with serve(db) as first:
        *damaged, whole = [two_people(first, "greedy")[0] for _ in (*DAMAGES, "none")]
    for damage, visit in zip(DAMAGES, damaged, strict=True):
        execute(db, f"UPDATE play_table SET {damage} WHERE id = '{visit.key}'")  # noqa: S608  # our own values
    with serve(db) as second:
        for maui in (each.come_back(second) for each in damaged):
            assert maui.get("/play").status_code == 200
            closed = maui.get(maui.address)
            assert (closed.status_code, "This table is closed: " in closed.text) == (410, True)
            assert maui.post("resume").status_code == 410
        assert "the bot greedy has changed since this match began" in closed.text
        whole = whole.come_back(second)
        assert whole.get(whole.address).status_code == 200
        whole.move()


def test_no_page_tells_the_seed_of_a_match_that_is_being_played(db: Path) -> None:
    with serve(db) as first:
        maui, _ = two_people(first)
        maui.move()
        with Store.read(db) as store:
            [row] = stored_tables(store)
        text = maui.get(f"{maui.address}/text").text
        assert text.startswith("Seat ")
        assert "- place" not in text
        for page in ("/play", "/play/mine.json", maui.address, f"{maui.address}/state", f"{maui.address}/text"):
            text = maui.get(page).text
            assert str(row.seed) not in text
            assert row.ticket not in text
        assert maui.get(f"/m/{row.ticket}").status_code == 404
