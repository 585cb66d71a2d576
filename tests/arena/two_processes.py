"""Two processes on one SQLite database: one writes and reads in every way that the program knows, the other starts and ends runs.

Both are killed at random, and nothing that was committed may be lost or unseen. A round is a run that begins, some work beside it, an end
of the run, and a look at everything by a third process; ``python -c "from tests.arena.two_processes import main; main(200)"`` takes 200.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import closing, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from itertools import count
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random
from time import monotonic, sleep
from typing import Any

from starlette.testclient import TestClient
from typer.testing import CliRunner

from arena.cli.app import app
from arena.entries.bot_resolution import find_bots
from arena.play.executors.base import InlineExecutor
from arena.run.runner import run_tournament
from arena.spec.spec import make_spec
from arena.web.app import make_app
from arena.web.pages.live import snapshot
from leaderboard.errors import StoreError
from leaderboard.storage.human_matches import add_human_match, find_human_match
from leaderboard.storage.people import people
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import submissions, submit
from tests.arena.web.hosting import settings_for
from tests.arena.web.visits import Visit
from tests.database_files import locks, watch
from tests.leaderboard.conftest import result_of
from tests.people import new_token, person

CUP = "cup"
ROUNDS_OF_ONE = 10
"""Rounds with one database, so that none grows so long that looking at it takes the time."""
MOST_MATCHES = 20
"""Matches that a run plays."""
SPEC = {"name": CUP, "game": "tongiaki", "seed": 7, "bots": ["random", "greedy"], "schedule": {"tables": [2], "blocks": 2000}}
PAGES = (
    "/",
    "/tournaments",
    "/help",
    "/bots",
    f"/t/{CUP}",
    f"/t/{CUP}/matches",
    f"/t/{CUP}/status",
    f"/t/{CUP}/ratings",
    f"/t/{CUP}/faults",
)
COMMANDS = (
    "leaderboard {db}",
    "matches {db}",
    "status {db}",
    "stats {db}",
    "faults {db}",
    "bots list --db {db}",
    "people list --db {db}",
    "people link Rua --db {db}",
    "export {db} --json",
    "export {db} --bundle {folder}/cup.zip",
    "export {db} --seals {folder}/seals",
    "verify {folder}/cup.zip --interim",
    "verify {db} --interim",
    "verify {db} --expect {db}",
    "verify {db} --key {db}",
    "site {db} {folder}/site --no-replays",
    "replay {db}",
    "export {db} --bundle {db}",
    "match --game tongiaki random {db} --isolation none",
    "run {db} --db {db}",
    "doctor {db}",
)
"""What is asked on a command line, mistakes included; the last seven name the database where it doesn't belong."""


class Worker:
    """Writes to a database that it keeps open, and reads it with the server's pages and the commands of the program."""

    def __init__(self, db: Path, names: str = "") -> None:
        self.db = db
        self._names = names
        self._folder = Path(tempfile.mkdtemp(dir=db.parent))
        self._store = Store.join(db)
        self._client = TestClient(make_app(settings_for(db, analyses=True, requests_per_minute=10**6)))
        self._made = 0

    def close(self) -> None:
        self._client.app.state.tables.close()  # type: ignore[attr-defined]
        self._store.close()

    def token(self) -> str:
        self._made += 1
        new_token(self._store, f"{self._names}{self._made}")
        return f"token {self._names}{self._made}"

    def submission(self) -> str:
        self._made += 1
        name = f"bot-{self._names}{self._made}".lower()
        submit(self._store, name, f"digest of {name}", person(self._store, "Ana"), b"content")
        return f"submission {name}"

    def human_match(self) -> str:
        self._made += 1
        match = f"{self._names}{self._made}"
        with Store.join(self.db) as store:
            add_human_match(store, result_of(match, ["ann", "bob"], [1, 2], replay='{"game": "tongiaki"}'), ("", ""))
        return f"match {match}"

    def pages(self) -> str:
        for page in PAGES:
            answer = self._client.get(page)
            assert answer.status_code == 200, (page, answer.status_code, answer.text)
        return ""

    def live(self) -> str:
        state = self._client.app.state  # type: ignore[attr-defined]
        snapshot(state.queries, state.settings, state.queries.tournament(CUP))
        return ""

    def upload(self) -> str:
        token = new_token(self._store, "uploader")
        files = {"file": ("walker.py", b"import nothing_of_the_kind\n")}
        self._client.post("/api/v1/submissions", headers={"authorization": f"Bearer {token}"}, files=files, data={"name": "walker"})
        return ""

    def table(self) -> str:
        Visit(self._client).make("me", "random").move()
        self._client.app.state.tables._store.flush(10)  # type: ignore[attr-defined]
        return ""

    def analysis(self) -> str:
        tournament = self._store.tournament(CUP)
        assert tournament is not None
        [match] = self._store.recent_matches(tournament, limit=1)
        self._client.post(f"/m/{match.id}/analysis.json", headers={"accept": "application/json"})
        return ""

    def command(self, line: str) -> str:
        words = line.format(db=self.db, folder=self._folder).split()
        done = CliRunner().invoke(app, words)
        assert done.exit_code in {0, 1, 2, 5}, (words, done.output)
        assert done.exception is None or isinstance(done.exception, SystemExit), (words, done.exception)
        assert "waiting for the database" not in done.output
        return ""

    def matches(self) -> str:
        tournament = self._store.tournament(CUP)
        assert tournament is not None
        return f"matches {self._store.count_matches(tournament)}"

    def calls(self) -> dict[str, Callable[[], str]]:
        """Everything it can do, by name."""
        own = (self.token, self.submission, self.human_match, self.pages, self.live, self.upload, self.table, self.analysis)
        return {each.__name__: each for each in own} | {line: lambda line=line: self.command(line) for line in COMMANDS}

    def state(self) -> tuple[list[str], list[str]]:
        """Which locks it has on the database while nothing else goes on, and which of its open files are deleted."""
        opened = [f"/proc/self/fd/{each}" for each in os.listdir("/proc/self/fd")]  # noqa: PTH208
        links = [os.readlink(each) for each in opened if os.path.lexists(each)]  # noqa: PTH115
        return locks(self.db), [each for each in links if each.startswith(str(self.db)) and each.endswith("(deleted)")]


def play(db: Path) -> None:
    """Run the tournament until it is told to end, or has played a few matches."""
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    asked = count()
    spec = make_spec(SPEC, "cup.toml")
    with Store.create(db) as store:
        run_tournament(
            spec,
            find_bots(spec, Path(), store),
            store,
            InlineExecutor(),
            is_stopping=lambda: stopping.is_set() or next(asked) >= MOST_MATCHES,
        )


def _work(db: Path, names: str, line: Connection) -> None:
    """Do what the line says, and answer with the row that was written and committed, if any."""
    watch()
    with redirect_stdout(StringIO()), closing(Worker(db, names)) as worker:
        calls = worker.calls() | {"matches": worker.matches}
        line.send("ready")
        while (order := line.recv()) is not None:
            try:
                row = calls[order]()
                problem = f"files are deleted: {deleted}" if (deleted := worker.state()[1]) else ""
            except Exception as error:  # noqa: BLE001  # whatever it is, the test fails with it
                row, problem = "", f"{order}: {error!r}"
            line.send((row, problem))


@dataclass
class Arena:
    """The processes and all rows that have been reported as committed."""

    folder: Path
    random: Random
    number: int = 0
    rows: set[str] = field(default_factory=set)
    played: int = 0
    kills: int = 0

    def __post_init__(self) -> None:
        self._context = get_context("forkserver")
        self._context.set_forkserver_preload([__name__])
        self._worker: BaseProcess | None = None
        self._line: Any = None
        self._started = 0

    @property
    def db(self) -> Path:
        return self.folder / f"{self.number}.db"

    def new_database(self) -> None:
        self.end_worker()
        self.number, self.rows, self.played = self.number + 1, set(), 0
        Store.create(self.db).close()
        run = self._start(play, self.db)
        until = monotonic() + 120
        while not self._count():
            assert monotonic() < until, "no match was played"
            sleep(0.05)
        run.terminate()
        run.join(60)

    def round(self) -> None:
        """One run beside the worker."""
        if self._worker is None or self.random.random() < 0.05:
            self.end_worker()
            self._started += 1
            self._line, other = self._context.Pipe()
            self._worker = self._start(_work, self.db, f"w{self._started}x", other)
            assert self._line.poll(120), "the worker did not start"
            self._line.recv()
        run = self._start(play, self.db)
        names = [*Worker.calls(Worker.__new__(Worker))]
        for _ in range(self.random.randint(2, 5)):
            common = self.random.random() < 0.8
            self.order(self.random.choice(["token", "submission", "human_match", "pages", "live"] if common else names))
        sleep(self.random.random() * 0.3)
        if self.random.random() < 0.7:
            run.kill()
            self.kills += 1
        else:
            run.terminate()
        run.join(60)
        assert run.exitcode in {0, -signal.SIGKILL}, f"the run ended with {run.exitcode}"
        self.check()
        self.order("token")  # as the first commit after another process has closed the database
        if self.random.random() < 0.1:
            self.end_worker()
        self.check()

    def order(self, name: str) -> None:
        """Have the worker do something; what it reports is committed."""
        assert self._worker is not None
        self._line.send(name)
        assert self._line.poll(200), f"{name}: no answer"
        row, problem = self._line.recv()
        assert not problem, problem
        if row.startswith("matches "):
            assert row == f"matches {self._count()}", row
        elif row:
            self.rows.add(row)

    def check(self) -> None:
        """Look at the database as a third process, and compare with what is known."""
        with Store.read(self.db) as store:
            found = {f"token {each.name}" for each in people(store)} | {f"submission {each.name}" for each in submissions(store)}
            found |= {row for row in self.rows if row.startswith("match ") and find_human_match(store, row.removeprefix("match "))}
        assert self.rows <= found, f"lost: {sorted(self.rows - found)}"
        played = self._count()
        assert played >= self.played, f"{self.played - played} matches were lost"
        self.played = played
        if self._worker is not None:
            self.order("matches")

    def _count(self) -> int:
        try:
            with Store.read(self.db) as store:
                tournament = store.tournament(CUP)
                return 0 if tournament is None else store.count_matches(tournament)
        except StoreError:
            return 0

    def _start(self, target: Callable[..., None], *arguments: object) -> Any:
        process = self._context.Process(target=target, args=arguments, daemon=True)
        process.start()
        return process

    def end_worker(self) -> None:
        """Kill the worker; all that it has reported has to be there."""
        if self._worker is not None:
            self._worker.kill()
            self._worker.join(60)
            self._worker = None
            self.kills += 1


def attack(folder: Path, rounds: int, seed: int = 0) -> Arena:
    """Take so many rounds; raise AssertionError if anything is lost or unseen."""
    arena = Arena(folder, Random(seed))
    try:
        for number in range(rounds):
            if number % ROUNDS_OF_ONE == 0:
                arena.new_database()
            arena.round()
            if rounds > ROUNDS_OF_ONE:
                sys.stderr.write(f"round {number + 1}: {len(arena.rows)} rows, {arena.played} matches, {arena.kills} kills\n")
    finally:
        arena.end_worker()
    return arena


def main(rounds: int, seed: int = 0) -> None:
    """Take many rounds in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        attack(Path(folder), rounds, seed)
