"""The bot pages: the list of all bots, a bot's career, and a bot's results in one tournament."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import HTMLResponse

from arena.run.results import Standing, chance_of_first
from arena.web.pages.front import latest_of, possible_ranks
from arena.web.pages.head_to_head import links_matches, places_of, record_of
from arena.web.pages.rounds import places as places_by_rule
from arena.web.pages.rounds import ranking
from arena.web.play.lobby import bots_to_play
from arena.web.queries import Queries, queries_of
from arena.web.rendering.templates import PreparedPage, answer, prepare, show
from leaderboard.storage.matches import MatchFilter
from leaderboard.storage.store import StoredTournament

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
PAGE: Final = 200
"""The number of bots on one page of the list."""
LATEST: Final = 3
"""The number of newest matches on a bot's career page."""
LAST_MATCHES: Final = 6
DUELS: Final = 12
"""A bot's page shows up to this many opponents; if there are more, it shows the ``DUELS // 2`` hardest and links to the others."""


@dataclass(frozen=True, slots=True)
class Result:
    """A bot's result in a tournament; ``tied`` if others share ``place``. Before a match and without the game, ``place`` is None."""

    tournament: StoredTournament
    bot: str
    digest: str
    place: int | None
    line: Standing | None
    tied: bool


def result_of(queries: Queries, tournament: StoredTournament, bot: str, digest: str) -> Result:
    """Return a bot's result in a tournament that it has entered."""
    ranks, lines = queries.keep_for(tournament, "results by bot", lambda: _results(queries, tournament))
    line = lines.get(bot)
    place = ranks.get(bot, line.rank) if line is not None and line.matches else None
    return Result(tournament, bot, digest, place, line, sum(each == place for each in ranks.values()) > 1)


def _results(queries: Queries, tournament: StoredTournament) -> tuple[dict[str, int], dict[str, Standing]]:
    lines = queries.standings_if_known(tournament)
    return {each.bot: each.place for each in ranking(queries, tournament, lines)}, {line.bot: line for line in lines}


@router.get("/bots")
def bots(request: Request, page: Annotated[int, Query(ge=1, le=100_000)] = 1) -> Response:
    """List all bots."""
    queries = queries_of(request)
    return answer(request, queries.keep(("bots page", page), lambda: _bots(request, page)))


def _bots(request: Request, page: int) -> PreparedPage:
    queries = queries_of(request)
    names = queries.names_of()
    entered = defaultdict[str, list[tuple[StoredTournament, str, str]]](list)
    for tournament in map(queries.tournament, reversed(queries.tournament_names())):
        for entrant in tournament.entrants:
            entered[entrant.name].append((tournament, entrant.name, entrant.digest))
    rows = []
    for bot in list(names)[(page - 1) * PAGE : page * PAGE]:
        found = [each for name in reversed(names[bot]) for each in entered[name]]
        rows.append((bot, _newest(queries, found), len({tournament.id for tournament, *_ in found})))
    more = page + 1 if len(names) > page * PAGE else None
    return prepare(request, "bots.html", rows=rows, page=page, more=more, number=len(names))


def _newest(queries: Queries, entered: Sequence[tuple[StoredTournament, str, str]]) -> Result | None:
    results = (result_of(queries, *each) for each in entered)
    return next((each for each in results if each.place), result_of(queries, *entered[0]) if entered else None)


@router.get("/bots/{bot}")
def bot_everywhere(request: Request, bot: str) -> Response:
    """Show a bot's versions and its results, in each tournament (newest first) and overall."""
    queries = queries_of(request)
    queries.versions(bot)  # or there is no such bot
    known = queries.names_of()
    bot = bot if bot in known else next(own for own, names in known.items() if bot in names)
    versions = queries.versions(bot)
    entered = [(queries.tournament(name), each, digest) for each in known[bot] for name, digest in queries.tournaments_of(each)]
    entered.sort(key=lambda each: -each[0].id)
    results = [result_of(queries, *each) for each in entered]
    latest = [shown for tournament, name, _ in entered[:LATEST] for shown in latest_of(queries, [tournament], LATEST, name)]
    lines = [each.line for each in results if each.line is not None and each.line.matches]
    matches = sum(line.matches for line in lines)
    return show(
        request,
        "career.html",
        bot=bot,
        versions=versions,
        submissions=queries.submissions(bot),
        results=results,
        matches=matches,
        faults=sum(line.faults for line in lines),
        best=min((each for each in results if each.place), key=lambda each: (each.place, each.tied), default=None),
        latest=sorted(latest, key=lambda each: each[1].finished, reverse=True)[:LATEST],
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
    record = record_of(queries, tournament, stats, bot) if stats else None
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
