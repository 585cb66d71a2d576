"""What many tests need: stored tournaments, people and submissions in a database, changed rows, and waiting for something.

One tournament of each format is played once for the whole test run, and copied for each test that asks: ``stored(name)`` of the fixture
``stored`` gives a test a database of its own; ``stored.shared(name)`` is for tests that only read.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from math import inf
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final, TypeVar

import pytest
from sqlmodel import SQLModel

from leaderboard.storage.people import PersonError, find_person, ids_of, make_token
from leaderboard.storage.sqlite import take_lock
from leaderboard.storage.store import Store, StoredTournament
from leaderboard.storage.submissions import QueueLimits, Submission, claim, enqueue, queue

RowT = TypeVar("RowT", bound=SQLModel)
ROOM: Final = QueueLimits(100, 1000, 10**9, 1000)
"""Limits of a queue that no test reaches."""
THREE: Final = ("random", "greedy", "spoiler")
STORED: Final[Mapping[str, Mapping[str, Any]]] = {
    "round-robin": {"game": "tongiaki", "schedule": {"tables": [2, 3], "blocks": 2, "seats": "rotations"}},
    "gauntlet": {"game": "tongiaki", "schedule": {"format": "gauntlet", "tables": [2], "challengers": ["spoiler"]}},
    "swiss": {"game": "tongiaki", "schedule": {"format": "swiss", "tables": [2], "rounds": 2}},
    "knockout": {"game": "tongiaki", "schedule": {"format": "knockout", "tables": [2]}},
    "ladder": {"game": "tongiaki", "schedule": {"format": "ladder", "tables": [2], "rounds": 2}},
    "sunda": {"game": "sunda", "options": {"level": 1}, "bots": ["random", "greedy"], "schedule": {"tables": [2]}},
}
"""What the file of each tournament says besides its name, its seed, and the bots ``random``, ``greedy`` and ``spoiler``."""
SEED: Final = 7


class StoredTournaments:
    """Databases that each hold one tournament of ``STORED``, named as there; each is played when it is first asked for."""

    def __init__(self, made: Path, copies: Path) -> None:
        self._made = made
        self._copies = copies

    def __call__(self, name: str, to: Path | None = None) -> Path:
        """Return a copy that the test may change: ``to``, or else ``<name>.db`` in the test's own folder."""
        return Path(shutil.copy(self.shared(name), to or self._copies / f"{name}.db"))

    def shared(self, name: str) -> Path:
        """Return the database that all tests read and none may write to."""
        path = self._made / f"{name}.db"
        with locked(f"{path}.made.lock"):
            if not path.exists():
                part = path.with_suffix(".part")
                play_stored(name, part)
                part.rename(path)  # closed, so that nothing is left beside it
        return path


def play_stored(name: str, path: Path) -> None:
    """Play a tournament of ``STORED`` in this process, its result into a new database."""
    from arena.play.executors.base import InlineExecutor
    from arena.run.runner import run_tournament
    from arena.spec.spec import make_spec

    spec = make_spec({"name": name, "seed": SEED, "bots": list(THREE), **STORED[name]}, name)
    with Store.create(path) as store:
        run_tournament(spec, store=store, executor=InlineExecutor())


@contextmanager
def locked(path: str) -> Iterator[None]:
    """Hold the lock of that name, which other workers of pytest wait for."""
    unlock = take_lock(path, 0o600, inf)
    assert unlock is not None
    try:
        yield
    finally:
        unlock()


def folder_of_run(factory: pytest.TempPathFactory, name: str) -> Path:
    """Return a folder that all workers of this test run share, for what is made once; take a lock (``locked``) to make it."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / name
    folder.mkdir(exist_ok=True)
    return folder


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder of that name in which ``make`` has made files, once for all workers of this test run, which may not change them."""
    folder = folder_of_run(factory, name)
    with locked(f"{folder}.lock"):
        if not (done := folder / "done").exists():
            make(folder)
            done.touch()
    return folder


@pytest.fixture
def stored(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> StoredTournaments:
    """Stored tournaments by name (``tests.world.STORED``).

    ``stored("swiss")`` is the path of a database of the test's own, a copy with the Swiss played to its end; ``stored.shared("swiss")`` is
    that of all tests, to be read only. They are played at most once in a test run, whatever the number of workers.
    """
    return StoredTournaments(folder_of_run(tmp_path_factory, "stored-tournaments"), tmp_path)


@pytest.fixture
def stored_store(stored: StoredTournaments, request: pytest.FixtureRequest) -> Iterator[Store]:
    """The shared database of the round-robin, or of the tournament that ``indirect`` names, open for reading."""
    with Store.read(stored.shared(getattr(request, "param", "round-robin"))) as store:
        yield store


def tournament_of(store: Store, name: str | None = None) -> StoredTournament:
    """Return the stored tournament of that name, or the newest, which is there."""
    tournament = store.tournament(name)
    assert tournament is not None
    return tournament


def person(store: Store, name: str) -> str:
    """The id of a person, who is added if the store is open for writing and has nobody of that name."""
    try:
        return find_person(store, name).id
    except PersonError:
        return ids_of(store, [name])[name]


def new_token(store: Store, name: str) -> str:
    """A new token of a person, which ends the one before."""
    return make_token(store, person(store, name))


def changed(row: RowT, **changes: Any) -> RowT:
    """A copy of a row with changes, which belongs to no session."""
    return type(row)(**{name: getattr(row, name) for name in type(row).model_fields} | changes)


def sent(store: Store, author: str, name: str = "bot", content: bytes = b"content", limits: QueueLimits = ROOM, **more: Any) -> Submission:
    """Store a submission of that author."""
    new = Submission(**{"name": name, "author": person(store, author), "digest": "0" * 64, "game": "tongiaki"} | more)
    enqueue(store, new, content, limits)
    return new


def claimed(store: Store, which: int = 0) -> Submission:
    """One of those without a verdict, which is being checked from now on."""
    found = queue(store)[which]
    claim(store, found)
    return found


def wait_for(condition: Callable[[], object], seconds: float = 60, *, pause: float = 0.02) -> None:
    """Wait until it is so; fail after so many seconds, which are more than any machine takes for it."""
    end = monotonic() + seconds
    while not condition():
        assert monotonic() < end, f"it did not come about within {seconds:g} s"
        sleep(pause)
