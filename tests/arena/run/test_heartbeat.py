"""Heartbeats that a run stores: how often, how it ended, and clocks that jump; they change nothing that a run ends with."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from arena.play.executors.base import HostError
from arena.run import watch as module
from arena.run.watch import BEAT_SECONDS, Heartbeat
from leaderboard.errors import DatabaseUnavailableError, DiskFullError, StoreError
from leaderboard.records import Ending
from leaderboard.storage.store import Store
from leaderboard.storage.tournaments import Run, runs
from tests.arena.fakes import FakeExecutor
from tests.arena.format_plans import plan
from tests.arena.formats.test_rounds import Hasty, run
from tests.arena.running import stop_after
from tests.rows import changed
from tests.stored import StoredTournaments, tournament_of

BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC)


@dataclass
class Clocks:
    """A clock that goes evenly, and one on the wall."""

    passed: float = 0.0
    wall: datetime = BEGAN
    written: list[Run] = field(default_factory=list)

    def go(self, seconds: float) -> None:
        self.passed += seconds
        self.wall += timedelta(seconds=seconds)


@pytest.fixture
def clocks() -> Clocks:
    return Clocks()


@pytest.fixture
def beating(stored: StoredTournaments, clocks: Clocks, monkeypatch: pytest.MonkeyPatch) -> Heartbeat:
    """A heartbeat that writes into ``clocks.written``."""
    with Store.read(stored.shared("ladder")) as store:
        monkeypatch.setattr(module, "write_run", lambda _store, run: clocks.written.append(changed(run)))
        return Heartbeat(store, tournament_of(store), FakeExecutor(), clock=lambda: clocks.passed, now=lambda: clocks.wall)


class TestBeats:
    def test_a_sign_is_stored_every_few_seconds(self, beating: Heartbeat, clocks: Clocks) -> None:
        heartbeat = beating
        for number in range(1, 31):
            clocks.go(0.5)
            heartbeat.note(number)
        assert [each.matches for each in clocks.written] == [0, 10, 20, 30]
        assert [each.seen for each in clocks.written] == [BEGAN + timedelta(seconds=BEAT_SECONDS * at) for at in range(4)]
        assert all(each.began == BEGAN and each.ending is Ending.OPEN for each in clocks.written)

    @pytest.mark.parametrize("error", [DatabaseUnavailableError, DiskFullError])
    def test_no_run_ends_because_one_can_not_be_stored(
        self, beating: Heartbeat, monkeypatch: pytest.MonkeyPatch, error: type[StoreError]
    ) -> None:
        def refuse(*_arguments: object) -> None:
            raise error("no")

        monkeypatch.setattr(module, "write_run", refuse)
        beating.end(Ending.STOPPED)


class TestRuns:
    def test_of_a_run_that_was_stopped_and_then_completed(self, tmp_path: Path) -> None:
        path = tmp_path / "t.db"
        run(plan(4), path, is_stopping=stop_after(5))
        assert self.ending(path) == ("plan", 5, Ending.STOPPED, "")
        run(plan(4), path)
        assert self.ending(path) == ("plan", 7, Ending.COMPLETE, "")

    def test_of_a_run_whose_machine_failed(self, tmp_path: Path) -> None:
        def fail(_ticket: object) -> bool:
            raise HostError("no cluster")

        with pytest.raises(HostError):
            run(plan(4), tmp_path / "t.db", Hasty(spoil=fail))
        assert self.ending(tmp_path / "t.db") == ("plan", 0, Ending.FAILED, "no cluster")

    @staticmethod
    def ending(path: Path) -> tuple[str, int, Ending, str]:
        with Store.read(path) as store:
            [(name, found)] = runs(store).items()
        return name, found.matches, found.ending, found.reason
