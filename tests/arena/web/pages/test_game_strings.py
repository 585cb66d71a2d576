"""Visitors name games with any parameters: the server plays those that its host lists, and goes on answering others."""

from __future__ import annotations

import http.client
import json
import os
from pathlib import Path
from random import Random
from urllib.parse import quote, urlencode

import pytest

from arena.web.games import OfferedGames
from engine.core import OptionsError
from tests.arena.web.hosting import make_ladder, make_token
from tests.arena.web.running import Running, running, visiting
from tests.hostile.game_strings import KILLERS, game_string

pytestmark = pytest.mark.slow  # OpenSpiel comes with the extra dev


LISTED = "openspiel:hex(board_size=7)"
REQUESTS = int(os.environ.get("ARENA_FUZZ_REQUESTS", "200"))
"""How many requests the server gets; 5,000 take a few minutes."""
OF_ONE_ADDRESS = 40
PATIENCE = 15.0
"""Seconds for a page that takes milliseconds, on a busy machine; each of the killers stops an unguarded server for good."""


class Attacker:
    """Sends games by every way that takes one, from an address of its own."""

    def __init__(self, server: Running, token: str, address: int) -> None:
        self._server, self._token = server, token
        self._source = (f"127.1.{address // 250}.{address % 250 + 1}", 0)

    def request(self, method: str, path: str, body: str = "", **headers: str) -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self._server.port, timeout=60, source_address=self._source)
        try:
            more = {"origin": self._server.address, "accept": "application/json"}
            connection.request(method, path, body.encode(), more | {key.replace("_", "-"): value for key, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.read().decode(errors="replace")
        finally:
            connection.close()

    def form(self, path: str, **fields: object) -> tuple[int, str]:
        body = urlencode(fields, doseq=True)
        return self.request("POST", path, body, content_type="application/x-www-form-urlencoded")

    def upload(self, game: str) -> tuple[int, str]:
        parts = {"name": "walker", "game": game, 'file"; filename="bot.py': "class Bot:\n    pass\n"}
        fields = [f'--x\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n' for key, value in parts.items()]
        more = {"content_type": "multipart/form-data; boundary=x", "authorization": f"Bearer {self._token}"}
        return self.request("POST", "/api/v1/submissions", "".join(fields) + "--x--\r\n", **more)

    def name(self, member: str, way: int) -> tuple[int, str]:
        game = f"openspiel:{member}"
        ways = (
            lambda: self.form("/play", game=game, seat=["me", "random"]),
            lambda: self.form("/play", game="openspiel", seat=["me", "random"], **{"openspiel.member": member}),
            lambda: self.form("/play", game=game, against="random"),
            lambda: self.upload(game),
            lambda: self.request("GET", f"/play?game={quote(game)}"),
            lambda: self.request("GET", f"/rules/{quote(game, safe='')}"),
            lambda: self.request("GET", f"/play/images/a.svg?game={quote(game)}"),
        )
        return ways[way % len(ways)]()


@pytest.mark.slow  # it starts a server, which gets hundreds of requests
def test_a_server_that_is_sent_games_with_absurd_parameters_answers_others_all_the_time(tmp_path: Path) -> None:
    db = tmp_path / "fuzzed.db"
    make_ladder(db)
    token = make_token(db)
    random = Random(26)
    options = ("--allow-play", "--allow-submissions", "--games", "tongiaki", "--games", LISTED)
    with running(db, *options) as server:
        before = server.memory()
        with visiting(server, "/api/v1/tournaments") as visits:
            for number in range(REQUESTS):
                member = KILLERS[number] if number < len(KILLERS) else game_string(random)
                way = 0 if number < len(KILLERS) else number
                status, text = Attacker(server, token, number // OF_ONE_ADDRESS).name(member, way)
                assert status in ({200, 422} if way % 7 == 4 else {404, 422, 429}), f"{member}: {status} {text[:300]}"
        assert visits.failed == 0
        assert max(visits.seconds) < PATIENCE
        assert server.memory() - before < 64
        status, _ = Attacker(server, token, 60_000).form("/play", game=LISTED, seat=["me", "random"])
        assert status == 303
        print(json.dumps({"requests": REQUESTS, "slowest": max(visits.seconds), "MiB more": server.memory() - before}))


@pytest.mark.slow  # some reach the limit of time
@pytest.mark.parametrize("member", KILLERS)
def test_a_host_can_list_no_game_that_would_end_or_stop_the_server(member: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path))
    with pytest.raises(OptionsError):
        OfferedGames([f"openspiel:{member}"])
