"""Swiss, knockout and final tournaments: their rounds, the places that their rules decide, and the pages of rounds and brackets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from arena.formats.base import Outcome, Place, Stage, add_points
from arena.formats.knockout import title_of
from arena.run.results import Standing
from arena.spec.spec import SpecError
from arena.spec.tables import FinalPlan, SwissPlan
from arena.tournament import Tournament
from arena.web.errors import NotFoundError
from arena.web.queries import Queries, queries_of
from arena.web.rendering.templates import format_of, show
from engine.records import Ticket
from engine.text import counted
from leaderboard.ratings.fold import Entry
from leaderboard.storage.database import StoreError
from leaderboard.storage.store import StoredTournament

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
_PAIR: Final = 2


@dataclass(frozen=True, slots=True)
class BlockResult:
    """The points of each bot in a block: two for each opponent beaten in a match, one for each tie.

    ``matches`` are the ids of the matches played so far; ``seatings`` is the number of all matches in the block.
    """

    number: int
    points: tuple[int, ...]
    matches: tuple[str, ...]
    seatings: int

    @property
    def is_over(self) -> bool:
        """Whether all its matches have been played."""
        return len(self.matches) >= self.seatings


@dataclass(frozen=True, slots=True)
class Meeting:
    """Bots that play each other in a round, and their matches.

    ``ranked`` lists the bots, best first, once the round is over, and is empty until then; its first ``kept`` bots advance.
    """

    bots: tuple[str, ...]
    blocks: tuple[BlockResult, ...]
    ranked: tuple[str, ...] = ()
    kept: int = 0

    @property
    def points(self) -> dict[str, int]:
        """The points of each bot over all blocks."""
        return {bot: sum(block.points[at] for block in self.blocks) for at, bot in enumerate(self.bots)}

    @property
    def won(self) -> dict[str, int]:
        """The number of finished blocks that each bot has won, alone or jointly."""
        over = [block for block in self.blocks if block.is_over]
        return {bot: sum(block.points[at] == max(block.points) for block in over) for at, bot in enumerate(self.bots)}

    @property
    def played(self) -> int:
        """The number of matches played."""
        return sum(len(block.matches) for block in self.blocks)

    @property
    def advanced(self) -> tuple[str, ...]:
        """The bots that advance to the next round."""
        return self.ranked[: self.kept]

    @property
    def best(self) -> tuple[str, ...]:
        """The bots with the most points once every block is over; empty until then."""
        points = self.points
        is_over = bool(self.blocks) and all(block.is_over for block in self.blocks)
        return tuple(bot for bot in self.bots if points[bot] == max(points.values())) if is_over else ()


@dataclass(frozen=True, slots=True)
class RoundView:
    """A round; ``number`` counts from 1, and ``stage`` is the format's record of the round."""

    number: int
    meetings: tuple[Meeting, ...]
    stage: Stage

    @property
    def is_over(self) -> bool:
        """Whether every match has been played."""
        return bool(self.stage.ranked or self.stage.after)


@dataclass(frozen=True, slots=True)
class Course:
    """A tournament's rounds paired so far, and every bot's place.

    ``rounds_planned`` is None if the number of rounds depends on how many bots are left; ``bye_points`` is what a bye is worth in a Swiss
    tournament. A final has no rounds, but it has a ``conclusion``: a sentence about how certain the places are.
    """

    format: str
    players: int
    rounds: tuple[RoundView, ...]
    places: tuple[Place, ...]
    rounds_planned: int | None = None
    bye_points: int = 0
    conclusion: str = ""

    @property
    def winner(self) -> str | None:
        """The winner of a knockout, or None while it is not over."""
        return next((each.bot for each in self.places if each.note == "winner"), None)


def has_course(tournament: StoredTournament) -> bool:
    """Whether the tournament's format decides the places by its own rules, so that the tournament has a ``Course``."""
    return format_of(tournament) in {"swiss", "knockout", "final"}


def find_course(queries: Queries, tournament: StoredTournament) -> Course | None:
    """Return a tournament's rounds and places, or None if ratings decide the places or the game is not installed."""
    if has_course(tournament):
        with suppress(SpecError):
            return queries.keep_for(tournament, "course", partial(_make, queries, tournament))
    return None


def places(queries: Queries, tournament: StoredTournament) -> tuple[Place, ...] | None:
    """Return the places by the format's rules, best first, or None if ratings decide, nothing has been played or the game is missing."""
    course = find_course(queries, tournament) if queries.played(tournament) else None
    return None if course is None else course.places


def ranking(queries: Queries, tournament: StoredTournament, lines: Sequence[Standing]) -> tuple[Place, ...]:
    """Return every bot's place, best first, as in ``places`` or, if that returns None, by the ranks in ``lines``."""
    own = places(queries, tournament)
    return tuple(Place(line.rank, line.bot, "") for line in lines) if own is None else own


def is_course_known(queries: Queries, tournament: StoredTournament, wait_seconds: float) -> bool:
    """Start computing the course if necessary, wait up to ``wait_seconds``, and return whether ``find_course`` now returns at once."""
    if has_course(tournament):
        with suppress(SpecError):
            return queries.soon_for(tournament, "course", partial(_make, queries, tournament), wait_seconds) is not None
    return True


def warm_up_courses(queries: Queries) -> None:
    """Start computing the courses of all tournaments before pages need them; the first of them takes most of a second."""
    with suppress(StoreError):  # visitors see an error page
        for name in reversed(queries.tournament_names()):
            is_course_known(queries, queries.tournament(name), 0)


def _make(queries: Queries, tournament: StoredTournament) -> Course:
    spec = queries.spec(tournament)
    schedule = Tournament(queries.store, tournament, spec).schedule
    players = spec.schedule.tables[0]
    tables: dict[tuple[int, tuple[str, ...]], dict[int, list[tuple[Ticket, Entry]]]] = {}
    for ticket, entry in schedule.walk(partial(queries.store.entries, tournament)):
        if isinstance(spec.schedule, FinalPlan):
            continue  # its rounds are not shown
        blocks = tables.setdefault((ticket.round, tuple(sorted(ticket.lineup))), {})
        block = blocks.setdefault(ticket.block, [])
        if entry is not None:
            block.append((ticket, entry))
    seatings = schedule.count_seatings(players)
    rounds = []
    for stage in schedule.stages():
        ranked = dict(zip(stage.tables, stage.ranked, strict=False))
        meetings = [
            Meeting(bots, _blocks(bots, tables.get((stage.number, tuple(sorted(bots))), {}), seatings), ranked.get(bots, ()), stage.kept)
            for bots in stage.tables
        ]
        rounds.append(RoundView(stage.number + 1, tuple(meetings), stage))
    plan = spec.schedule
    planned, byes = (plan.rounds, plan.table_matches * (players - 1)) if isinstance(plan, SwissPlan) else (None, 0)
    return Course(plan.format, players, tuple(rounds), schedule.places(), planned, byes, schedule.conclusion())


def _blocks(bots: tuple[str, ...], played: Mapping[int, list[tuple[Ticket, Entry]]], seatings: int) -> tuple[BlockResult, ...]:
    return tuple(_block(number + 1, bots, each, seatings) for number, each in sorted(played.items()))


def _block(number: int, bots: tuple[str, ...], played: Sequence[tuple[Ticket, Entry]], seatings: int) -> BlockResult:
    scored = add_points((Outcome(ticket, entry.ranks) for ticket, entry in played), {bot: at for at, bot in enumerate(bots)})
    ids = tuple(ticket.id for ticket, _ in sorted(played, key=lambda each: each[0].rotation))
    return BlockResult(number, tuple(scored.get(at, 0) for at in range(len(bots))), ids, seatings)


@dataclass(frozen=True, slots=True)
class Tie:
    """A pairing in the bracket, with its matches in ``meeting``, which is None before they begin.

    Each side is one bot or, while that bot is not known, all bots that it may be. A bye has only one side.
    """

    sides: tuple[tuple[str, ...], ...]
    meeting: Meeting | None = None

    @property
    def is_bye(self) -> bool:
        """Whether there is only one side, whose bot advances without playing."""
        return len(self.sides) == 1

    @property
    def winner(self) -> tuple[str, ...]:
        """The bot that advances, or all bots that may advance."""
        if self.is_bye:
            return self.sides[0]
        if self.meeting is not None and self.meeting.ranked:
            return self.meeting.ranked[:1]
        return tuple(name for side in self.sides for name in side)


@dataclass(frozen=True, slots=True)
class Column:
    """A stage of the bracket, with its pairings from top to bottom."""

    title: str
    ties: tuple[Tie, ...]
    is_over: bool = False
    has_begun: bool = False


def columns(course: Course) -> tuple[Column, ...]:
    """Return the stages of a knockout so far and, if its matches have two players, also the stages to come."""
    if course.players != _PAIR:
        return tuple(_tables(stage) for stage in course.rounds)
    stages = [Column(_title(stage), ties, stage.is_over, has_begun=True) for stage in course.rounds if (ties := _pairs(stage))]
    while stages and len(stages[-1].ties) > 1:
        sides = [tie.winner for tie in stages[-1].ties]
        ties = tuple(Tie(pair) for pair in zip(sides[::2], sides[1::2], strict=True))
        stages.append(Column(title_of(len(ties)).capitalize(), ties))
    return tuple(stages)


def decided_by(meeting: Meeting, seeds: Mapping[str, int]) -> str:
    """Return the tie-break, in words, between the last bot to advance and the next one; empty if the number of blocks won decides."""
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
    return tuple(Tie(tuple((bot,) for bot in pair), met.get(frozenset(pair))) for pair in pairs)


def _tables(stage: RoundView) -> Column:
    ties = [Tie(tuple((bot,) for bot in each.bots), each) for each in stage.meetings]
    byes = [Tie(((bot,),)) for bot in stage.stage.byes]
    return Column(_title(stage), (*ties, *byes), stage.is_over, has_begun=True)


def _title(stage: RoundView) -> str:
    return stage.stage.title.capitalize()


def _course(request: Request, name: str, wanted: str, what: str) -> tuple[StoredTournament, Course]:
    """Return the tournament and its course. Raises NotFoundError if its format isn't ``wanted``, SpecError if its game is missing."""
    queries = queries_of(request)
    tournament = queries.tournament(name)
    if format_of(tournament) != wanted:
        raise NotFoundError(f"'{name:.80}' is a {format_of(tournament)} tournament and has no {what}; its standings are at /t/{name:.80}.")
    queries.spec(tournament)
    course = find_course(queries, tournament)
    if course is None:
        raise NotFoundError(f"'{name:.80}' has no {what} here.")
    return tournament, course


@router.get("/t/{name}/bracket")
def bracket(request: Request, name: str) -> Response:
    """Show all stages of a knockout tournament: their pairings, the bots that advanced, and the next pairings."""
    tournament, course = _course(request, name, "knockout", "bracket")
    queries = queries_of(request)
    spec = queries.spec(tournament)
    order = getattr(spec.schedule, "seeds", ()) or tuple(bot.name for bot in spec.bots)
    seeds = {bot: place for place, bot in enumerate(order, start=1)}
    values = {"columns": columns(course), "seeds": seeds, "state": queries.state(tournament), "decided_by": decided_by}
    return show(request, "bracket.html", tournament=tournament, course=course, **values)


@router.get("/t/{name}/rounds")
def newest_round(request: Request, name: str) -> Response:
    """Show the newest round of a Swiss tournament."""
    return _round(request, name, None)


@router.get("/t/{name}/rounds/{number}")
def one_round(request: Request, name: str, number: str) -> Response:
    """Show a round of a Swiss tournament: its pairings, its results, and the points before and after."""
    return _round(request, name, number)


def _round(request: Request, name: str, number: str | None) -> Response:
    tournament, course = _course(request, name, "swiss", "rounds")
    known = {str(each.number): each for each in course.rounds}
    shown = course.rounds[-1] if number is None else known.get(number)
    if shown is None:
        raise NotFoundError(f"There is no round '{number:.20}' of '{name:.80}' yet; rounds 1 to {len(course.rounds)} are paired.")
    state = queries_of(request).state(tournament)
    return show(request, "rounds.html", tournament=tournament, course=course, shown=shown, state=state)
