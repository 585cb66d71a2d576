"""Heartbeats of a run: every few seconds, its driver stores how many matches it has played and when each worker last answered.

They are for the host; no result, rating or seal depends on them.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from time import monotonic
from typing import Final

from arena.play.executors.base import Executor
from engine.text import one_line
from leaderboard.errors import StoreError
from leaderboard.records.running import ClockStep, Ending, WorkerRecord
from leaderboard.records.stored import StoredTournament
from leaderboard.storage.activity import Run, write_run
from leaderboard.storage.store import Store

BEAT_SECONDS: Final = 5.0
STEP_SECONDS: Final = 2.0
"""Tolerance in seconds between the clock and the time elapsed since the last heartbeat; a larger difference means that the clock was set or
that the machine slept."""


def _now() -> datetime:
    return datetime.now(UTC)


class Heartbeat:
    """Stores heartbeats of a run of this process, the first one immediately.

    A heartbeat that can't be stored is skipped; it neither delays nor ends the run.
    """

    def __init__(
        self,
        store: Store,
        tournament: StoredTournament,
        executor: Executor,
        *,
        clock: Callable[[], float] = monotonic,
        now: Callable[[], datetime] = _now,
    ) -> None:
        self._store = store
        self._executor = executor
        self._clock = clock
        self._now = now
        self._last = clock()
        began = now()
        self._run = Run(
            tournament_id=tournament.id, host=socket.gethostname(), process=os.getpid(), place=executor.description, began=began, seen=began
        )
        self._write()

    def note(self, matches: int) -> None:
        """Note how many matches the run has played, and store a heartbeat if the last one is old enough."""
        self._run.matches = matches
        if self._clock() - self._last >= BEAT_SECONDS:
            self._beat()

    def end(self, ending: Ending, reason: str = "") -> None:
        """Store how the run ended, and why if it should have gone on."""
        self._run.ending, self._run.reason = ending, one_line(reason)
        self._beat()

    def _beat(self) -> None:
        passed, self._last = self._clock() - self._last, self._clock()
        now = self._now()
        run, workers = self._run, self._executor.workers
        step = (now - run.seen).total_seconds() - passed
        run.place, run.seen = self._executor.description, now
        run.step = ClockStep(now, step) if abs(step) > STEP_SECONDS else run.step
        run.workers = tuple(WorkerRecord(each.name, each.answers, datetime.fromtimestamp(each.seen, UTC)) for each in workers)
        self._write()

    def _write(self) -> None:
        with suppress(StoreError):
            write_run(self._store, self._run)
