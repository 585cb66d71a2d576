"""Ratings after matches: a cache of what follows from the results. How they are computed is in ``ratings``."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.dialects.sqlite import insert

from leaderboard.database import Database
from leaderboard.models import BOT, RATING, VERSION
from leaderboard.ratings import Rated
from leaderboard.stored import StoredTournament
from leaderboard.tournaments import version_ids


class Ratings(Database):
    """What a database has of ratings."""

    def add_ratings(self, tournament: StoredTournament, ratings: Sequence[Rated]) -> None:
        """Store ratings after matches; those that are there already are replaced, since they follow from the results alone."""
        if not ratings:
            return
        upsert = insert(RATING)
        upsert = upsert.on_conflict_do_update(
            index_elements=["tournament_id", "bot_version_id", "number"],
            set_={key: upsert.excluded[key] for key in ("match_id", "mu", "sigma")},
        )
        with self.writing() as connection:
            versions = version_ids(connection, tournament)
            rows = [
                {
                    "tournament_id": tournament.id,
                    "bot_version_id": versions[rated.bot],
                    "number": rated.number,
                    "match_id": rated.match,
                    "mu": rated.mu,
                    "sigma": rated.sigma,
                }
                for rated in ratings
            ]
            connection.execute(upsert, rows)

    def latest_ratings(self, tournament: StoredTournament) -> tuple[Rated, ...]:
        """The newest stored rating of each bot that has one, by name."""
        newest = (
            select(RATING.c.bot_version_id, func.max(RATING.c.number).label("number"))
            .where(RATING.c.tournament_id == tournament.id)
            .group_by(RATING.c.bot_version_id)
            .subquery()
        )
        query = (
            select(BOT.c.name, RATING.c.number, RATING.c.match_id, RATING.c.mu, RATING.c.sigma)
            .join(newest, (newest.c.bot_version_id == RATING.c.bot_version_id) & (newest.c.number == RATING.c.number))
            .join(VERSION, VERSION.c.id == RATING.c.bot_version_id)
            .join(BOT, BOT.c.id == VERSION.c.bot_id)
            .where(RATING.c.tournament_id == tournament.id)
            .order_by(BOT.c.name)
        )
        with self.reading() as connection:
            return tuple(Rated(*row) for row in connection.execute(query))
