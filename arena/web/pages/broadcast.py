"""The broadcast of a tournament: one finished match after the other, the most dramatic first, the same for everybody who watches.

Only matches whose block is over are shown, so that no deck is seen before all its matches are played. The server decides when each match
begins (of several servers, the one that plays the tables); nothing runs without a request.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse

from arena.web.analyses.dramas import Dramas
from arena.web.data.front import ShownMatch
from arena.web.data.names import ending_phrase
from arena.web.data.queries import Queries, queries_of
from arena.web.errors import NotFoundError
from arena.web.play.relayed import SharedRoute
from arena.web.rendering.replay_files import SCRIPTS
from arena.web.rendering.templates import render
from engine.text import figure
from leaderboard.storage.match_queries import DatedMatch, MatchFilter
from leaderboard.storage.store import StoredTournament

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse, route_class=SharedRoute)
ASK_AGAIN: Final = 15.0
"""Seconds after which a page asks again while there is nothing to show."""
LEAST_PACE: Final = 0.7
MOST_PACE: Final = 2.0
"""Seconds for which a decision is shown."""
USUAL_SECONDS: Final = 150.0
"""The duration of a match, if its pace allows it."""
PAUSE_SECONDS: Final = 12.0
"""The time for which the outcome is shown before the next match begins."""
_UNDER_WAY: Final = 1 / 3
"""The share of a match that is skipped if nobody was watching before: an empty board is not worth watching."""
_SEARCH_AGAIN: Final = timedelta(seconds=5)
"""The time until the next search if there was no match to show: going through many open blocks is slow."""
_REMEMBERED: Final = 100
_MOST_PAGES: Final = 4


@dataclass(frozen=True, slots=True)
class Showing:
    """A match on the air: when it began, and for how many seconds each decision is shown. ``ago`` is its age at that time."""

    listed: DatedMatch
    began: datetime
    pace: float
    ago: float

    @property
    def seconds(self) -> float:
        """The duration of the match itself, including the first position."""
        return self.pace * (self.listed.match.decisions + 1)

    def elapsed(self, now: datetime) -> float:
        """Return the seconds since it began."""
        return (now - self.began).total_seconds()

    def is_over(self, now: datetime) -> bool:
        """Whether its last position has been reached, so that the outcome may be shown."""
        return self.elapsed(now) >= self.seconds

    def left(self, now: datetime) -> float:
        """Return the seconds until the next change: the outcome, or the next match."""
        return self.seconds + PAUSE_SECONDS * self.is_over(now) - self.elapsed(now)


class Broadcasts:
    """The broadcasts of one server; its methods may be called from any thread. ``clock`` returns the present moment."""

    def __init__(self, queries: Queries, clock: Callable[[], datetime] = lambda: datetime.now(UTC), dramas: Dramas | None = None) -> None:
        self._queries = queries
        self._clock = clock
        self._dramas = dramas
        self._showing: dict[int, Showing] = {}
        self._shown: dict[int, deque[str]] = {}
        self._nothing: dict[int, datetime] = {}
        self._lock = Lock()

    def now(self, tournament: StoredTournament) -> tuple[Showing | None, datetime]:
        """Return the match being shown and the current time, or None while there is nothing to show. Raises SpecError."""
        moment = self._clock()
        with self._lock:
            current = self._showing.get(tournament.id)
            if current is not None and current.elapsed(moment) < current.seconds + PAUSE_SECONDS:
                return current, moment
            searched = self._nothing.get(tournament.id)
            if searched is not None and moment - searched < _SEARCH_AGAIN:
                return None, moment
            listed = self._next(tournament)
            if listed is None:
                self._nothing[tournament.id] = moment
                return None, moment
            self._shown.setdefault(tournament.id, deque(maxlen=_REMEMBERED)).append(listed.match.id)
            pace = round(min(max(USUAL_SECONDS / max(listed.match.decisions, 1), LEAST_PACE), MOST_PACE), 3)
            ago = max((moment - listed.finished).total_seconds(), 0.0)
            is_watched = current is not None and current.left(moment) > -ASK_AGAIN
            begun = timedelta(seconds=0 if is_watched else _UNDER_WAY * pace * listed.match.decisions)
            showing = self._showing[tournament.id] = Showing(listed, moment - begun, pace, ago)
            return showing, moment

    def _next(self, tournament: StoredTournament) -> DatedMatch | None:
        """Return the most dramatic of the newest matches that may be seen and were not shown lately; the newest if no drama is known.

        If all were shown, it is the one shown longest ago.
        """
        shown = self._shown.get(tournament.id, ())
        seen: dict[str, DatedMatch] = {}
        after: str | None = None
        for _ in range(_MOST_PAGES):
            page = self._queries.matches(tournament, MatchFilter(), after)
            seen |= {each.match.id: each for each in page.matches if each.match.id in shown}
            fresh = [each for each in page.matches if each.match.id not in seen and self._queries.is_block_over(tournament, each.match)]
            if fresh:
                return self._most_dramatic(tournament, fresh)
            after = page.after
            if after is None:
                break
        return next((seen[match] for match in shown if match in seen), None)

    def _most_dramatic(self, tournament: StoredTournament, matches: list[DatedMatch]) -> DatedMatch:
        known = {} if self._dramas is None else self._dramas.look(self._queries, [ShownMatch(tournament, each) for each in matches])
        return max(
            matches, key=lambda each: known[each.match.id].figure if each.match.id in known else -1
        )  # among equals the first, which is the newest


def in_words(seconds: float) -> str:
    """Return how long ago something was, in words."""
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            number = round(seconds / size)
            return f"{number} {unit}{'' if number == 1 else 's'} ago"
    return "less than a minute ago"


def _tournament(request: Request, name: str) -> StoredTournament:
    if request.app.state.settings.is_static:
        raise NotFoundError("A site of files has no broadcast.")
    return queries_of(request).tournament(name)


def _message(showing: Showing | None, moment: datetime, game: str) -> dict[str, object]:
    """Return the data for showing the match; its outcome only once it is over."""
    if showing is None:
        return {"match": None, "outcome": None, "left": ASK_AGAIN}
    match = showing.listed.match
    is_over = showing.is_over(moment)
    ranked = sorted(match.seats, key=lambda seat: seat.rank)
    return {
        "match": match.id,
        "players": [seat.bot for seat in match.seats],
        "started": round(showing.elapsed(moment), 2),
        "pace": round(showing.pace, 3),
        "left": round(max(showing.left(moment), 0.0), 2),
        "played": in_words(showing.ago),
        "outcome": [f"{seat.bot}: {figure(seat.score)}" for seat in ranked] if is_over else None,
        "ending": ending_phrase(match.end, game) if is_over else None,
    }


@router.get("/t/{name}/live")
def live(request: Request, name: str) -> Response:
    """Show the match on the air at its current position; until there is one, the newest match with its board covered."""
    tournament, queries = _tournament(request, name), queries_of(request)
    broadcasts: Broadcasts = request.app.state.broadcasts
    message = _message(*broadcasts.now(tournament), tournament.game)
    newest = None if message["match"] else next(iter(queries.matches(tournament, MatchFilter()).matches), None)
    values = {"message": message, "state": queries.state(tournament), "newest": newest}
    headers = {"cache-control": "no-store"}  # the page begins at the match's current position
    return render(request, "broadcast.html", status=200, headers=headers, tournament=tournament, scripts=SCRIPTS, **values)


@router.get("/t/{name}/live.json")
def live_now(request: Request, name: str) -> Response:
    """Return the match on the air and the seconds since it began; with its outcome once it has ended."""
    broadcasts: Broadcasts = request.app.state.broadcasts
    tournament = _tournament(request, name)
    return JSONResponse(_message(*broadcasts.now(tournament), tournament.game), headers={"cache-control": "no-store"})
