"""Nothing that one process commits is lost or unseen, whatever another one does with the same SQLite database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from arena.entries.bot_resolution import find_bots
from arena.play.executors.base import InlineExecutor
from arena.run.runner import run_tournament
from arena.spec.spec import make_spec
from leaderboard.storage.store import Store
from tests.arena.two_processes import SPEC, Worker, attack


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Worker]:
    """A process that writes to a database with a match."""
    db = tmp_path / "cup.db"
    spec = make_spec(SPEC | {"schedule": {"tables": [2]}}, "cup.toml")
    with Store.create(db) as store:
        run_tournament(spec, find_bots(spec, Path(), store), store, InlineExecutor())
    with closing(Worker(db)) as found:
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


@pytest.mark.slow  # it starts and kills processes
def test_no_row_is_lost_and_none_is_unseen(tmp_path: Path) -> None:
    arena = attack(tmp_path, 8)
    assert arena.kills > 4
    assert len(arena.rows) > 8
