"""What happened lately in a database, by the clock of whoever asks; and runs, which leave no trace in results or seals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import insert
from sqlmodel import col, update

from engine.records import Fault, FaultKind
from leaderboard.errors import StoreError
from leaderboard.records import ClockStep, Ending, WorkerRecord
from leaderboard.storage import activity
from leaderboard.storage.activity import Activity, BotFaults, NewestSeal, find_activity, find_newest, find_seals
from leaderboard.storage.store import Store, StoredTournament
from leaderboard.storage.submissions import QueueCount, QueueLimits, Upload, add_upload, claim, count_waiting, queue
from leaderboard.storage.tables import Match, SealLink
from leaderboard.storage.tournaments import Run, runs, write_run
from tests.leaderboard.conftest import MakeResult, entered, execute, fold_of
from tests.people import person
from tests.rows import changed

Play = Callable[..., list[str]]
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
CRASH = Fault(FaultKind.CRASH, 3, "no")
SLOW = Fault(FaultKind.MOVE_TIMEOUT, 4, "slow")


@pytest.fixture
def play(store: Store, tournament: StoredTournament, make_result: MakeResult) -> Play:
    """Stores matches that are so many seconds old; ``faults`` are of their seats."""
    return lambda *ages, **more: add(store, more.pop("tournament", tournament), make_result, ages, **more)


def add(
    store: Store,
    tournament: StoredTournament,
    make_result: MakeResult,
    ages: Sequence[float],
    *,
    bots: Sequence[str] = ("ann", "bob"),
    faults: Sequence[Fault | None] | None = None,
) -> list[str]:
    ids = [f"{tournament.id}-{at}-{age}-{bots[0]}" for at, age in enumerate(ages)]
    store.add_results(tournament, [make_result(each, bots, range(1, len(bots) + 1), faults=faults) for each in ids])
    with store.writing() as connection:
        for match, age in zip(ids, ages, strict=True):
            connection.execute(update(Match).where(col(Match.id) == match).values(finished=NOW - timedelta(seconds=age)))
    return ids


class TestNewest:
    def test_of_nothing(self, store: Store) -> None:
        assert find_newest(store) is None
        assert find_activity(store, NOW) == Activity(NOW - timedelta(hours=1), 0, ())

    def test_the_newest_match_may_be_in_the_future(self, store: Store, play: Play) -> None:
        play(5, -7200)
        assert find_newest(store) == NOW + timedelta(hours=2)


class TestActivity:
    def test_faults_of_the_last_hour_by_bot_and_kind(self, store: Store, play: Play, tournament: StoredTournament) -> None:
        other = entered(store, "other")
        play(10, 20, faults=[CRASH, None])
        play(30, bots=("bob", "ann"), faults=[None, SLOW])
        play(40, 50)
        play(7000, 8000, faults=[None, CRASH])
        play(60, tournament=other, faults=[None, SLOW])
        found = find_activity(store, NOW)
        assert found.matches == 6
        assert found.faults == (
            BotFaults("trial", "ann", 5, 3, {"crash": 2, "move timeout": 1}),
            BotFaults("other", "bob", 1, 1, {"move timeout": 1}),
        )

    def test_of_a_very_quick_run_the_newest_matches(self, store: Store, play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(activity, "MOST_MATCHES", 10)
        play(*range(100), faults=[CRASH, None])
        found = find_activity(store, NOW)
        assert (found.matches, found.since) == (10, NOW - timedelta(seconds=10))
        assert found.faults[0].matches == 10


class TestSeals:
    def test_the_newest_seal_of_each_tournament(self, store: Store, play: Play, tournament: StoredTournament) -> None:
        execute(store, "DELETE FROM seal_link")
        play(10, 20)
        store.seal(tournament, fold_of([]), "digest", is_final=False)
        play(5, bots=("cid", "dan"))
        entered(store, "later")
        later, first = find_seals(store)
        assert (later.tournament, later.played, later.number, later.matches) == ("later", 0, 1, 0)
        assert (first.tournament, first.played, first.number, first.matches) == ("trial", 3, 1, 2)
        assert (first.is_final, first.is_signed) == (False, False)

    def test_a_tournament_whose_seals_are_gone(self, store: Store, tournament: StoredTournament) -> None:
        execute(store, "DELETE FROM seal_link")
        assert find_seals(store) == (NewestSeal("trial", 0, 0),)

    def test_a_damaged_seal(self, store: Store, tournament: StoredTournament) -> None:
        with store.writing() as connection:
            connection.execute(insert(SealLink).values(tournament_id=tournament.id, number=4, digest="x", body="{}"))
        assert find_seals(store) == (NewestSeal("trial", 0, 4),)


class TestRuns:
    @staticmethod
    def run(tournament: StoredTournament) -> Run:
        return Run(
            tournament_id=tournament.id, host="node", process=17, place="2 processes", began=NOW, seen=NOW + timedelta(seconds=9),
            matches=12,
            workers=(WorkerRecord("node:18", 7, NOW), WorkerRecord("node:19", 5, NOW)), step=ClockStep(NOW, -3600.5),
        )  # fmt: skip

    def test_a_run_comes_back_as_it_was(self, store: Store, tournament: StoredTournament) -> None:
        write_run(store, self.run(tournament))
        assert runs(store) == {"trial": self.run(tournament)}
        ended = changed(self.run(tournament), host="other", workers=(), step=None, ending=Ending.PAUSED, reason="slow")
        write_run(store, ended)
        assert runs(store) == {"trial": ended}

    def test_the_run_with_the_last_sign_of_life_comes_first(self, store: Store, tournament: StoredTournament) -> None:
        write_run(store, self.run(tournament))
        write_run(store, changed(self.run(entered(store, "later")), seen=NOW + timedelta(days=1)))
        assert list(runs(store)) == ["later", "trial"]

    def test_a_run_changes_no_seal(self, store: Store, play: Play, tournament: StoredTournament) -> None:
        play(10)
        store.seal(tournament, fold_of([]), "digest", is_final=False)
        sealed = store.sealed(tournament.id)
        write_run(store, self.run(tournament))
        assert sealed is not None
        assert store.sealed(tournament.id) == sealed

    @pytest.mark.parametrize(
        ("column", "value"), [("workers", "[[1"), ("workers", "[1]"), ("ending", "sunk"), ("workers", '[["a", 1, 1e99]]')]
    )
    def test_a_damaged_row_is_one_sentence(self, store: Store, tournament: StoredTournament, column: str, value: str) -> None:
        write_run(store, self.run(tournament))
        execute(store, f"UPDATE run SET {column} = '{value}'")  # noqa: S608  # our own
        with pytest.raises(StoreError, match=r"the table of runs in .* is damaged: "):
            runs(store)


def test_what_waits_to_be_checked(store: Store) -> None:
    assert count_waiting(store) == QueueCount(0, 0, None)
    for number, author in enumerate(("Ana", "Ben", "Eve")):
        upload = Upload(id=f"u{number}", author=person(store, author), name="bot", ladder="", game="tongiaki", size=1)
        add_upload(store, upload, b"x", QueueLimits(9, 9, 99, per_hour=9))
    assert claim(store, queue(store)[0].number) is not None
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
