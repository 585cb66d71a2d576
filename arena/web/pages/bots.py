"""The pages of bots: the list of all, a bot's career, and a bot in one tournament: its place, the opponents it loses to, and why."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse

from arena.analysis.standings import chance_of_first
from arena.web.data.bots import bot_rows, career
from arena.web.data.course import places as places_by_rule
from arena.web.data.queries import queries_of
from arena.web.data.summary import possible_ranks
from arena.web.data.tournament_stats import record_of
from arena.web.pages.front import latest_of
from arena.web.pages.head_to_head import links_matches, places_of
from arena.web.play.table_form import bots_to_play
from arena.web.rendering.templates import PreparedPage, answer, prepare, show
from leaderboard.storage.matches import MatchFilter

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
PAGE: Final = 200
"""The number of bots on a page of their list."""
LATEST: Final = 3
"""Matches on the page of a career."""
LAST_MATCHES: Final = 6
DUELS: Final = 12
"""With more opponents than this, the page shows the hardest half of this number, and links to the rest."""


@router.get("/bots")
def bots(request: Request, page: Annotated[int, Query(ge=1, le=100_000)] = 1) -> Response:
    """List every bot that took part in anything."""
    queries = queries_of(request)
    return answer(request, queries.keep(("bots page", page), lambda: _bots(request, page)))


def _bots(request: Request, page: int) -> PreparedPage:
    queries = queries_of(request)
    names = list(queries.bots())
    rows = bot_rows(queries, names[(page - 1) * PAGE : page * PAGE])
    more = page + 1 if len(names) > page * PAGE else None
    return prepare(request, "bots.html", rows=rows, page=page, more=more, number=len(names))


@router.get("/bots/{bot}")
def bot_everywhere(request: Request, bot: str) -> Response:
    """Show a bot's versions, and how it did in each tournament."""
    queries = queries_of(request)
    versions = queries.versions(bot)
    tournaments = [queries.tournament(name) for name, _ in reversed(queries.tournaments_of(bot))]
    return show(
        request,
        "career.html",
        bot=bot,
        versions=versions,
        submissions=queries.submissions(bot),
        career=career(queries, bot),
        latest=latest_of(queries, tournaments[:LATEST], LATEST, bot),
        can_play=request.app.state.settings.allow_play and bot in bots_to_play(queries.store),
    )


@router.get("/t/{name}/bots/{bot}")
def bot_in_tournament(request: Request, name: str, bot: str) -> Response:
    """Show a bot's results in a tournament."""
    queries = queries_of(request)
    tournament = queries.tournament(name)
    entrant = queries.entrant(tournament, bot)
    has_played = queries.played(tournament) > 0
    stats = queries.stats_soon(tournament) if has_played else None
    strengths = queries.strengths_soon(tournament) if has_played else None
    strength = (strengths or {}).get(bot)
    places = places_of(queries, tournament)
    own = next((each for each in places_by_rule(queries, tournament) or () if each.bot == bot), None)
    record = record_of(stats, bot, tuple(places)) if stats else None
    lines = queries.standings(tournament)
    line = next((line for line in lines if line.bot == bot), None)
    newest = queries.faults(tournament, bot, LAST_MATCHES)
    return show(
        request,
        "bot.html",
        tournament=tournament,
        bot=bot,
        entrant=entrant,
        submission=queries.submissions(bot).get(entrant.digest),
        line=line,
        places=places,
        stats=stats,
        is_pending=has_played and (stats is None or strengths is None),
        strength=strength if strength and strength.elo is not None else None,
        ranks=possible_ranks(None if own else line, own),
        chance_of_first=chance_of_first(lines, bot) if line and not own else None,
        record=record,
        duels=record.contests[: None if len(record.contests) <= DUELS else DUELS // 2] if record else (),
        links_matches=links_matches(request, tournament),
        faults=newest,
        failed_in=queries.by_id(each.match for each in newest),
        last=queries.matches(tournament, MatchFilter(bot=bot)).matches[:LAST_MATCHES],
    )
