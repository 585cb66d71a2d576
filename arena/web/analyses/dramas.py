"""The drama of matches, for sorting them and for the match of the day; it is computed while nobody waits for an analysis.

Nothing runs without a request, and on average less than a tenth of a core is used; a server that has just started may use more at first.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from math import inf
from threading import Lock
from time import monotonic
from typing import Final

from fastapi import Request

from arena.analysis.drama import Drama
from arena.spec.spec import SpecError
from arena.web.analyses.analyses import SECONDS as SECONDS_OF_MATCH
from arena.web.analyses.analyses import Analyses, analyse_ahead
from arena.web.analyses.jobs import DramaAnswer, DramaJob, MatchJob
from arena.web.data.front import ShownMatch
from arena.web.data.queries import Queries
from engine.core import EngineError

SECONDS: Final = 4.0
"""CPU seconds that one job may take."""
SHARE: Final = 0.07
"""The share of a core that jobs use in the long run."""
SAVED: Final = 300.0
"""Seconds of that share that may be used at once."""
SEARCH_AGAIN: Final = 5.0
"""Seconds until the next search if no match could be analysed: going through many open blocks is slow."""
AT_ONCE: Final = 24
"""The number of matches in a job; those that it has no time for are queued again."""
KEPT: Final = 5000
_DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Highlight:
    """The most dramatic of some matches."""

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
        self._next = clock() - SAVED  # the time from which the share allows a job
        self._search: dict[int, float] = {}  # and from which those of a tournament are searched for one
        self._found = False  # whether the last search found a match to compute
        self._lock = Lock()

    def count_unknown(self, shown: Sequence[ShownMatch]) -> int:
        """Return how many of these matches have not been looked at."""
        with self._lock:
            return sum(each.listed.match.id not in self._known for each in shown)

    @property
    def is_computing(self) -> bool:
        """Whether some are being computed."""
        return bool(self._asked)

    @property
    def is_at_work(self) -> bool:
        """Whether some are being computed, or will be once other analyses are done or this one's rest is over."""
        rests = self._found and self._clock() < self._next
        return self.is_computing or rests or not self._analyses.is_idle

    def look(self, queries: Queries, shown: Sequence[ShownMatch]) -> dict[str, Drama]:
        """Return the known dramas of these matches, by id, and start to compute some of the others if nobody waits for an analysis."""
        with self._lock:
            self._collect()
            unknown = [each for each in shown if each.listed.match.id not in self._known]
            since = self._search.get(unknown[0].tournament.id, self._next) if unknown else inf
            if not self._asked and self._clock() >= max(self._next, since) and self._analyses.is_idle:
                self._ask(queries, unknown)
            known = {each.listed.match.id: self._known.get(each.listed.match.id) for each in shown}
        return {match: drama for match, drama in known.items() if drama is not None}

    def _collect(self) -> None:
        answer = self._analyses.find(self._asked)
        if isinstance(answer, DramaAnswer):
            self._known |= answer.dramas
            self._spend(answer.seconds)
        elif answer is not None:
            self._known |= dict.fromkeys(self._asked)  # it is not requested again and again
            self._spend(SECONDS)
        elif self._analyses.is_asked(self._asked):
            return
        self._asked = ()
        while len(self._known) > KEPT:
            self._known.popitem(last=False)

    def _spend(self, seconds: float) -> None:
        self._next = max(self._next, self._clock() - SAVED) + seconds / SHARE

    def _ask(self, queries: Queries, unknown: Sequence[ShownMatch]) -> None:
        """Queue the first of these matches whose replays may be shown."""
        wanted: list[str] = []
        for each in unknown:
            if len(each.listed.match.seats) == 1:
                self._known[each.listed.match.id] = None
                continue
            with suppress(SpecError, EngineError):
                if queries.is_block_over(each.tournament, each.listed.match):
                    wanted.append(each.listed.match.id)
            if len(wanted) == AT_ONCE:
                break
        ids = tuple(wanted)
        self._found = bool(ids)
        if ids and self._analyses.ask(ids, DramaJob(self._db, ids, SECONDS)):
            self._asked = ids
        else:
            self._search[unknown[0].tournament.id] = self._clock() + SEARCH_AGAIN


def most_dramatic(shown: Sequence[ShownMatch], dramas: dict[str, Drama]) -> Highlight | None:
    """Return the match with the highest drama, the newest of equals; None if no drama is known."""
    known = [Highlight(each, dramas[each.listed.match.id]) for each in shown if each.listed.match.id in dramas]
    return max(known, key=lambda each: each.drama.figure, default=None)


def match_of_the_day(shown: Sequence[ShownMatch], dramas: dict[str, Drama]) -> Highlight | None:
    """Return the most dramatic match of the newest day, a comeback if there was one; None if no drama is known."""
    newest = max((each.listed.finished for each in shown), default=None)
    today = [each for each in shown if newest is not None and newest - each.listed.finished < _DAY]
    comebacks = {match: drama for match, drama in dramas.items() if drama.is_comeback}
    return most_dramatic(today, comebacks) or most_dramatic(today, dramas)


def dramas_of(request: Request) -> Dramas:
    """Return the dramas of the request's application."""
    dramas: Dramas = request.app.state.dramas
    return dramas


def explain_ahead(request: Request, queries: Queries, highlight: Highlight | None) -> None:
    """Have a highlight analysed before its visitors ask why it was won, unless others may still take its place."""
    if highlight is not None and not dramas_of(request).is_computing:
        match = highlight.shown.listed.match.id
        with suppress(SpecError, EngineError):
            if queries.is_block_over(highlight.shown.tournament, highlight.shown.listed.match):
                analyse_ahead(request, match, lambda: MatchJob(queries.store.replay(match), SECONDS_OF_MATCH))
