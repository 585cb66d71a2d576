"""The head-to-head pages: a grid of several bots, and one bot against all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse

from arena.formats.base import Place
from arena.run.results import certain_lead, is_above
from arena.web.errors import UnusableError
from arena.web.pages.rounds import ranking
from arena.web.queries import Queries, TournamentStats, queries_of
from arena.web.rendering.templates import show
from leaderboard.statistics.summary import HeadToHead
from leaderboard.storage.store import StoredTournament

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
MOST_IN_GRID: Final = 12
"""The most bots in a grid."""


@dataclass(frozen=True, slots=True)
class Record:
    """A bot's contests, hardest opponent first, and the bots that are certainly better or worse, by the rule that decides the ranks."""

    contests: tuple[HeadToHead, ...]
    better: tuple[str, ...]
    worse: tuple[str, ...]


def record_of(queries: Queries, tournament: StoredTournament, stats: TournamentStats, bot: str) -> Record:
    """Return the bot's record. In a final, the possible places decide which bots are certainly better, else the ratings do."""
    lines = {line.bot: line for line in queries.standings(tournament)}
    ranked = [each for each in ranking(queries, tournament, tuple(lines.values())) if each.bot in lines]
    contests = [contest for each in ranked if (contest := stats.contests.get((bot, each.bot))) is not None]
    certain = certain_lead(len(lines))

    def is_better(one: Place, other: Place) -> bool:
        return is_above(lines[one.bot], lines[other.bot], certain) if one.last is None else one.last < other.place

    own = [each for each in ranked if each.bot == bot]
    return Record(
        tuple(sorted(contests, key=lambda each: each.share)),  # if shares are equal, the better opponent comes first
        better=tuple(each.bot for each in ranked for mine in own if is_better(each, mine)),
        worse=tuple(each.bot for each in ranked for mine in own if is_better(mine, each)),
    )


def places_of(queries: Queries, tournament: StoredTournament) -> dict[str, int]:
    """Return every bot's place, best first, by the format's rules or by rating; before the first match, every bot is in place 1."""
    ranked = {each.bot: each.place for each in ranking(queries, tournament, queries.standings(tournament))}
    return ranked or {entrant.name: 1 for entrant in tournament.entrants}


@router.get("/t/{name}/head-to-head")
def head_to_head(request: Request, name: str, bot: Annotated[tuple[str, ...], Query(max_length=200)] = ()) -> Response:
    """Show a grid of the chosen bots (or the best ones) against each other, with links to each bot's results against all others."""
    queries = queries_of(request)
    tournament = queries.tournament(name)
    order = list(places_of(queries, tournament))
    for each in bot:
        if each not in order:
            raise UnusableError("bot", f"there is no bot '{each:.40}' in this tournament")
    chosen = [each for each in order if each in bot]
    if len(chosen) > MOST_IN_GRID:
        raise UnusableError("bot", f"a grid has room for {MOST_IN_GRID} bots, but {len(chosen)} are chosen; choose fewer")
    stats = queries.stats_soon(tournament) if queries.played(tournament) else None
    values = {
        "bots": order,
        "chosen": chosen,
        "grid": chosen if len(chosen) > 1 else order[:MOST_IN_GRID],
        "most": MOST_IN_GRID,
        "has_choice": len(chosen) < 2 and len(order) > MOST_IN_GRID,
        "stats": stats,
        "is_pending": stats is None and queries.played(tournament) > 0,
        "links_matches": links_matches(request, tournament),
    }
    return show(request, "head-to-head.html", tournament=tournament, **values)


@router.get("/t/{name}/head-to-head/{bot}")
def one_against_all(request: Request, name: str, bot: str) -> Response:
    """Show a bot's contests with all others, hardest first."""
    queries = queries_of(request)
    tournament = queries.tournament(name)
    queries.entrant(tournament, bot)
    places = places_of(queries, tournament)
    stats = queries.stats_soon(tournament) if queries.played(tournament) else None
    values = {
        "bot": bot,
        "places": places,
        "record": record_of(queries, tournament, stats, bot) if stats else None,
        "is_pending": stats is None and queries.played(tournament) > 0,
        "links_matches": links_matches(request, tournament),
    }
    return show(request, "one-against-all.html", tournament=tournament, **values)


def links_matches(request: Request, tournament: StoredTournament) -> bool:
    """Whether pages link each pair of bots to its matches. On a static site, each link needs a file, so only a few bots get links."""
    return not request.app.state.settings.is_static or len(tournament.entrants) <= MOST_IN_GRID
