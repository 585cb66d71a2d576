"""The drama of matches, for sorting them and for the comeback of the day; it is computed while nobody waits for an analysis.

Nothing runs without a request, and on average less than a tenth of a core is used.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from threading import Lock
from time import monotonic
from typing import Final

from fastapi import Request

from arena.analysis.drama import Drama
from arena.spec.spec import SpecError
from arena.web.analyses.analyses import Analyses
from arena.web.analyses.jobs import DramaAnswer, DramaJob
from arena.web.data.front import ShownMatch
from arena.web.data.queries import Queries
from engine.core import EngineError

SECONDS: Final = 4.0
"""CPU seconds that one job may take."""
REST: Final = 60.0
"""Seconds from one job to the next."""
SEARCH_AGAIN: Final = 5.0
"""Seconds until the next search if no match could be analysed: going through many open blocks is slow."""
AT_ONCE: Final = 24
"""The number of matches in a job; those that it has no time for are queued again."""
KEPT: Final = 5000
LEAST_COMEBACK: Final = 0.2
"""The highest chance from which a win is a comeback."""
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Comeback:
    """A match that was won from far behind."""

    shown: ShownMatch
    drama: Drama


class Dramas:
    """The dramas of one server; its methods may be called from any thread. ``clock`` returns seconds."""

    def __init__(self, analyses: Analyses, db: str, clock: Callable[[], float] = monotonic) -> None:
        self._analyses = analyses
        self._db = db
        self._clock = clock
        self._known: OrderedDict[str, Drama | None] = OrderedDict()
        self._asked: tuple[str, ...] = ()
        self._next = 0.0
        self._found = False  # whether the last search found a match to compute
        self._lock = Lock()

    @property
    def is_at_work(self) -> bool:
        """Whether some are being computed, or will be once other analyses are done or this one's rest is over."""
        rests = self._found and self._clock() < self._next
        return bool(self._asked) or rests or not self._analyses.is_idle

    def look(self, queries: Queries, shown: Sequence[ShownMatch]) -> dict[str, Drama]:
        """Return the known dramas of these matches, by id, and start to compute some of the others if nobody waits for an analysis."""
        with self._lock:
            self._collect()
            if not self._asked and self._clock() >= self._next and self._analyses.is_idle:
                self._ask(queries, [each for each in shown if each.listed.match.id not in self._known])
            known = {each.listed.match.id: self._known.get(each.listed.match.id) for each in shown}
        return {match: drama for match, drama in known.items() if drama is not None}

    def _collect(self) -> None:
        answer = self._analyses.find(self._asked)
        if isinstance(answer, DramaAnswer):
            self._known |= answer.dramas
        elif answer is not None:
            self._known |= dict.fromkeys(self._asked)  # it is not requested again and again
        elif self._analyses.is_asked(self._asked):
            return
        self._asked = ()
        while len(self._known) > KEPT:
            self._known.popitem(last=False)

    def _ask(self, queries: Queries, unknown: Sequence[ShownMatch]) -> None:
        """Queue the first of these matches whose replays may be shown."""
        wanted: list[str] = []
        for each in unknown:
            with suppress(SpecError, EngineError):
                if len(each.listed.match.seats) > 1 and queries.is_block_over(each.tournament, each.listed.match):
                    wanted.append(each.listed.match.id)
            if len(wanted) == AT_ONCE:
                break
        ids = tuple(wanted)
        self._found = bool(ids)
        if ids and self._analyses.ask(ids, DramaJob(self._db, ids, SECONDS)):
            self._asked, self._next = ids, self._clock() + REST
        elif unknown:
            self._next = self._clock() + SEARCH_AGAIN


def comeback_of(shown: Sequence[ShownMatch], dramas: dict[str, Drama]) -> Comeback | None:
    """Return the match of the newest day that was won from the lowest chance; None if none was won from far behind."""
    if not shown:
        return None
    newest = max(each.listed.finished for each in shown)
    today = [each for each in shown if each.listed.match.id in dramas and newest - each.listed.finished < _DAY]
    best = min(today, key=lambda each: dramas[each.listed.match.id].low, default=None)
    if best is None or dramas[best.listed.match.id].low > LEAST_COMEBACK:
        return None
    return Comeback(best, dramas[best.listed.match.id])


def dramas_of(request: Request) -> Dramas:
    """Return the dramas of the request's application."""
    dramas: Dramas = request.app.state.dramas
    return dramas
