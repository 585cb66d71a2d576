"""The pages of tournaments with rounds: the bracket of a knockout, the rounds of a Swiss."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from arena.web.data.bracket import columns, decided_by
from arena.web.data.course import Course, find_course
from arena.web.data.names import format_of
from arena.web.data.queries import queries_of
from arena.web.errors import NotFoundError
from arena.web.rendering.templates import show
from leaderboard.storage.store import StoredTournament

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


def _course(request: Request, name: str, wanted: str, what: str) -> tuple[StoredTournament, Course]:
    """Return the tournament and its course. Raises NotFoundError for another format, SpecError where its game is not installed."""
    queries = queries_of(request)
    tournament = queries.tournament(name)
    if format_of(tournament) != wanted:
        raise NotFoundError(f"'{name:.80}' is a {format_of(tournament)}, which has no {what}; its standings are at /t/{name:.80}.")
    queries.spec(tournament)
    course = find_course(queries, tournament)
    if course is None:
        raise NotFoundError(f"'{name:.80}' has no {what} here.")
    return tournament, course


@router.get("/t/{name}/bracket")
def bracket(request: Request, name: str) -> Response:
    """Show a knockout stage by stage: pairings, bots that advanced, and the next pairings."""
    tournament, course = _course(request, name, "knockout", "bracket")
    queries = queries_of(request)
    spec = queries.spec(tournament)
    order = getattr(spec.schedule, "seeds", ()) or tuple(bot.name for bot in spec.bots)
    seeds = {bot: place for place, bot in enumerate(order, start=1)}
    values = {"columns": columns(course), "seeds": seeds, "state": queries.state(tournament), "decided_by": decided_by}
    return show(request, "bracket.html", tournament=tournament, course=course, **values)


@router.get("/t/{name}/rounds")
def newest_round(request: Request, name: str) -> Response:
    """Show the newest round of a Swiss."""
    return _round(request, name, None)


@router.get("/t/{name}/rounds/{number}")
def one_round(request: Request, name: str, number: str) -> Response:
    """Show a round of a Swiss: its pairings and results, points before and after."""
    return _round(request, name, number)


def _round(request: Request, name: str, number: str | None) -> Response:
    tournament, course = _course(request, name, "swiss", "rounds")
    known = {str(each.number): each for each in course.rounds}
    shown = course.rounds[-1] if number is None else known.get(number)
    if shown is None:
        raise NotFoundError(f"There is no round '{number:.20}' of '{name:.80}' yet; rounds 1 to {len(course.rounds)} are paired.")
    state = queries_of(request).state(tournament)
    return show(request, "rounds.html", tournament=tournament, course=course, shown=shown, state=state)
