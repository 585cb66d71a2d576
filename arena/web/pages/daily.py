"""The position of the day: the decision that gave away most in some matches of the last day before it, and how many visitors do better."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import partial
from threading import Lock
from time import monotonic
from typing import Annotated, Final

import msgspec
from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import HTMLResponse
from limits import RateLimitItemPerDay

from arena.spec.spec import SpecError
from arena.web.analyses.analyses import BUSY, SECONDS, Analyses, analyses_of, answer_or_progress
from arena.web.analyses.jobs import Answer, Failure, MatchAnswer, MatchJob
from arena.web.data.queries import Queries, queries_of
from arena.web.errors import NotFoundError, UnusableError
from arena.web.pages.matches import shared_of
from arena.web.play.moments import ChosenMove, answer_with, check_analyses, margin_of, moment_view, verdict_on
from arena.web.play.seats import key_digest
from arena.web.prefix import site_url
from arena.web.protection.rate_limits import address_of, from_here, rate_limits
from arena.web.rendering.sharing import SharedReplay
from arena.web.rendering.templates import render
from arena.web.viewer.schema import Analysis
from engine.core import EngineError
from engine.replay.format import read_replay
from leaderboard.errors import StoreError
from leaderboard.records.stored import StoredMatch
from leaderboard.storage.daily import add_answer, asked_on, has_answered, share_of
from leaderboard.storage.match_queries import matches_of_last_day
from leaderboard.storage.store import Store

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
CANDIDATES: Final = 6
"""The number of matches from which a position is chosen; each is analysed."""
COUNTED: Final = RateLimitItemPerDay(20)
"""The most first answers that are counted from one address."""
COOKIE: Final = "daily"
REST: Final = 10 * SECONDS
"""Seconds from one analysis to the next that nobody waits for, so that they use less than a tenth of a core."""
_LOOKED_AT: Final = 100
_SECONDS: Final = 30 * 86400
_SECRET: Final = re.compile("[A-Za-z0-9_-]{32}")
_DAY: Final = timedelta(days=1)
_NO_STORE: Final = {"cache-control": "no-store"}
Analyse = Callable[[str, Callable[[], MatchJob]], Answer | str]
"""Returns the answer to the job of a match, or its progress in words."""


@dataclass(frozen=True, slots=True)
class Position:
    """Decision ``at`` of a match that may be seen, with its analysis."""

    match: StoredMatch
    at: int
    analysis: Analysis


class Preparation:
    """Has the matches of today's position analysed before anybody asks for it: one every ``REST`` seconds, while no analysis is wanted.

    Nothing runs without a request; its methods may be called from any thread. ``clock`` returns seconds.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._next = 0.0
        self._lock = Lock()

    def look(self, request: Request) -> None:
        """Start the next analysis that is missing, if it is time."""
        analyses = analyses_of(request)
        with self._lock:
            if self._clock() < self._next or not analyses.is_idle:
                return
            self._next = self._clock() + REST
        _choose(request, _today(request), partial(_start, analyses))


def _start(analyses: Analyses, match: str, job: Callable[[], MatchJob]) -> Answer | str:
    """Return the answer of an analysis, which is queued if there is none."""
    if (answer := analyses.find(match)) is not None:
        return answer
    analyses.ask(match, job())
    return "it begins now"


@router.get("/daily")
def daily(request: Request, day: Annotated[str, Query(max_length=40)] = "") -> Response:
    """Show the position of a day, today's by default; the analyses that it needs are started."""
    wanted = _read(request, day)
    found = _choose(request, wanted)
    places, name, margin, back, card, explore = list[int](), "", "", "", "", ""
    if isinstance(found, Position):
        shared = shared_of(request, found.match)
        replay = read_replay(shared.read())
        places, name, back = [found.at], shared.names[replay.decisions[found.at].seat], site_url(request, shared.page)
        margin = margin_of(found.analysis, replay.scores)
        card, explore = (site_url(request, f"{shared.path}/{each}") for each in (f"card?at={found.at}", "explore"))
    answer = render(
        request,
        "daily.html",
        headers=_NO_STORE,
        address=site_url(request, f"/daily/{wanted}"),
        day=wanted,
        before=wanted - _DAY,
        after=wanted + _DAY if wanted < _today(request) else None,
        places=places,
        name=name,
        margin=margin,
        back=back,
        card=card,
        explore=explore,
        share=_told(request, wanted) if places else "",
        progress=found if isinstance(found, str) else "",
        sentence=found.sentence if isinstance(found, Failure) else "",
    )
    if places and not _visitor(request):
        path, secure = site_url(request, "/daily"), request.url.scheme == "https"
        answer.set_cookie(COOKIE, secrets.token_urlsafe(24), _SECONDS, path=path, httponly=True, samesite="lax", secure=secure)
    return answer


@router.get("/daily/{day}/moment.json")
def view(request: Request, day: str, at: Annotated[int, Query(ge=0, le=1_000_000)]) -> Response:
    """Return what the player of the position could see and choose."""
    return moment_view(request, _find(request, _read(request, day), at), at)


@router.post("/daily/{day}/moment.json", dependencies=[Depends(from_here)])
def judge(request: Request, day: str, chosen: ChosenMove) -> Response:
    """Return the verdict on a move; the first one of a browser that has had the page before is counted."""
    wanted = _read(request, day)
    shared = _find(request, wanted, chosen.at)
    verdict = verdict_on(request, shared, chosen)
    settings, visitor = request.app.state.settings, _visitor(request)
    if verdict is not None and settings.allow_play:
        if (
            visitor
            and not has_answered(queries_of(request).store, str(wanted), visitor)
            and rate_limits(request).has_room(COUNTED, "daily", address_of(request))
        ):
            with suppress(StoreError), Store.join(settings.db) as store:  # the verdict matters more
                add_answer(store, str(wanted), visitor, shared.key, chosen.at, solved=verdict.is_right)
        verdict = msgspec.structs.replace(verdict, words=f"{verdict.words} {_told(request, wanted)}".strip())
    return answer_with(verdict)


def _read(request: Request, text: str) -> date:
    """Return the day of an address. Raises UnusableError and NotFoundError."""
    today = _today(request)
    day = today
    with suppress(ValueError):
        day = date.fromisoformat(text) if text else today
    if text and str(day) != text:
        raise UnusableError("day", f"a day is written as {today}, not '{text:.40}'")
    if day > today:
        raise NotFoundError(f"The position of {day} is chosen on that day.")
    if day == date.min:
        raise NotFoundError("Nothing was played before the first day.")
    return day


def _today(request: Request) -> date:
    return queries_of(request).now.astimezone(UTC).date()


def _find(request: Request, day: date, at: int) -> SharedReplay:
    """Return the replay of a day's position, which must be decision ``at``. Raises NotFoundError."""
    found = _choose(request, day)
    if not isinstance(found, Position) or found.at != at:
        raise NotFoundError(f"That is not the position of {day}; reload the page.")
    return shared_of(request, found.match)


def _choose(request: Request, day: date, analyse: Analyse | None = None) -> Position | Failure | str:
    """Return the position of a day, why there is none, or, while matches are analysed, the progress in words.

    It is that of the answers so far, if there are any, so that it stays the same when more matches may be seen.
    """
    check_analyses(request)
    queries = queries_of(request)
    asked = asked_on(queries.store, str(day))
    candidates = _candidates(queries, day, None if asked is None else asked[0])
    found: list[tuple[float, str, Position]] = []
    for number, match in enumerate(candidates):
        job = partial(_job, request, match)
        answer = analyse(match.id, job) if analyse else answer_or_progress(request, match.id, job, SECONDS)
        if isinstance(answer, str):
            return answer if asked else f"{number} of {len(candidates)} matches are analysed; the next one: {answer}"
        if isinstance(answer, Failure) and answer.sentence == BUSY:
            return answer
        if not isinstance(answer, MatchAnswer):
            continue
        for mark in answer.analysis.marks:
            if mark.better is not None and (asked is None or mark.index == asked[1]):
                found.append((-mark.lost, match.digest, Position(match, mark.index, answer.analysis)))
    if found:
        clearest = [position for *_, position in sorted(found, key=lambda each: each[:2])]
        return clearest[0] if asked else next((each for each in clearest if _is_of_strong(request, each)), clearest[0])
    why = "in no match of the day before a decision gave much away" if candidates else "the day before has no match that can be shown"
    return Failure(f"There is no position for {day}: {why}.")


def _is_of_strong(request: Request, position: Position) -> bool:
    """Return whether the bot that decided is in the better half of the standings: others' worst decisions have many better moves."""
    queries, match = queries_of(request), position.match
    seat = read_replay(shared_of(request, match).read()).decisions[position.at].seat
    bots = [standing.bot for standing in queries.standings_if_known(queries.tournament(match.tournament))]
    return match.seats[seat].bot in bots[: (len(bots) + 1) // 2]


def _candidates(queries: Queries, day: date, only: str | None) -> list[StoredMatch]:
    """Return the matches to choose from, or ``only`` that one, as far as their replays may be seen."""
    ids = _matches(queries, day) if only is None else (only,)
    found: list[StoredMatch] = []
    for match in queries.by_id(ids).values():
        with suppress(SpecError, EngineError):  # its game is not installed
            if len(match.seats) > 1 and queries.is_block_over(queries.tournament(match.tournament), match):
                found.append(match)
        if len(found) == CANDIDATES:
            break
    return found


def has_matches(request: Request) -> bool:
    """Return whether matches were played from which today's position may be chosen."""
    return bool(_matches(queries_of(request), _today(request)))


def _matches(queries: Queries, day: date) -> Sequence[str]:
    morning = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return queries.keep_asked(("daily", day), lambda: matches_of_last_day(queries.store, morning, _LOOKED_AT))


def _job(request: Request, match: StoredMatch) -> MatchJob:
    return MatchJob(shared_of(request, match).read(), SECONDS)


def _told(request: Request, day: date) -> str:
    """Return how many visitors found the better move, in a sentence; empty before the first answer."""
    solved, answers = share_of(queries_of(request).store, str(day))
    return f"{solved} of {answers} visitor{'' if answers == 1 else 's'} found it at the first try." if answers else ""


def _visitor(request: Request) -> str:
    """Return the digest of the browser's secret; empty if it has not had the page before, or keeps no cookies."""
    secret = request.cookies.get(COOKIE, "")
    return key_digest(secret) if _SECRET.fullmatch(secret) else ""
