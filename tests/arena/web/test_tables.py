"""Tables over HTTP, without a browser: giving up, hints, chat, playing again, and what is refused."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from arena.web.app import make_app
from tests.arena.web.hosting import make_ladder, settings_for

PAGE = {"accept": "application/json"}


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tables") / "tables.db"
    make_ladder(path)
    return path


@pytest.fixture(scope="module")
def client(db: Path) -> Iterator[TestClient]:
    with TestClient(make_app(settings_for(db, tables_of_one=50, requests_per_minute=100_000))) as found:
        yield found


class Visit:
    """A browser at a table."""

    def __init__(self, client: TestClient, address: str = "") -> None:
        self._browser = TestClient(client.app, follow_redirects=False)
        self.address = address

    def make(self, *seats: str, game: str = "tongiaki", **fields: str) -> Visit:
        made = self._browser.post("/play", data={"game": game, "seat": list(seats), "name": "Maui", **fields})
        assert made.status_code == 303, made.text
        self.address = made.headers["location"]
        return self

    def other(self, name: str) -> Visit:
        """Another browser, whose person joins."""
        found = Visit(self._browser, self.address)
        assert found.post("join", data={"name": name}).status_code == 303
        return found

    def get(self, path: str) -> Any:
        return self._browser.get(path)

    def post(self, what: str, data: dict[str, Any] | None = None, **body: Any) -> Any:
        address = what if what.startswith("/") else f"{self.address}/{what}"
        if data is None:
            return self._browser.post(address, headers=PAGE, json=body)
        return self._browser.post(address, headers=PAGE, data=data)

    def state(self) -> Any:
        return self._browser.get(f"{self.address}/state", headers=PAGE).json()

    def until(self, what: Callable[[Any], object], seconds: float = 20) -> Any:
        until = time.monotonic() + seconds
        while not what(state := self.state()):
            assert time.monotonic() < until, {key: state.get(key) for key in ("stage", "at", "asked", "actor", "notice", "problem")}
            time.sleep(0.02)
        return state

    def move(self) -> Any:
        """Play the first legal move once it is this seat's turn; the state after it."""
        state = self.until(lambda state: state.get("offers"))
        assert self.post("move", at=state["at"], move=state["offers"]["moves"][0][0]).status_code == 204
        return self.until(lambda now: now["at"] > state["at"] or now["stage"] != "playing")


def test_who_resigns_sees_the_substitute_play_on_and_ranks_last(client: TestClient) -> None:
    maui = Visit(client).make("me", "random")
    assert {"resign", "leave", "chat", "hint"} == set(maui.until(lambda state: state.get("offers"))["can"])
    assert maui.post("resign").status_code == 204
    over = maui.until(lambda state: state["stage"] == "over")
    assert [over["seats"][0]["fault"], over["seats"][0]["rank"]] == ["resigned", 2]
    assert maui.post("resign").json() == {"error": "You don't play in this match."}
    assert set(over["can"]) == {"rematch", "chat"}


def test_the_log_says_who_is_played_on_by_a_substitute_and_why(client: TestClient) -> None:
    maui = Visit(client).make("me", "person", "random")
    hina = maui.other("Hina")
    assert maui.post("start").status_code == 204
    maui.move()
    hina.until(lambda state: state.get("offers"))
    assert hina.post("resign").status_code == 204
    state = maui.until(lambda state: state["at"] >= 3)
    words = [event["words"] for told in state["log"] for event in told.get("events", [])]
    assert "A substitute plays for Hina from here on: Hina has resigned" in words


def test_who_leaves_is_gone_for_good_and_a_table_without_people_is_closed(client: TestClient) -> None:
    maui = Visit(client).make("me", "person", "random")
    hina = maui.other("Hina")
    maui.post("start")
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
    assert found.json() == maui.post("hint", at=state["at"]).json()
    assert maui.post("hint", at=state["at"] + 1).status_code == 409
    assert maui.post("move", at=state["at"], move=found.json()["move"]).status_code == 204


def test_nobody_gets_hints_against_people(client: TestClient) -> None:
    maui = Visit(client).make("me", "person")
    maui.other("Hina")
    maui.post("start")
    state = maui.until(lambda state: state.get("offers"))
    assert "hint" not in state["can"]
    assert maui.post("hint", at=state["at"]).json() == {"error": "There are no hints at this table."}


def test_people_play_again_in_their_seats(client: TestClient) -> None:
    maui = Visit(client).make("me", "person")
    hina = maui.other("Hina")
    maui.post("start")
    maui.until(lambda state: state.get("offers"))
    assert maui.post("rematch").status_code == 409
    maui.post("resign")
    while (state := hina.until(lambda state: state.get("offers") or state["stage"] == "over"))["stage"] == "playing":
        hina.post("move", at=state["at"], move=state["offers"]["moves"][-1][0])
        hina.until(lambda now, at=state["at"]: now["at"] > at or now["stage"] == "over")  # type: ignore[misc]
    answers = [each.post("rematch").json() for each in (hina, maui, hina)]
    assert len({answer["address"] for answer in answers}) == 1
    assert maui.state()["rematch"] == answers[0]["address"]
    again = Visit(client, answers[0]["address"])
    again._browser = maui._browser
    assert [again.state()["me"], [seat["name"] for seat in again.state()["seats"]]] == [0, ["Maui", "Hina"]]


def test_a_chat_has_lines_of_plain_text_of_those_who_sit_there(client: TestClient) -> None:
    maui = Visit(client).make("me", "random")
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


def test_a_host_may_want_no_chat(db: Path) -> None:
    with TestClient(make_app(settings_for(db, chat=False))) as client:
        maui = Visit(client).make("me", "person")
        state = maui.state()
        assert "chat_on" not in state
        assert "chat" not in state["can"]
        assert maui.post("chat", text="hello").status_code == 403


def test_play_now_begins_at_once_and_mine_names_it(client: TestClient) -> None:
    maui = Visit(client)
    made = maui.post("/play/now", data={"game": "tongiaki", "against": "random"})
    assert made.status_code == 303
    maui.address = made.headers["location"]
    state = maui.until(lambda state: state.get("offers"))
    assert [seat["name"] for seat in state["seats"]] == ["Guest", "random"]
    assert maui.get("/play/mine.json").json() == {
        "tables": [{"address": maui.address, "game": "tongiaki", "turn": True, "stage": "playing"}]
    }
    assert Visit(client).get("/play/mine.json").json() == {"tables": []}
    assert maui.post("/play/now", data={"game": "nothing", "against": "random"}).status_code == 422
    assert maui.post("/play/now", data={"game": "tongiaki", "against": "nobody"}).status_code == 422
