"""Nothing that the program does with a SQLite database drops the locks by which other processes know of it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from arena.cli.app import app
from arena.web.app import make_app
from arena.web.pages.tournaments import snapshot
from benchmarks.web_data import add_human_match
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import submit
from tests.arena.running import play_tournament
from tests.arena.web.hosting import settings_for
from tests.arena.web.visits import Visit
from tests.database_files import locks
from tests.leaderboard.conftest import result_of
from tests.world import new_token, person

CUP = "cup"
SPEC = f'name = "{CUP}"\ngame = "tongiaki"\nseed = 7\nbots = ["random", "greedy"]\n[schedule]\ntables = [2]\n'
PAGES = (
    "/",
    "/tournaments",
    "/help",
    "/bots",
    f"/t/{CUP}",
    f"/t/{CUP}/matches",
    f"/t/{CUP}/about",
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
    "export --db {db} --bundle {folder}/cup.arena",
    "export --db {db} --seals {folder}/seals",
    "verify {folder}/cup.arena --interim",
    "verify {db} --interim",
    "verify {db} --expect {db}",
    "verify {db} --key {db}",
    "site {db} {folder}/site --no-replays",
    "replay {db}",
    "export --db {db} --bundle {db}",
    "match --game tongiaki random {db} --isolation none",
    "run {db} --db {db}",
    "doctor {db}",
)
"""What is asked on a command line, mistakes included; the last seven name the database where it doesn't belong."""


class Worker:
    """Writes to a database that it keeps open, and reads it with the server's pages and the commands of the program."""

    def __init__(self, db: Path) -> None:
        self.db = db
        self._folder = Path(tempfile.mkdtemp(dir=db.parent))
        self._store = Store.join(db)
        self._client = TestClient(make_app(settings_for(db, analyses=True, requests_per_minute=10**6))).__enter__()
        self._made = 0

    def close(self) -> None:
        self._client.__exit__()
        self._store.close()

    def token(self) -> None:
        self._made += 1
        new_token(self._store, str(self._made))

    def submission(self) -> None:
        self._made += 1
        name = f"bot-{self._made}".lower()
        submit(self._store, name, f"digest of {name}", person(self._store, "Ana"), b"content")

    def human_match(self) -> None:
        self._made += 1
        match = str(self._made)
        with Store.join(self.db) as store:
            add_human_match(store, result_of(match, ["ann", "bob"], [1, 2], replay='{"game": "tongiaki"}'))

    def pages(self) -> None:
        for page in PAGES:
            answer = self._client.get(page)
            assert answer.status_code == 200, (page, answer.status_code, answer.text)

    def live(self) -> None:
        state = self._client.app.state  # type: ignore[attr-defined]
        snapshot(state.queries, state.settings, state.queries.tournament(CUP))

    def upload(self) -> None:
        token = new_token(self._store, "uploader")
        files = {"file": ("walker.py", b"import nothing_of_the_kind\n")}
        self._client.post("/api/v1/submissions", headers={"authorization": f"Bearer {token}"}, files=files, data={"name": "walker"})

    def table(self) -> None:
        Visit(self._client).make("me", "random").move()

    def analysis(self) -> None:
        tournament = self._store.tournament(CUP)
        assert tournament is not None
        [match] = self._store.recent_matches(tournament, limit=1)
        self._client.post(f"/m/{match.id}/analysis.json", headers={"accept": "application/json"})

    def command(self, line: str) -> None:
        words = line.format(db=self.db, folder=self._folder).split()
        done = CliRunner().invoke(app, words)
        assert done.exit_code in {0, 1, 2, 5}, (words, done.output)
        assert done.exception is None or isinstance(done.exception, SystemExit), (words, done.exception)
        assert "the database is unavailable" not in done.output

    def calls(self) -> dict[str, Callable[[], None]]:
        """Everything it can do, by name."""
        own = (self.token, self.submission, self.human_match, self.pages, self.live, self.upload, self.table, self.analysis)
        return {each.__name__: each for each in own} | {line: lambda line=line: self.command(line) for line in COMMANDS}

    def state(self) -> tuple[list[str], list[str]]:
        """Which locks it has on the database while nothing else goes on, and which of its open files are deleted."""
        opened = [f"/proc/self/fd/{each}" for each in os.listdir("/proc/self/fd")]  # noqa: PTH208
        links = [os.readlink(each) for each in opened if os.path.lexists(each)]  # noqa: PTH115
        return locks(self.db), [each for each in links if each.startswith(str(self.db)) and each.endswith("(deleted)")]


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Worker]:
    """A process that writes to a database with a match."""
    with closing(Worker(play_tournament(tmp_path / "cup.db", SPEC))) as found:
        yield found


@pytest.mark.slow  # it does everything that the program can do with a database
@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="only Linux says which locks a process has")
def test_nothing_that_the_program_does_drops_a_lock(worker: Worker) -> None:
    worker.token()
    before, deleted = worker.state()
    assert (len(before), deleted) == (2, [])
    for name, call in worker.calls().items():
        call()
        held, deleted = worker.state()
        assert set(before) <= set(held), name
        assert deleted == [], name
