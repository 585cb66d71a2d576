"""The page of a bot in a tournament: where it stands, against whom it loses, why, and how its worst losses came about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from arena.web.analyses.why_lost import why_lost
from arena.web.data.duels import record_of
from arena.web.data.queries import Queries, queries_of
from arena.web.data.summary import possible_ranks
from arena.web.data.tournament_stats import TournamentStats
from arena.web.data.turning_points import TurningPoint, turning_point
from arena.web.pages.head_to_head import links_matches, places_of
from arena.web.rendering.rendering import show
from engine.records import SeatResult
from leaderboard.statistics.seat_records import Loss
from leaderboard.storage.match_queries import DatedMatch, MatchFilter
from leaderboard.storage.store import StoredTournament

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
LAST_MATCHES: Final = 6
DUELS: Final = 12
"""With more opponents than this, the page shows the hardest half of so many, and links to the rest."""


@dataclass(frozen=True, slots=True)
class LostMatch:
    """One of a bot's worst losses: its seat there, how it went (None if that can't be known or shown), and who made the decisive move."""

    loss: Loss
    listed: DatedMatch
    seat: int
    result: SeatResult
    point: TurningPoint | None

    @property
    def mover(self) -> str | None:
        """The bot whose decision put it behind for good; None if it was its own."""
        if self.point is None or self.point.behind_from is None:
            return None
        seat = self.point.mover(self.point.behind_from)
        return None if seat == self.seat else self.listed.match.seats[seat].bot


@router.get("/t/{name}/bots/{bot}")
def bot_in_tournament(request: Request, name: str, bot: str) -> Response:
    """Show how a bot does in a tournament, with its worst losses."""
    queries = queries_of(request)
    tournament = queries.tournament(name)
    entrant = queries.entrant(tournament, bot)
    has_played = queries.played(tournament) > 0
    stats = queries.stats_soon(tournament) if has_played else None
    strengths = queries.strengths_soon(tournament) if has_played else None
    strength = (strengths or {}).get(bot)
    places = places_of(queries, tournament)
    record = record_of(stats, bot, tuple(places)) if stats else None
    line = next((line for line in queries.standings(tournament) if line.bot == bot), None)
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
        strength=strength if strength and strength.strength is not None else None,
        ranks=possible_ranks(strength),
        record=record,
        duels=record.contests[: None if len(record.contests) <= DUELS else DUELS // 2] if record else (),
        links_matches=links_matches(request, tournament),
        why=why_lost(request, tournament, bot, line.matches) if line else None,
        losses=_losses(queries, tournament, stats, bot) if stats else [],
        faults=queries.faults(tournament, bot, LAST_MATCHES),
        last=queries.matches(tournament, MatchFilter(bot=bot)).matches[:LAST_MATCHES],
    )


def _losses(queries: Queries, tournament: StoredTournament, stats: TournamentStats, bot: str) -> list[LostMatch]:
    losses = stats.losses.get(bot, ())
    listed = {each.match.id: each for each in queries.look_up(tuple(loss.match for loss in losses))}
    found = []
    for loss in losses:
        if loss.match not in listed:
            continue
        match = listed[loss.match].match
        seat = next(number for number, each in enumerate(match.seats) if each.bot == bot)
        is_open = queries.is_block_over(tournament, match)
        point = turning_point(queries, match, seat) if is_open else None
        found.append(LostMatch(loss, listed[loss.match], seat, match.seats[seat], point))
    return found
