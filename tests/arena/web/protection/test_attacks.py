"""A server that is attacked goes on: uploads that cost much to read, connections that ask nothing, tables and streams taken by one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlencode

import httpx2
import pytest

from bots.loader.version import BotVersion, pack
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import submit
from tests.arena.web.hosting import served, settings_for, upload
from tests.arena.web.running import Running, can_be_ordinary, running, visiting
from tests.hostile.uploads import ATTACKS
from tests.world import person

pytestmark = pytest.mark.slow  # it waits until the server gives up on slow visitors

PATIENCE = 15.0
"""Seconds for a page that takes milliseconds, on a busy machine; a server that an attack stops is still for a minute and more."""
WHO = ["as it is", *(["as an ordinary user"] if can_be_ordinary() else [])]


@pytest.fixture
def own(db: Path, tmp_path: Path) -> Path:
    """A database of its own for a server with tables, since one server at a time plays those of a database."""
    return Path(shutil.copy(db, tmp_path / "own.db"))


@pytest.fixture(scope="module", params=WHO)
def server(request: pytest.FixtureRequest, db: Path) -> Iterator[Running]:
    with running(db, "--allow-play", "--allow-submissions", as_ordinary=request.param != "as it is") as found:
        yield found


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_upload_that_costs_much_to_read_is_refused_and_pages_are_as_fast(server: Running, token: str, attack: str) -> None:
    ending, make, words = ATTACKS[attack]
    content = make()
    before = server.memory()
    with visiting(server) as visits, ExitStack() as stack:
        answer = upload(stack.enter_context(httpx2.Client(base_url=server.address, timeout=120)), token, "walker", content, f"bot{ending}")
    assert server.memory() - before < 64
    assert visits.failed == 0
    assert max(visits.seconds) < PATIENCE
    assert [answer.status_code, answer.json()["fields"][0]["field"]] == [422, "file"]
    assert words in answer.json()["error"]
    assert "/" not in answer.json()["error"]


def test_a_forwarded_address_is_believed_of_named_proxies_alone(own: Path) -> None:
    def tries(server: Running) -> set[int]:
        form = {"content-type": "application/x-www-form-urlencoded"}
        body = urlencode([("game", "tongiaki"), ("seat", "me"), ("seat", "person")])
        senders = ({**form, "x-forwarded-for": f"192.0.2.{number}"} for number in range(1, 11))
        return {httpx2.post(f"{server.address}/play", content=body, headers=each, timeout=60).status_code for each in senders}

    with running(own, "--allow-play") as server:
        assert tries(server) == {303, 429}
    with running(own, "--allow-play", "--proxy", "127.0.0.1", "--host-name", "arena.example") as server:
        assert tries(server) == {303}
        assert server.get("/", Host="arena.example:443") == 200


def test_one_visitor_and_one_address_take_only_their_share_of_tables(server: Running) -> None:
    body = {"game": "tongiaki", "seat": ["me", "person"]}
    with httpx2.Client(base_url=server.address, timeout=60) as browser:
        codes = [browser.post("/play", data=body).status_code for _ in range(4)]
    assert codes == [303, 303, 429, 429]
    codes = [httpx2.post(f"{server.address}/play", data=body, timeout=60).status_code for _ in range(12)]
    assert codes.count(303) == 6
    assert set(codes) == {303, 429}


def test_the_memory_of_bots_at_tables_is_bounded(own: Path) -> None:
    code = "class Bot:\n    def start(self, info):\n        self.x = [bytearray(b'x' * (1 << 20)) for _ in range(300)]\n"
    code += "    def choose(self, view, clock):\n        return view.legal_moves[0]\n"
    version = pack(BotVersion("eater", "0" * 64, "eater.py", "Bot", code))
    with Store.join(own) as store:
        submit(store, "eater", "0" * 64, person(store, "Eve"), version)
    with served(settings_for(own, allow_play=True, play_memory=1500 << 20)) as address:
        body = {"game": "tongiaki", "seat": ["me", "eater@1", "eater@1"]}
        codes = [httpx2.post(f"{address}/play", data=body, timeout=60).status_code for _ in range(4)]
        assert codes == [303, 503, 503, 503]
        assert httpx2.post(f"{address}/play", data=body | {"seat": ["me", *["eater@1"] * 4]}, timeout=60).status_code == 422


def test_one_address_takes_only_its_share_of_streams(server: Running) -> None:
    table = httpx2.post(f"{server.address}/play", data={"game": "tongiaki", "seat": ["me", "person"]}, timeout=60)
    path = table.headers.get("location", "/t/league")
    started = []
    with ExitStack() as stack, visiting(server) as visits:
        connections = [stack.enter_context(server.connect()) for _ in range(60)]
        for connection in connections:
            connection.sendall(f"GET {path}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        for connection in connections:
            started.append(connection.recv(100).split(b" ")[1])
        assert 24 <= started.count(b"200") < 48  # on a slow machine some have ended before the last are asked for
        assert started.count(b"200") + started.count(b"503") == 60
    assert visits.failed == 0


def test_what_is_wrong_with_the_storage_is_told_to_the_host_alone(db: Path, tmp_path: Path) -> None:
    mine = tmp_path / "secret-place.db"
    mine.write_bytes(db.read_bytes())
    with running(mine) as server:
        mine.unlink()
        for leftover in tmp_path.glob("*-wal"):
            leftover.unlink()
        mine.write_bytes(b"no database at all" * 1000)
        answers = [
            httpx2.get(f"{server.address}{path}?{os.urandom(4).hex()}", timeout=60)
            for path in ("/t/league/matches", "/bots", "/api/v1/bots")
        ]
        assert {answer.status_code for answer in answers} <= {503, 200}
        assert 503 in {answer.status_code for answer in answers}
        assert all("secret-place" not in answer.text and str(tmp_path) not in answer.text for answer in answers)
        assert "secret-place" in server.log.read_text()
