"""Standings and points for plots: the state of the fold (``leaderboard.ratings.results_fold``), stored beside the results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, func, select, update

from leaderboard.ratings.rating_fold import Rated
from leaderboard.ratings.results_fold import Folded, Total
from leaderboard.seals.chain import Ended, Seals
from leaderboard.storage.backends.inserts import insert_or_replace
from leaderboard.storage.records import StoredTournament
from leaderboard.storage.tables import BOT, RATING, STANDING, TOURNAMENT, VERSION
from leaderboard.storage.tournaments import version_ids


class Standings(Seals):
    """The standings in a database. They follow from the results and may be deleted without loss."""

    def add_points(self, tournament: StoredTournament, points: Sequence[Rated]) -> None:
        """Store ratings after matches, for plots, replacing those already there."""
        if not points:
            return
        with self.writing() as connection:
            _write_points(connection, tournament.id, version_ids(connection, tournament), points)

    def save_standings(self, tournament: StoredTournament, folded: Folded) -> None:
        """Replace a tournament's standings and store the new points for plots, in one transaction."""
        with self.writing() as connection:
            _write_standings(connection, tournament, folded)

    def seal(self, tournament: StoredTournament, folded: Folded, ratings: str, *, is_final: bool) -> str:
        """Store the standings that a run ended with and seal them; return the digest of the seal.

        A final run also stores the number of the tournament's matches, if that was unknown.
        """
        with self.writing() as connection:
            _write_standings(connection, tournament, folded)
            if is_final and tournament.total is None:
                connection.execute(update(TOURNAMENT).where(TOURNAMENT.c.id == tournament.id).values(total=folded.matches))
            return self.add_link(connection, tournament.id, Ended(is_final, folded.results_digest, ratings))

    def standings(self, tournament: StoredTournament) -> tuple[int, tuple[Total, ...]]:
        """Return the number of matches that the standings cover, and the standings by name; 0 and nothing if there are none."""
        query = (
            select(BOT.c.name, *(STANDING.c[key] for key in _KEYS))
            .select_from(STANDING)
            .join(VERSION, VERSION.c.id == STANDING.c.bot_version_id)
            .join(BOT, BOT.c.id == VERSION.c.bot_id)
            .where(STANDING.c.tournament_id == tournament.id)
            .order_by(BOT.c.name)
        )
        with self.reading() as connection:
            rated: int = connection.execute(select(TOURNAMENT.c.rated).where(TOURNAMENT.c.id == tournament.id)).scalar_one()
            totals = tuple(Total(*row) for row in connection.execute(query))
        return (rated, totals) if totals else (0, ())

    def count_points(self, tournament: StoredTournament) -> int:
        """Return how many ratings after matches are stored."""
        query = select(func.count()).select_from(RATING).where(RATING.c.tournament_id == tournament.id)
        with self.reading() as connection:
            return connection.execute(query).scalar_one()


def _write_standings(connection: Connection, tournament: StoredTournament, folded: Folded) -> None:
    versions = version_ids(connection, tournament)
    _write_points(connection, tournament.id, versions, folded.points)
    rows = [
        {"tournament_id": tournament.id, "bot_version_id": versions[total.bot], **{key: getattr(total, key) for key in _KEYS}}
        for total in folded.totals
    ]
    connection.execute(insert_or_replace(connection, STANDING), rows)
    connection.execute(update(TOURNAMENT).where(TOURNAMENT.c.id == tournament.id).values(rated=folded.matches))


def _write_points(connection: Connection, tournament: int, versions: Mapping[str, int], points: Sequence[Rated]) -> None:
    rows = [
        {
            "tournament_id": tournament,
            "bot_version_id": versions[rated.bot],
            "number": rated.number,
            "match_id": rated.match,
            "mu": rated.mu,
            "sigma": rated.sigma,
        }
        for rated in points
    ]
    if rows:
        connection.execute(insert_or_replace(connection, RATING), rows)


_KEYS = ("matches", "mu", "sigma", "wins", "places", "points", "faults", "decisions", "seconds")
