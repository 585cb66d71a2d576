"""The pages of a tournament: its standings, which are updated live during a run, its matches, and its "About" page."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Annotated, Final

import anyio.to_thread
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse
from fastapi.sse import EventSourceResponse
from markupsafe import Markup, escape

from arena.entries.game_choice import game_choice
from arena.formats.base import Place
from arena.report.orders_table import order_rows
from arena.run.results import Standing, certain_lead, second_opinion
from arena.season.entry import readable
from arena.web.errors import UnusableError
from arena.web.live import Broadcaster, Snapshot, stream
from arena.web.pages.front import Part, lead, possible_ranks
from arena.web.pages.rounds import has_course, ranking
from arena.web.queries import WAIT_SECONDS, Queries, TournamentStats, queries_of
from arena.web.rendering.templates import PreparedPage, answer, interval_bar, page, prepare, show
from arena.web.settings import WebSettings
from bots.protocol import ClockMode, ClockSpec
from engine.records import FaultKind
from leaderboard.statistics.bradley_terry import Strength
from leaderboard.storage.matches import ANY_FAULT, MatchFilter
from leaderboard.storage.store import StoredTournament

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
LAST_MATCHES: Final = 3
SHOWN_ORDERS: Final = 100
"""How many of a ladder's newest orders its "About" page shows; 'arena status' lists all orders."""
FAULTS = tuple(kind.value for kind in FaultKind if kind is not FaultKind.RESIGNED)
"""The kinds of fault that a bot can have: all but resigning, which only people do."""
_CUT_OFF = 20
_APART: Final = 1 / sqrt(2)
"""A bar is thick on both sides by this part of a certain lead: if the thick parts of two bars overlap, their order is not certain."""


@dataclass(frozen=True, slots=True)
class Row:
    """A bot's row. ``place`` and ``note`` follow the format's rules if it has any; ``tied`` is whether another bot has the same place.

    ``interval`` is a bar that shows the rating's interval, and ``ranks`` are the ranks that the interval allows. A row with
    ``is_older``, such as an older version of a bot, is hidden unless the visitor asks for all rows.
    """

    line: Standing
    place: int
    note: str
    tied: bool
    strength: Strength | None
    ranks: str
    interval: Markup
    is_older: bool


@dataclass(frozen=True, slots=True)
class Rows:
    """What a standings page shows about the bots; ``rows`` are best first.

    ``played`` is False before the first match. ``stats`` is None while statistics are being computed;
    ``are_strengths_known`` is False while strengths are being computed. All data cover at least ``as_of`` matches.
    """

    lead: tuple[Part, ...]
    rows: tuple[Row, ...] = ()
    played: bool = True
    has_notes: bool = False
    stats: TournamentStats | None = None
    are_strengths_known: bool = False
    opinion: str = ""
    as_of: int = 0

    @property
    def has_ranks(self) -> bool:
        """Whether any row has possible ranks; False if the format's rules decide every place."""
        return not self.has_notes or any(row.ranks != "\N{EN DASH}" for row in self.rows)

    @property
    def is_pending(self) -> bool:
        """Whether something is still being computed."""
        return self.played and not (self.stats and self.are_strengths_known)


def standing_rows(queries: Queries, tournament: StoredTournament, wait_seconds: float = WAIT_SECONDS) -> Rows:
    """Return what a standings page shows about the bots, without figures that are still being computed for the first time."""
    if not queries.played(tournament):
        return Rows(lead(queries, tournament), played=False)
    stats, strengths = queries.stats_soon(tournament, wait_seconds), queries.strengths_soon(tournament, wait_seconds)
    lines = queries.standings(tournament)
    has_places = has_course(tournament)
    return Rows(
        lead=lead(queries, tournament),
        rows=_rows(lines, ranking(queries, tournament, lines), strengths or {}, queries.older_bots(tournament), has_places=has_places),
        has_notes=has_places,
        stats=stats,
        are_strengths_known=strengths is not None,
        opinion="" if has_places else second_opinion([line.bot for line in lines], strengths or {}),
        as_of=queries.as_of(tournament),
    )


def rating_scale(lines: Iterable[Standing]) -> tuple[float, float]:
    """Return the range of ratings that the bars show. It cuts off the lowest bars, so that a very weak bot does not squash the rest."""
    known = [(line.rating, line.mu + 3 * line.sigma) for line in lines]
    lows, highs = sorted(low for low, _ in known), [high for _, high in known]
    return (lows[len(lows) // _CUT_OFF], max(highs)) if known else (0.0, 1.0)


def _rows(
    lines: Sequence[Standing],
    ranked: Sequence[Place],
    strengths: dict[str, Strength],
    older: Collection[str],
    *,
    has_places: bool,
) -> tuple[Row, ...]:
    by_bot = {line.bot: line for line in lines}
    scale, certain = rating_scale(lines), certain_lead(len(lines))
    numbers = [each.place for each in ranked]
    return tuple(
        Row(
            line=line,
            place=each.place,
            note=each.note,
            tied=numbers.count(each.place) > 1,
            strength=strengths.get(each.bot),
            ranks=possible_ranks(None if has_places else line, each) or "\N{EN DASH}",
            interval=interval_bar(line.mu, line.rating, line.mu + 3 * line.sigma, scale, _APART * certain * line.sigma),
            is_older=each.bot in older,
        )
        for each in ranked
        if (line := by_bot.get(each.bot))
    )


@router.get("/t/{name}")
def standings(request: Request, name: str) -> Response:
    """Show a tournament's standings."""
    queries = queries_of(request)
    tournament = queries.tournament(name)

    def make() -> PreparedPage:
        rows = standing_rows(queries, tournament)
        last = queries.matches(tournament, MatchFilter()).matches[:LAST_MATCHES]
        stages = {stage.tournament: each.name for each in readable(queries.seasons()) for stage in each.stages}
        values = {"state": queries.state(tournament), "rows": rows, "last": last, "season": stages.get(name)}
        return prepare(request, "standings.html", tournament=tournament, **values)

    return answer(request, queries.keep(("standings page", tournament), make))


@router.get("/t/{name}/matches")
def matches(
    request: Request,
    name: str,
    bot: Annotated[str | None, Query(max_length=80)] = None,
    opponent: Annotated[str | None, Query(max_length=80)] = None,
    seat: Annotated[str | None, Query(max_length=4)] = None,
    fault: Annotated[str | None, Query(max_length=40)] = None,
    players: Annotated[str | None, Query(max_length=4)] = None,
    end: Annotated[str | None, Query(max_length=80)] = None,
    block: Annotated[str | None, Query(max_length=15)] = None,
    after: Annotated[str | None, Query(max_length=80)] = None,
) -> Response:
    """List the matches of a tournament that meet the given conditions, newest first; an empty field sets no condition."""
    queries = queries_of(request)
    tournament = queries.tournament(name)
    wanted = MatchFilter(
        bot=_entrant(tournament, "bot", bot),
        opponent=_entrant(tournament, "opponent", opponent),
        seat=_number("seat", seat),
        fault=_fault(fault),
        players=_number("players", players),
        end=end or None,
        block=_number("block", block),
    )
    if wanted.seat is not None and wanted.bot is None:
        raise UnusableError("seat", "a seat can be chosen only together with a bot; choose a bot as well")
    endings = queries.endings(tournament)
    if wanted.end is not None and wanted.end not in endings:
        raise UnusableError("end", f"no match has ended with '{wanted.end:.40}'; the endings so far: {', '.join(endings) or 'none'}")
    if after and not queries.look_up((after,)):
        raise UnusableError("after", "there is no such match to continue the list from; start with the newest")
    listing = queries.matches(tournament, wanted, after or None)
    pair = (wanted.bot or "", wanted.opponent or "")
    stats = queries.stats_soon(tournament) if all(pair) else None
    contest = stats.contests.get(pair) if stats else None
    values = {"endings": endings, "contest": contest, "faults": FAULTS, "tables": queries.table_sizes(tournament), "listing": listing}
    return show(request, "matches.html", tournament=tournament, wanted=wanted, after=after or None, **values)


def _entrant(tournament: StoredTournament, field: str, bot: str | None) -> str | None:
    if not bot:
        return None
    names = [entrant.name for entrant in tournament.entrants]
    if bot not in names:
        raise UnusableError(field, f"there is no bot '{bot:.40}' in this tournament; its bots are {', '.join(names)}")
    return bot


def _number(field: str, value: str | None) -> int | None:
    if not value:
        return None
    if not (value.isascii() and value.isdecimal()):
        raise UnusableError(field, f"the {field} must be a whole number, 0 or more, not '{value:.40}'")
    return int(value)


def _fault(value: str | None) -> str | None:
    kinds = [ANY_FAULT, *FAULTS]
    if value and value not in kinds:
        raise UnusableError("fault", f"there is no fault '{value:.40}'; the faults are {', '.join(kinds)}")
    return value or None


def clock_words(clock: ClockSpec) -> list[str]:
    """Return the limits on a seat's time and other resources, each in words."""
    fuel = [(clock.start_fuel, "to start"), (clock.move_fuel, "for each decision"), (clock.bank_fuel, "for all decisions of a match")]
    cpu = [(clock.start, "to start"), (clock.move, "for each decision"), (clock.bank, "for a whole match")]
    words = [f"{units:,} units of fuel {what}" for units, what in fuel if units is not None] if clock.mode is ClockMode.FUEL else []
    words += [f"{seconds:g} s of CPU time {what}" for seconds, what in cpu if seconds is not None]
    if clock.nodes is not None:
        words.append(f"{clock.nodes:,} positions for each search")
    if clock.mode is ClockMode.CLOCK:
        words.append(f"in a match, {clock.strikes} decisions may take up to {clock.slack:g} times their limit by the wall clock")
    if clock.wall_bank is not None:
        words.append(f"{clock.wall_bank:g} s of sleep in a match")
    return [*words, f"a bot that hangs is stopped after {clock.wall:g} s"]


@router.get("/t/{name}/about")
def about(request: Request, name: str, before: Annotated[int | None, Query(ge=2, le=10**9)] = None) -> Response:
    """Show a tournament's specification, seeds, digests, faults, and the progress of its newest rounds, or of rounds before ``before``."""
    queries = queries_of(request)
    tournament = queries.tournament(name)
    spec = queries.spec(tournament)
    progress = queries.status(tournament)
    stats = queries.stats_soon(tournament)
    newest = queries.faults(tournament)
    return show(
        request,
        "about.html",
        tournament=tournament,
        state=queries.state(tournament),
        seal=queries.final_seal(tournament),
        published=queries.published_secret(tournament),
        spec=spec,
        choice=game_choice(spec.game),
        clock=clock_words(spec.clock.limits),
        settings_json=spec.model_dump_json(indent=2, exclude_none=True, include={"game", "options", "schedule", "clock", "rating"}),
        status=progress,
        rounds=progress.by_round if before is None else queries.rounds(tournament, before),
        is_newest=before is None,
        orders=order_rows(tournament)[-SHOWN_ORDERS:],
        stats=stats,
        kinds=[kind for kind in FAULTS if any(each.kinds[kind] for each in (stats.faults if stats else ()))],
        newest=newest,
        failed_in=queries.by_id(each.match for each in newest),
        voids=queries.voids(tournament),
    )


def snapshot(queries: Queries, settings: WebSettings, tournament: StoredTournament) -> Snapshot:
    """Return the parts of a standings page that change during a run, as they are now."""
    tournament = queries.tournament(tournament.name)
    state = queries.state(tournament)
    rows = standing_rows(queries, tournament)
    last = queries.matches(tournament, MatchFilter()).matches[:LAST_MATCHES]
    piece = partial(page, root=settings.prefix, settings=settings, tournament=tournament, state=state, rows=rows, last=last)
    pieces = {"progress": piece("progress.html"), "lead": piece("lead.html")}
    if rows.played:
        pieces["standings"] = piece("standings_rows.html")
        pieces |= {"opinion": str(escape(rows.opinion)), "as-of": piece("as_of.html")}
    if last:
        pieces["last"] = piece("last_matches.html")
    pieces["say"] = "".join(part.text for part in rows.lead)
    return pieces, state.is_running, state.is_complete


@router.get("/t/{name}/events")
async def events(request: Request, name: str) -> EventSourceResponse:
    """Send the changes of a tournament's standings page, as they happen."""
    queries = queries_of(request)
    tournament = await anyio.to_thread.run_sync(queries.tournament, name)
    broadcaster: Broadcaster = request.app.state.broadcaster
    return stream(request, broadcaster.follow(tournament))
