"""Tables over HTTP, without a browser: giving up, hints, chat, playing again, and what is refused."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from arena.web.app import make_app
from arena.web.play import table as table_module
from leaderboard.storage.play_tables import moves_of
from leaderboard.storage.store import Store
from tests.arena.web.hosting import make_ladder, settings_for
from tests.arena.web.visits import Visit, two_people


@pytest.fixture(scope="module")
def client(db: Path) -> Iterator[TestClient]:
    with TestClient(make_app(settings_for(db, tables_of_one=50, requests_per_minute=100_000))) as found:
        yield found


def test_who_resigns_sees_the_substitute_play_on_and_ranks_last(client: TestClient) -> None:
    maui = Visit(client).make("me", "random")
    assert {"resign", "leave", "hint"} == set(maui.until(lambda state: state.get("offers"))["can"])
    over = maui.resign()
    assert [over["seats"][0]["fault"], over["seats"][0]["rank"]] == ["resigned", 2]
    assert maui.post("resign").json() == {"error": "You don't play in this match."}
    assert set(over["can"]) == {"rematch"}


def test_a_table_that_continues_a_match_says_so_to_those_who_join_also_after_a_restart(tmp_path: Path) -> None:
    db = tmp_path / "own.db"
    make_ladder(db, rounds=1)
    with Store.read(db) as store:
        [match, *_] = store.find_ids("", 1)
    with TestClient(make_app(settings_for(db))) as first:
        address = Visit(first).make("me", "person", match=match, at="4").address
        pages = [first.get(address).text, first.get("/play").text]
    with Store.read(db) as store:
        assert len(moves_of(store, address.rpartition("/")[2])) >= 4
    with TestClient(make_app(settings_for(db))) as again:
        pages.append(again.get(address).text)
    for page in (pages[0], pages[2]):
        assert f'This match continues <a href="/m/{match}">an earlier one</a> from decision 5' in page
    assert '<span class="badge">continued</span>' in pages[1]


def test_the_log_says_who_is_played_on_by_a_substitute_and_why(client: TestClient) -> None:
    maui, hina = two_people(client)
    maui.move()
    hina.until(lambda state: state.get("offers"))
    assert hina.post("resign").status_code == 204
    state = maui.move()
    words = [event["words"] for told in state["log"] for event in told.get("events", [])]
    assert "A substitute plays for Hina from here on: Hina has resigned" in words


def test_who_leaves_is_gone_for_good_and_a_table_without_people_is_closed(client: TestClient) -> None:
    maui, hina = two_people(client)
    maui.until(lambda state: state.get("offers"))
    assert hina.post("leave").status_code == 204
    assert "me" not in hina.state()
    assert hina.post("chat", text="still here?").status_code == 403
    maui.move()
    assert maui.post("leave").status_code == 204
    closed = maui.until(lambda state: state["stage"] == "closed")
    assert closed["problem"] == "everybody has left the table"


def test_a_hint_is_what_the_expert_would_play_and_is_legal(client: TestClient) -> None:
    maui = Visit(client).make("me", "random")
    state = maui.until(lambda state: state.get("offers"))
    found = maui.post("hint", at=state["at"])
    assert found.status_code == 200, found.text
    assert found.json()["move"] in [move for move, _ in state["offers"]["moves"]]
    assert found.json()["why"].startswith("What expert, the strongest bot for this game, would play from what you know.")
    assert found.json() == maui.post("hint", at=state["at"]).json()
    assert maui.post("hint", at=state["at"] + 1).status_code == 409
    assert maui.post("move", at=state["at"], move=found.json()["move"]).status_code == 204


def test_a_position_that_is_still_to_come_has_no_content(client: TestClient) -> None:
    maui = Visit(client).make("me", "random")
    at = maui.until(lambda state: state.get("offers"))["at"]
    assert [maui.get(f"{maui.address}/state?at={each}").status_code for each in (at, at + 1)] == [200, 204]


def test_nobody_gets_hints_against_people(client: TestClient) -> None:
    maui, _ = two_people(client)
    state = maui.until(lambda state: state.get("offers"))
    assert "hint" not in state["can"]
    assert maui.post("hint", at=state["at"]).json() == {"error": "There are no hints at this table."}


def test_people_play_again_in_their_seats(client: TestClient) -> None:
    maui, hina = two_people(client)
    maui.until(lambda state: state.get("offers"))
    assert maui.post("rematch").status_code == 409
    maui.post("resign")
    hina.resign()
    answers = [each.post("rematch").json() for each in (hina, maui, hina)]
    assert len({answer["address"] for answer in answers}) == 1
    assert maui.state()["rematch"] == answers[0]["address"]
    again = Visit(client, answers[0]["address"])
    again.browser = maui.browser
    assert [again.state()["me"], [seat["name"] for seat in again.state()["seats"]]] == [0, ["Maui", "Hina"]]


def test_a_chat_has_lines_of_plain_text_of_those_who_sit_there(client: TestClient) -> None:
    maui = Visit(client).make("me", "person")
    looker = Visit(client, maui.address)
    assert maui.post("chat", text=" hello\u202e <b>\n\x07 ").status_code == 204
    assert looker.post("chat", text="hello").status_code == 403
    assert maui.post("chat", text="x" * 201).json() == {"error": "A line has at most 200 characters."}
    assert maui.post("chat", text=" \n").status_code == 422
    [line] = looker.state()["chat"]
    assert [line["seat"], line["name"], line["text"]] == [0, "Maui", "hello\\u202e <b> \\x07"]
    codes = [maui.post("chat", text="again").status_code for _ in range(14)]
    assert codes[0] == 204
    assert codes[-1] == 429


def test_a_host_may_want_no_chat(tmp_path: Path) -> None:
    db = tmp_path / "silent.db"
    make_ladder(db)
    with TestClient(make_app(settings_for(db, chat=False))) as client:
        maui = Visit(client).make("me", "person")
        state = maui.state()
        assert "chat_on" not in state
        assert "chat" not in state["can"]
        assert maui.post("chat", text="hello").status_code == 403


def test_play_now_begins_at_once_and_mine_names_it(client: TestClient) -> None:
    maui = Visit(client)
    made = maui.post("/play", data={"game": "tongiaki", "against": "random"})
    assert made.status_code == 303
    maui.address = made.headers["location"]
    state = maui.until(lambda state: state.get("offers"))
    assert [seat["name"] for seat in state["seats"]] == ["Guest", "random"]
    assert maui.get("/play/mine.json").json() == [{"address": maui.address, "turn": True}]
    assert Visit(client).get("/play/mine.json").json() == []
    assert maui.post("/play", data={"game": "nothing", "against": "random"}).status_code == 422
    assert maui.post("/play", data={"game": "tongiaki", "against": "nobody"}).status_code == 422


def test_the_lobby_lists_public_tables_for_others_and_private_ones_for_nobody(client: TestClient) -> None:
    maui = Visit(client).make("me", "person")
    hidden = Visit(client).make("me", "person", private="yes")
    lobby = Visit(client).get("/play").text
    assert f'href="{maui.address}">Join' in lobby
    assert hidden.address not in lobby
    assert f'href="{maui.address}">Go to the table' in maui.get("/play").text
    maui.other("Hina")
    maui.post("start")
    assert f'href="{maui.address}">Watch' in Visit(client).get("/play").text
    maui.until(lambda state: state.get("offers"))
    assert "your turn" in maui.get("/play").text


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
    assert tane.post("leave").status_code == 204
    assert "me" not in tane.state()
    assert maui.post("leave").status_code == 204
    assert hina.state()["stage"] == "lobby"
    assert hina.post("leave").status_code == 204
    assert hina.state()["stage"] == "closed"


def test_a_countdown_runs_for_who_is_asked_until_a_substitute_takes_over(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    passed = 0.0
    monkeypatch.setattr(table_module, "running_time", lambda: time.monotonic() + passed)
    monkeypatch.setattr(table_module, "_LOOK_SECONDS", 0.05)
    maui, hina = two_people(client)
    monkeypatch.setattr(table_module.PlayTable, "is_idle", False)  # a jump of the clock is no absence
    state = hina.until(lambda state: state.get("asked"))
    assert 0 < state["deadline"] <= 900
    late = state["asked"][0]
    passed += 901
    state = maui.until(lambda state: state["seats"][late].get("fault"))
    assert state["seats"][late]["fault"] == "move timeout"
    words = [event["words"] for told in state["log"] for event in told.get("events", [])]
    assert f"A substitute plays for {['Maui', 'Hina'][late]} from here on: no move came within 15 minutes" in words
    other = hina if late == 0 else maui
    state = other.until(lambda state: state.get("offers"))
    assert "deadline" not in state  # nobody is kept waiting: the match of the last person is paused instead
    passed += 901
    paused = other.until(lambda state: state.get("paused"))
    assert [paused["can"], paused["stage"]] == [["resign", "leave", "resume", "chat"], "playing"]
    assert paused["notice"] == "Nobody made a move for 15 minutes, so the match is paused."
    assert other.post("resume").status_code == 204
    other.move()


def test_a_forged_cookie_is_nobody(client: TestClient) -> None:
    maui, _ = two_people(client)
    for secret in ("", "x", "A" * 32, "A" * 5000, "%00" * 10, "ÿ" * 32):
        headers = {b"cookie": f"player={secret}".encode("latin-1"), b"accept": b"application/json"}
        answer = client.get(f"{maui.address}/state", headers=headers)
        assert answer.status_code == 200
        assert not {"me", "can"} & answer.json().keys(), secret


@pytest.mark.slow  # many requests
def test_storms_of_hints_are_bounded(tmp_path: Path) -> None:
    make_ladder(tmp_path / "storm.db", rounds=1)
    with TestClient(make_app(settings_for(tmp_path / "storm.db"))) as client:
        maui = Visit(client).make("me", "random")
        at = maui.until(lambda state: state.get("offers"))["at"]
        codes = [maui.post("hint", at=at).status_code for _ in range(22)]
    assert [codes[0], codes[-1]] == [200, 429]


def test_who_looks_on_is_told_nothing_that_a_seat_hides(client: TestClient) -> None:
    maui, hina = two_people(client, game="sunda", **{"sunda.level": "5", "sunda.mode": "simultaneous"})
    state = maui.until(lambda state: state.get("asked"))
    [first] = state["asked"]
    chooser = (maui, hina)[first]
    table = client.app.state.tables.find(maui.key)  # type: ignore[attr-defined]
    assert chooser.post("move", at=state["at"], move=str(table.live.look(first).view.legal_moves[0])).status_code == 204
    chooser.until(lambda now: now["at"] > state["at"])
    told = Visit(client, maui.address).state()
    assert "offers" not in told
    mine, seen = chooser.state()["log"][0], told["log"][0]
    assert mine["seat"] == seen["seat"] == first
    assert (hina, maui)[first].state()["log"][0].get("notation") == seen.get("notation")


def test_nobody_plays_again_where_too_few_are_left(client: TestClient) -> None:
    maui, hina = two_people(client)
    hina.post("leave")
    maui.resign()
    refused = maui.post("rematch")
    assert [refused.status_code, refused.json()] == [409, {"error": "Tongiaki is for 2 to 6 players, not 1."}]


def test_a_match_never_begins_with_a_seat_that_was_left_at_the_last_moment(client: TestClient) -> None:
    maui = Visit(client).make("me", "person")
    hina = maui.other("Hina")
    table = client.app.state.tables.find(maui.key)  # type: ignore[attr-defined]
    is_ready = table.is_ready
    left = threading.Thread(target=hina.post, args=("leave",))

    def ready_until_now() -> bool:
        found: bool = is_ready()
        left.start()
        left.join(0.2)  # it has to wait until the match has begun
        return found

    table.is_ready = ready_until_now
    assert maui.post("start").status_code == 204
    left.join()
    assert [seat.gone for seat in table.seats] == ["", "Hina has left"]
