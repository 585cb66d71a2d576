"""Watches a run: stores heartbeats, and pauses the run if most bots fail or become slow.

Every few seconds, a run stores how many matches it has played, for the host; no result, rating or seal depends on that. If most bots fail
or become slow, the cause is more likely the machine than the bots. The checks change neither the matches nor their results, so a run that
does not pause gives the same results with any number of workers.
"""

from __future__ import annotations

import os
import socket
from collections import Counter, deque
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic
from typing import Final

from arena.play.executors.base import Executor, HostError
from bots.clock import load
from engine.records import MatchResult
from engine.text import one_line
from leaderboard.errors import StoreError
from leaderboard.records import Ending, StoredTournament
from leaderboard.storage.store import Store
from leaderboard.storage.tournaments import Run, write_run

BEAT_SECONDS: Final = 5.0


def _now() -> datetime:
    return datetime.now(UTC)


class Heartbeat:
    """Stores the heartbeats of this process's run, the first one immediately.

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
        """Store how the run ended and, if it ended early, why."""
        self._run.ending, self._run.reason = ending, one_line(reason)
        self._beat()

    def _beat(self) -> None:
        self._last = self._clock()
        self._run.place, self._run.seen = self._executor.description, self._now()
        self._write()

    def _write(self) -> None:
        with suppress(StoreError):
            write_run(self._store, self._run)


WINDOW: Final = 20
"""The number of latest matches that are judged together."""
PACE_SECONDS: Final = 60.0
"""The shortest time for which matches must be slow before the run pauses."""
PACE: Final = 10
"""A bot is slow when its decisions take this many times as long as before."""
_FEWEST: Final = 2
"""The least number of affected bots that pauses a run."""
_AGAIN: Final = "Check the machine ('arena doctor') and run the same command again; to go on regardless, add --go-on-anyway"


class PausedError(HostError):
    """The run has paused; the message says why, and how to continue. The results that ``Health`` held back are not stored."""

    exit_code = 6


class Health:
    """Filters results: holds back those of failing bots until the machine is known not to be at fault.

    A match in which a bot failed is held back until ``WINDOW`` more matches have ended, so that it is not rated if the run pauses in the
    meantime. Other matches are never held back.
    """

    def __init__(self, *, clock: Callable[[], float] = monotonic) -> None:
        self._window: deque[MatchResult] = deque()
        self._faulty = 0
        self._held: dict[str, MatchResult] = {}
        self._pace = _Pace(clock)

    def take(self, result: MatchResult) -> list[MatchResult]:
        """Return the results that may be stored by now. Raises PausedError."""
        may_be_stored: list[MatchResult] = []
        self._window.append(result)
        if _is_faulty(result):
            self._faulty += 1
            self._held[result.ticket.id] = result
        else:
            may_be_stored.append(result)
        if len(self._window) > WINDOW:
            oldest = self._window.popleft()
            self._faulty -= _is_faulty(oldest)
            if (held := self._held.pop(oldest.ticket.id, None)) is not None:
                may_be_stored.append(held)
        if len(self._window) == WINDOW and self._faulty > WINDOW // 2:
            self._check_faults()
        self._pace.add(result)
        return may_be_stored

    def holds(self, matches: Collection[str]) -> bool:
        """Whether the results of all these matches are held back."""
        return self._held.keys() >= set(matches)

    def release(self) -> list[MatchResult]:
        """Return the results held back; call this after the last match."""
        held, self._held = list(self._held.values()), {}
        return held

    def _check_faults(self) -> None:
        seats = [seat for match in self._window for seat in match.seats]
        played = Counter(seat.bot for seat in seats)
        failed = Counter(seat.bot for seat in seats if seat.fault is not None)
        failing = [bot for bot in played if failed[bot] > played[bot] / 2]
        if len(failing) < _FEWEST or len(failing) <= len(played) / 2:
            return
        kinds = Counter(seat.fault.kind.value for seat in seats if seat.fault is not None)
        counts = ", ".join(f"{number} x {kind}" for kind, number in kinds.most_common())
        raise PausedError(
            f"the run has paused, since {len(failing)} of {len(played)} bots failed in most of the last {WINDOW} matches ({counts}; "
            f"{load()}). These matches are not stored and will be played again. {_AGAIN}"
        )


def _is_faulty(result: MatchResult) -> bool:
    return any(seat.fault is not None for seat in result.seats)


@dataclass(slots=True)
class _Time:
    seconds: float = 0.0
    decisions: int = 0

    def add(self, seconds: float, decisions: int) -> None:
        self.seconds += seconds
        self.decisions += decisions

    def each(self) -> float:
        return self.seconds / self.decisions if self.decisions else 0.0


class _Pace:
    """Compares each bot's time per decision with its earlier times; the length of matches and the opponents don't matter."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._began = clock()
        self._matches = 0
        self._before: dict[str, _Time] = {}
        self._now: dict[str, _Time] = {}

    def add(self, result: MatchResult) -> None:
        """Count a match. Raises PausedError if most bots have been slow for long enough."""
        self._matches += 1
        for seat in result.seats:
            self._now.setdefault(seat.bot, _Time()).add(seat.seconds, seat.decisions)
        if self._matches < WINDOW or self._clock() - self._began < PACE_SECONDS:
            return
        known = [bot for bot in self._now if bot in self._before and self._now[bot].decisions and self._before[bot].each() > 0]
        slow = [bot for bot in known if self._now[bot].each() > PACE * self._before[bot].each()]
        if len(slow) >= _FEWEST and len(slow) > len(known) / 2:
            raise PausedError(
                f"the run has paused, since {len(slow)} of {len(known)} bots took more than {PACE} times as long for a decision in the "
                f"last {self._matches} matches as before ({load()}). Matches played so far are stored, except those among the last "
                f"{WINDOW} in which a bot failed. {_AGAIN}"
            )
        for bot, time in self._now.items():
            self._before.setdefault(bot, _Time()).add(time.seconds, time.decisions)
        self._now.clear()
        self._matches, self._began = 0, self._clock()
