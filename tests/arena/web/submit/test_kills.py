"""A server is killed again and again while it takes and checks bots: each that it answered for gets its verdict, and gets it once."""

from __future__ import annotations

import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import httpx2
import pytest

from arena.tournament import stored_spec
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import submissions, versions
from tests.arena.web.hosting import BOT, LADDER, execute, make_ladder, make_token, upload
from tests.arena.web.running import ROOT
from tests.world import tournament_of, wait_for

pytestmark = pytest.mark.slow

SERVERS = """
import os, signal, socket, sys
from arena.web.serving import make_server
from arena.web.settings import CheckSettings, WebSettings
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in sys.stdin:
    if os.fork() == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        listener = socket.create_server(("127.0.0.1", 0))
        checks = CheckSettings(poll=0.05, pauses=(0.0,))
        server = make_server(WebSettings(sys.argv[1], allow_submissions=True, analyses=False, checks=checks, uploads_per_hour=10**6))
        print(listener.getsockname()[1], os.getpid(), flush=True)
        server.run([listener])
        os._exit(0)
"""
"""Starts a server, as a fork of a process that has imported everything, for each line that it reads."""
LOG = (
    "CREATE TABLE verdicts (id TEXT, state TEXT)",
    "CREATE TRIGGER judged AFTER UPDATE OF state ON submission WHEN new.state IN ('accepted', 'refused')"
    " BEGIN INSERT INTO verdicts VALUES (new.id, new.state); END",
)
CRASHER = b"class Bot:\n    def choose(self, view, clock):\n        raise ValueError('storm')\n"
SLOW = b"import time\nclass Bot:\n    def choose(self, view, clock):\n        time.sleep(0.01)\n        return view.legal_moves[0]\n"


def content(number: int) -> tuple[str, bytes, str]:
    """A file, its content, and what becomes of it."""
    mark = f"\n# {number}\n".encode()
    kinds = [("bot.py", BOT + mark), ("bot.py", CRASHER + mark), ("bot.py", SLOW + mark)]
    return *kinds[number % 3], "refused" if number % 3 == 1 else "accepted"


@contextmanager
def servers_of(db: Path) -> Iterator[subprocess.Popen[str]]:
    """The process that starts servers of a database, and ends with the block."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", SERVERS, str(db)]
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process


@contextmanager
def server(starter: subprocess.Popen[str]) -> Iterator[tuple[str, int]]:
    """The address and the process of a new server, which is killed at the end."""
    assert starter.stdin is not None
    assert starter.stdout is not None
    starter.stdin.write("\n")
    starter.stdin.flush()
    port, pid = map(int, starter.stdout.readline().split())
    try:
        yield f"http://127.0.0.1:{port}", pid
    finally:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def post(address: str, token: str, number: int) -> str | None:
    """Send an upload; return its id if it was taken and the answer came."""
    filename, data, _ = content(number)
    name = "".join("aeghkprtuy"[int(digit)] for digit in str(number))  # letters that look like nothing else
    with suppress(httpx2.HTTPError), httpx2.Client(base_url=address, timeout=60) as client:
        answer = upload(client, token, f"bot-x{name}", data, filename, ladder=LADDER)
        if answer.status_code == 202:
            return str(answer.json()["id"])
    return None


def test_each_upload_gets_its_verdict_once_however_often_servers_are_killed(tmp_path: Path) -> None:
    db, chance = tmp_path / "league.db", random.Random(7)
    make_ladder(db)
    tokens = [make_token(db, f"author {number}") for number in range(12)]
    execute(db, *LOG)
    expected: dict[str, str] = {}
    sent = 0
    with servers_of(db) as servers:
        for _ in range(8):
            with server(servers) as (address, pid), ThreadPoolExecutor(3) as pool:
                batch = range(sent, sent := sent + (chance.randrange(3) if sent else 4))  # first one of each kind
                found = [(number, pool.submit(post, address, tokens[number % 12], number)) for number in batch]
                if not batch.start or chance.random() < 0.7:  # else it is killed while it takes them
                    wait(done for _, done in found)
                time.sleep(chance.uniform(0.0, 2.5))
                os.kill(pid, signal.SIGKILL)
                expected |= {taken: content(number)[2] for number, done in found if (taken := done.result()) is not None}
        with server(servers), Store.read(db) as store:
            wait_for(lambda: all(each.is_over for each in submissions(store)), 300, pause=0.5)
            judged = {each.id: each for each in submissions(store)}
            kept = Counter(each.name for each in versions(store))
            entered = Counter(bot.source for bot in stored_spec(tournament_of(store, LADDER)).bots)
    with closing(sqlite3.connect(db)) as connection:
        verdicts = Counter(each for (each,) in connection.execute("SELECT id FROM verdicts"))
    assert {each: judged[each].state.value for each in expected} == expected
    assert set(verdicts.values()) <= {1}
    assert set(kept.values()) <= {1}
    assert {label: count for label, count in entered.items() if count != 1} == {}
    assert {judged[each].label for each, state in expected.items() if state == "accepted"} <= set(entered)
    assert not [each for each in judged.values() if re.search("exactly the same|taken", each.reason)]
    states = Counter(each.state.value for each in judged.values())
    assert states["accepted"] >= 3
    assert states["refused"] >= 1
