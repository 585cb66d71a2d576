"""The pages of a tournament: standings, matches, and what it is about."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse

from arena.report.orders_table import order_rows
from arena.web.data.queries import queries_of
from arena.web.errors import UnusableError
from arena.web.pages.standings_view import standing_rows
from arena.web.rendering.templates import PreparedPage, answer, prepare, show
from engine.records import FaultKind
from leaderboard.storage.match_queries import ANY_FAULT, MatchFilter
from leaderboard.storage.store import StoredTournament

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
LAST_MATCHES: Final = 3
SHOWN_ORDERS: Final = 100
"""The number of newest orders on the page about it; 'arena ladder orders' lists them all."""
FAULTS = tuple(kind.value for kind in FaultKind if kind is not FaultKind.RESIGNED)
"""The kinds of fault that a bot can have; only people resign."""


@router.get("/t/{name}")
def standings(request: Request, name: str) -> Response:
    """Show a tournament's standings."""
    queries = queries_of(request)
    tournament = queries.tournament(name)

    def make() -> PreparedPage:
        rows = standing_rows(queries, tournament)
        last = queries.matches(tournament, MatchFilter()).matches[:LAST_MATCHES]
        return prepare(request, "standings.html", tournament=tournament, state=queries.state(tournament), rows=rows, last=last)

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
    """List a tournament's matches by the given conditions, newest first; an empty field is no condition."""
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
        raise UnusableError("seat", "a seat needs the bot that sat there; choose a bot as well")
    endings = queries.endings(tournament)
    if wanted.end is not None and wanted.end not in endings:
        raise UnusableError("end", f"no match here ended with '{wanted.end:.40}'; the endings so far: {', '.join(endings) or 'none'}")
    if after and not queries.look_up((after,)):
        raise UnusableError("after", "there is no such match to continue the list from; start with the newest")
    listing = queries.matches(tournament, wanted, after or None)
    values = {"endings": endings, "faults": FAULTS, "tables": queries.table_sizes(tournament), "listing": listing}
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


@router.get("/t/{name}/about")
def about(request: Request, name: str, before: Annotated[int | None, Query(ge=2, le=10**9)] = None) -> Response:
    """Show a tournament's specification, progress by rounds (the newest, or the last before one), seeds, digests and faults."""
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
        spec=spec,
        clock={key: value for key, value in spec.clock.model_dump().items() if value is not None},
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
