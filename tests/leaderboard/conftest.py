"""What tests of the leaderboard share: results that nobody played, and databases to put them in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.records import Fault, MatchResult, SeatResult, Ticket, pack_replay
from leaderboard.ratings.fold import Fold, Folded, RatingParameters, entry_of
from leaderboard.storage.store import Entrant, Store, StoredTournament
from tests.postgres import Server

MakeResult = Callable[..., MatchResult]
BOTS = ("ann", "bob", "cid", "dan")


@pytest.fixture
def make_result() -> MakeResult:
    """A result of bots with these ranks and scores; the replay is any text."""
    return result_of


def result_of(
    match: str,
    bots: Sequence[str],
    ranks: Sequence[int],
    *,
    scores: Sequence[int] | None = None,
    faults: Sequence[Fault | None] | None = None,
    block: int = 0,
    replay: str | None = None,
) -> MatchResult:
    """A result of bots with these ranks and scores; the replay is any text."""
    scores = scores or [10 - rank for rank in ranks]
    faults = faults or [None] * len(bots)
    seats = tuple(
        SeatResult(bot, score, rank, fault, 3 + number, 0.25 * (number + 1))
        for number, (bot, score, rank, fault) in enumerate(zip(bots, scores, ranks, faults, strict=True))
    )
    ticket = Ticket(match, tuple(sorted(bots)), block, 1, tuple(bots), 2**53 - 1, block_key=2**53 - 1)
    return MatchResult(ticket, seats, "waters", 40, 1.5, pack_replay(replay or f"the replay of {match} ✓"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where this test's database is."""
    return tmp_path / "results.db"


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest) -> str:
    """Where this test's database is: in a file, and again on a server."""
    if request.param == "sqlite":
        return str(request.getfixturevalue("path"))
    server: Server = request.getfixturevalue("postgres")
    return server.new_database()


@pytest.fixture
def store(place: str) -> Iterator[Store]:
    """A new database, open for a run."""
    with Store.create(place) as made:
        yield made


def execute(store: Store, statement: str) -> list[tuple[Any, ...]]:
    """Run a statement of the test's own on the database; gives the rows, if there are any."""
    with store.writing() as connection:
        result = connection.exec_driver_sql(statement)
        return [tuple(row) for row in result] if result.returns_rows else []


def count(store: Store, table: str) -> int:
    """How many rows the table has."""
    [(number,)] = execute(store, f"SELECT count(*) FROM {table}")  # noqa: S608  # our own tables
    return int(number)


@pytest.fixture
def tournament(store: Store) -> StoredTournament:
    """A tournament of four bots in it."""
    return entered(store)


def entered(store: Store, name: str = "trial", bots: Sequence[str] = BOTS) -> StoredTournament:
    """A tournament of these bots in the database."""
    return store.add_tournament(name, "tongiaki", 7, "{}", 100, [Entrant(bot, f"digest of {bot}", f"{bot}.py") for bot in bots])


def fold_of(results: Sequence[MatchResult], bots: Sequence[str] = BOTS) -> Folded:
    """What the results come to in this order."""
    fold = Fold({bot: f"digest of {bot}" for bot in bots}, RatingParameters())
    for index, result in enumerate(results):
        fold.add(index, entry_of(result))
    return fold.take()
