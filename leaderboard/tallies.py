"""What each bot's stored matches add up to."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, String, case, cast, func, select

from leaderboard.database import Database
from leaderboard.models import BOT, MATCH, SEAT, VERSION
from leaderboard.stored import StoredTournament, Tally


class Tallies(Database):
    """Sums over a database's seats."""

    def tallies(self, tournament: StoredTournament) -> tuple[Tally, ...]:
        """What each bot's stored matches add up to, by name; bots without a match are left out.

        Solo matches of a block count as one event, in which the bots are placed by their scores, forfeits last.
        """
        placed = _placed(tournament.id).subquery()
        winners = select(placed.c.event, func.count().label("number")).where(placed.c.place == 1).group_by(placed.c.event).subquery()
        query = (
            select(
                BOT.c.name,
                func.count().label("matches"),
                func.sum(case((placed.c.place == 1, 1.0 / winners.c.number), else_=0.0)).label("wins"),
                func.avg(placed.c.place).label("mean_rank"),
                func.avg(placed.c.score).label("mean_score"),
                func.count(placed.c.fault).label("faults"),
                func.sum(placed.c.decisions).label("decisions"),
                func.sum(placed.c.seconds).label("seconds"),
            )
            .join_from(placed, winners, winners.c.event == placed.c.event)
            .join(VERSION, VERSION.c.id == placed.c.bot_version_id)
            .join(BOT, BOT.c.id == VERSION.c.bot_id)
            .group_by(BOT.c.name)
            .order_by(BOT.c.name)
        )
        with self.reading() as connection:
            return tuple(Tally(*row) for row in connection.execute(query))


def _placed(tournament: int) -> Select[Any]:
    """Every seat of a tournament with its event and its place there: the match, or for solo matches the block."""
    columns = [SEAT.c[key] for key in ("bot_version_id", "score", "fault", "decisions", "seconds")]
    seats = select(*columns).join(MATCH, MATCH.c.id == SEAT.c.match_id).where(MATCH.c.tournament_id == tournament)
    table = seats.add_columns(SEAT.c.match_id.label("event"), SEAT.c.rank.label("place")).where(MATCH.c.players > 1)
    order = (SEAT.c.fault.is_not(None), SEAT.c.score.desc())
    place = func.rank().over(partition_by=MATCH.c.block, order_by=order)
    solo = seats.add_columns(cast(MATCH.c.block, String).label("event"), place.label("place")).where(MATCH.c.players == 1)
    return select(table.union_all(solo).subquery())
