"""The bracket of a knockout, including the stages whose bots are not known yet, and the rounds of a Swiss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from arena.formats.knockout import title_of
from arena.web.data.course import Course, Meeting, RoundView, find_course
from arena.web.data.names import format_of
from arena.web.data.queries import queries_of
from arena.web.errors import NotFoundError
from arena.web.rendering.templates import show
from engine.text import counted
from leaderboard.storage.store import StoredTournament

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
_PAIR: Final = 2


@dataclass(frozen=True, slots=True)
class Side:
    """A bot, or, while that is open, the bots that may get there."""

    bot: str | None
    of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tie:
    """A place of the bracket: its bots, and their matches (None before it begins). A bye has one side."""

    sides: tuple[Side, ...]
    meeting: Meeting | None = None

    @property
    def is_bye(self) -> bool:
        """Whether its bot advances without playing."""
        return len(self.sides) == 1

    @property
    def winner(self) -> Side:
        """The bot that advances from here, if known."""
        if self.is_bye:
            return self.sides[0]
        if self.meeting is not None and self.meeting.ranked:
            return Side(self.meeting.ranked[0])
        return Side(None, tuple(name for side in self.sides for name in ((side.bot,) if side.bot else side.of)))


@dataclass(frozen=True, slots=True)
class Column:
    """A stage of the bracket from its top down."""

    title: str
    ties: tuple[Tie, ...]
    is_over: bool = False
    has_begun: bool = False


def columns(course: Course) -> tuple[Column, ...]:
    """Return the stages of a knockout; at tables of two also those to come."""
    if course.players != _PAIR:
        return tuple(_tables(stage) for stage in course.rounds)
    stages = [Column(_title(stage), ties, stage.is_over, has_begun=True) for stage in course.rounds if (ties := _pairs(stage))]
    while stages and len(stages[-1].ties) > 1:
        sides = [tie.winner for tie in stages[-1].ties]
        ties = tuple(Tie(pair) for pair in zip(sides[::2], sides[1::2], strict=True))
        stages.append(Column(title_of(len(ties)).capitalize(), ties))
    return tuple(stages)


def decided_by(meeting: Meeting, seeds: Mapping[str, int]) -> str:
    """Return the tie-break between the last bot that advances and the first that does not; empty if blocks won decided."""
    if not meeting.ranked or meeting.kept >= len(meeting.ranked):
        return ""
    last, first = meeting.ranked[meeting.kept - 1], meeting.ranked[meeting.kept]
    if meeting.won[last] != meeting.won[first]:
        return ""
    if meeting.points[last] != meeting.points[first]:
        return f"{counted(meeting.won[last], 'block')} each, points {meeting.points[last]}:{meeting.points[first]}"
    level = f"{counted(meeting.won[last], 'block')} and {counted(meeting.points[last], 'point')} each"
    return f"{level}: seed {seeds[last]} goes before seed {seeds[first]}" if {last, first} <= seeds.keys() else level


def _pairs(stage: RoundView) -> tuple[Tie, ...]:
    met = {frozenset(each.bots): each for each in stage.meetings}
    bracket = stage.stage.bracket
    pairs = [tuple(bot for bot in pair if bot is not None) for pair in zip(bracket[::2], bracket[1::2], strict=True)]
    return tuple(Tie(tuple(Side(bot) for bot in pair), met.get(frozenset(pair))) for pair in pairs)


def _tables(stage: RoundView) -> Column:
    ties = [Tie(tuple(Side(bot) for bot in each.bots), each) for each in stage.meetings]
    byes = [Tie((Side(bot),)) for bot in stage.stage.byes]
    return Column(_title(stage), (*ties, *byes), stage.is_over, has_begun=True)


def _title(stage: RoundView) -> str:
    return stage.stage.title.capitalize()


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
