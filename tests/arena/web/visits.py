"""Visits to tables over HTTP, each by a browser of its own, without a page."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Self

import httpx2
from fastapi.testclient import TestClient

from arena.web.play.table import Room, Table
from engine.core import Game
from leaderboard.storage.play_tables import Chair, Stage, StoredTable
from tests.arena.web.hosting import settings_for

SCRIPT = {"accept": "application/json"}


class Visit:
    """A browser at a table."""

    def __init__(self, server: TestClient | str, address: str = "") -> None:
        self.browser = _browser(server)
        self._server = server
        self.address = address

    @property
    def key(self) -> str:
        """The table's id."""
        return self.address.rpartition("/")[2]

    def come_back(self, server: TestClient | str) -> Visit:
        """The same browser, after the server was started again."""
        found = Visit(server, self.address)
        found.browser.cookies = self.browser.cookies
        return found

    def make(self, *seats: str, game: str = "tongiaki", **fields: str) -> Self:
        made = self.browser.post("/play", data={"game": game, "seat": list(seats), "name": "Maui", **fields})
        assert made.status_code == 303, made.text
        self.address = made.headers["location"]
        return self

    def other(self, name: str) -> Visit:
        """Another browser, whose person joins."""
        found = Visit(self._server, self.address)
        assert found.post("join", data={"name": name}).status_code == 303
        return found

    def get(self, path: str) -> Any:
        return self.browser.get(path)

    def post(self, what: str, data: dict[str, Any] | None = None, **body: Any) -> Any:
        address = what if what.startswith("/") else f"{self.address}/{what}"
        if data is None:
            return self.browser.post(address, headers=SCRIPT, json=body)
        return self.browser.post(address, headers=SCRIPT, data=data)

    def state(self) -> Any:
        return self.browser.get(f"{self.address}/state", headers=SCRIPT).json()

    def until(self, what: Callable[[Any], object], seconds: float = 200) -> Any:
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

    def resign(self) -> Any:
        """Resign; the state after the match, which the substitute plays to its end."""
        assert self.post("resign").status_code == 204
        return self.until(lambda state: state["stage"] == "over")


def table_of(game: Game, *names: str, seed: int = 3, moves: tuple[str, ...] = ()) -> Table:
    """A table, on no server, with people of these names in all seats; each has their name as the key."""
    chairs = tuple(Chair(name, key=name) for name in names)
    row = StoredTable(
        id="t", game=game.name, seed=seed, ticket="m", chairs=chairs, moves=moves, stage=Stage.PLAYING, since=datetime.now(UTC)
    )
    table = Table(row, game, {}, Room(settings_for(""), None))  # type: ignore[arg-type]  # nothing is stored
    table.resume()
    return table


def two_people(client: TestClient, *bots: str, **fields: str) -> tuple[Visit, Visit]:
    """Two people, and bots after them, whose match has begun."""
    maui = Visit(client).make("me", "person", *bots, **fields)
    hina = maui.other("Hina")
    assert maui.post("start").status_code == 204
    return maui, hina


def _browser(server: TestClient | str) -> TestClient | httpx2.Client:
    if isinstance(server, str):
        return httpx2.Client(base_url=server, follow_redirects=False, timeout=60, verify=False)
    return TestClient(server.app, follow_redirects=False)
