"""What happened lately in a database, by the clock of whoever asks; and runs, which leave no trace in results or seals."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlmodel import col, update

from leaderboard.errors import StoreError
from leaderboard.records import Ending
from leaderboard.storage.activity import NewestSeal, count_since, find_seal
from leaderboard.storage.store import Store, StoredTournament
from leaderboard.storage.submissions import QueueCount, count_waiting
from leaderboard.storage.tables import Match
from leaderboard.storage.tournaments import Run, runs, write_run
from tests.leaderboard.conftest import MakeResult, entered, execute, fold_of
from tests.rows import changed
from tests.submitted import claimed, sent

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def store_matches(store: Store, tournament: StoredTournament, make_result: MakeResult, *ages: int) -> None:
    """Store matches that are so many seconds old."""
    ids = [f"m{age}" for age in ages]
    store.add_results(tournament, [make_result(each, ["ann", "bob"], [1, 2]) for each in ids])
    with store.writing() as connection:
        for match, age in zip(ids, ages, strict=True):
            connection.execute(update(Match).where(col(Match.id) == match).values(finished=NOW - timedelta(seconds=age)))


def test_matches_since_a_moment(store: Store, tournament: StoredTournament, make_result: MakeResult) -> None:
    assert count_since(store, NOW) == 0
    store_matches(store, tournament, make_result, 10, 50, 61, 7000)
    assert count_since(store, NOW - timedelta(seconds=60)) == 2


class TestSeals:
    def test_the_newest_seal(self, store: Store, tournament: StoredTournament, make_result: MakeResult) -> None:
        execute(store, "DELETE FROM seal_link")
        assert find_seal(store, tournament.id) == NewestSeal(0)
        store_matches(store, tournament, make_result, 10, 20)
        store.seal(tournament, fold_of([]), "digest", is_final=False)
        found = find_seal(store, tournament.id)
        assert (found.number, found.matches, found.is_final, found.is_signed) == (1, 2, False, False)
        assert found.time is not None


class TestRuns:
    @staticmethod
    def run(tournament: StoredTournament) -> Run:
        return Run(
            tournament_id=tournament.id, host="node", process=17, place="2 processes", began=NOW, seen=NOW + timedelta(seconds=9),
            matches=12,
        )  # fmt: skip

    def test_a_run_comes_back_as_it_was(self, store: Store, tournament: StoredTournament) -> None:
        write_run(store, self.run(tournament))
        assert runs(store) == {"trial": self.run(tournament)}
        ended = changed(self.run(tournament), host="other", ending=Ending.PAUSED, reason="slow")
        write_run(store, ended)
        assert runs(store) == {"trial": ended}

    def test_the_run_with_the_last_sign_of_life_comes_first(self, store: Store, tournament: StoredTournament) -> None:
        write_run(store, self.run(tournament))
        write_run(store, changed(self.run(entered(store, "later")), seen=NOW + timedelta(days=1)))
        assert list(runs(store)) == ["later", "trial"]

    def test_a_damaged_row_is_one_sentence(self, store: Store, tournament: StoredTournament) -> None:
        write_run(store, self.run(tournament))
        execute(store, "UPDATE run SET ending = 'sunk'")
        with pytest.raises(StoreError, match=r"the table of runs in .* is damaged: "):
            runs(store)


def test_what_waits_to_be_checked(store: Store) -> None:
    assert count_waiting(store) == QueueCount(0, 0, None)
    for author in ("Ana", "Ben", "Eve"):
        sent(store, author)
    claimed(store)
    found = count_waiting(store)
    assert (found.waiting, found.checking) == (2, 1)
    assert found.oldest is not None
    assert abs(datetime.now(UTC) - found.oldest) < timedelta(minutes=10)


def test_the_room_of_a_database(store: Store, path: Path) -> None:
    space = store.space()
    assert space.used > 10_000
    if path.exists():
        assert space.free is not None
        assert space.total is not None
        assert 0 < space.free < space.total
    else:
        assert (space.free, space.total) == (None, None)
