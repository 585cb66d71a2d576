"""Two servers behind a proxy that sends each request to the next of them: visitors notice nothing, not even when one is killed."""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
import pytest

from leaderboard.storage.store import Store
from tests.arena.web.hosting import checked, upload
from tests.arena.web.running import Running, running
from tests.arena.web.visits import Visit
from tests.people import new_token

MOVES = 12
"""Decisions of people before one server is killed, and after."""


class Proxy(httpx2.BaseTransport):
    """Sends each request to the next server; one that can't be reached is left out, as nginx does."""

    def __init__(self, servers: list[Running]) -> None:
        self._servers = servers
        self._turn = count()
        self._transport = httpx2.HTTPTransport()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        body = request.read()
        for _ in self._servers:
            url = request.url.copy_with(port=self._servers[next(self._turn) % len(self._servers)].port)
            try:
                return self._transport.handle_request(httpx2.Request(request.method, url, headers=request.headers, content=body))
            except httpx2.TransportError:
                continue
        raise httpx2.ConnectError("no server is left")

    def close(self) -> None:
        self._transport.close()


class Through(Visit):
    """A browser that reaches the servers through the proxy."""

    def __init__(self, servers: list[Running], address: str = "") -> None:
        self.servers, self.address = servers, address
        self.browser = httpx2.Client(base_url="http://127.0.0.1", transport=Proxy(servers), timeout=60)

    def other(self, name: str) -> Through:
        found = Through(self.servers, self.address)
        assert found.post("join", data={"name": name}).status_code == 303
        return found

    def state(self) -> Any:
        answer = super().get(f"{self.address}/state")
        return answer.json() if answer.status_code == 200 else {"stage": "", "at": 0}

    def follow(self, heard: list[str]) -> None:
        """Follow the table as a page does, which connects again whenever its stream ends."""
        while True:
            try:
                with self.browser.stream("GET", f"{self.address}/events") as events:
                    for line in events.iter_lines():
                        heard += [line] if line.startswith("data:") else []
                        if line.endswith("over"):
                            return
            except (httpx2.TransportError, RuntimeError):
                pass  # the server was killed
            time.sleep(0.2)


def play(people: list[Through], decisions: int) -> None:
    for _ in range(decisions):
        state = people[0].until(lambda state: state.get("asked") or state["stage"] == "over")
        if state["stage"] == "over":
            return
        people[state["asked"][0]].move()


def check_two_servers(place: str, folder: Path) -> None:
    with Store.join(place) as store:
        token = new_token(store, "Ana")
    options = ("--allow-play", "--allow-submissions", "--trust-bots", "--check-seconds", "5")
    with ExitStack() as stack:
        servers = [stack.enter_context(running(place, *options, log=folder / f"{number}.log")) for number in range(2)]
        assert servers[0].get("/play") == 200  # it has the tables
        alone = stack.enter_context(Through(servers)).make("me", "random")
        for _ in range(3):
            alone.move()
        now = alone.until(lambda state: state.get("offers"))
        assert alone.post("hint", at=now["at"]).json()["move"] in {move for move, *_ in now["offers"]["moves"]}

        maui = stack.enter_context(Through(servers)).make("me", "person")
        hina = stack.enter_context(maui.other("Hina"))
        heard: list[str] = []
        looker = stack.enter_context(Through(servers[::-1], maui.address))
        follower = threading.Thread(target=looker.follow, args=(heard,), daemon=True)
        follower.start()
        assert maui.post("start").status_code == 204
        assert hina.post("chat", text="a storm is coming").status_code == 204
        play([maui, hina], MOVES)
        before = maui.until(lambda state: state.get("asked"))

        servers[0].process.kill()
        assert checked(maui.browser, token, upload(maui.browser, token, "walker").json()["id"])["state"] == "accepted"
        assert maui.get(maui.address).status_code == 200
        after = maui.until(lambda state: state.get("asked"))
        assert [after[key] for key in ("at", "log", "chat")] == [before[key] for key in ("at", "log", "chat")]
        play([maui, hina], MOVES)
        assert alone.get(alone.address).status_code == 200
        assert alone.move()["at"] > now["at"]
        hina.post("resign")
        over = maui.resign()
        assert maui.get(f"/play/m/{over['match']}").status_code == 200
        follower.join(60)
        assert len(heard) > MOVES


@pytest.mark.slow  # two servers, one of which is killed
@pytest.mark.parametrize("kind", ["file", "postgresql"])
def test_two_servers_are_as_one(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    place = str(tmp_path / "one.db") if kind == "file" else request.getfixturevalue("postgres").new_database()
    Store.create(place).close()
    check_two_servers(place, tmp_path)
