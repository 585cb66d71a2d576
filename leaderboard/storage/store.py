"""The store: an open database with everything that is read from it and written to it. ``rows`` converts between results and rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import Connection, delete, func, select, update

from engine.records import DamagedError, MatchResult, VoidMatch, unpack_text
from leaderboard.chunks import chunks
from leaderboard.errors import StoreError
from leaderboard.ratings.rating_fold import Rated
from leaderboard.ratings.results_fold import Entry, Folded, Total
from leaderboard.records.stored import Entrant, StoredMatch, StoredTournament
from leaderboard.storage.inserts import insert_or_replace, insert_rows, storing
from leaderboard.storage.raw_queries import count_matches
from leaderboard.storage.rows import match_row, read_entries, read_matches, seat_rows, select_matches, write_logs
from leaderboard.storage.seal_chain import RunEnd, next_link
from leaderboard.storage.tables import BOT, MATCH, RATING, SEAT, STANDING, TOURNAMENT, VERSION, VOID
from leaderboard.storage.tournaments import Tournaments, version_id, version_ids

__all__ = ["Entrant", "Store", "StoredMatch", "StoredTournament", "version_id"]

_LAST: Final = chr(0x10FFFF)
"""The highest code point, which sorts after every other."""


def _not_deterministic(result: MatchResult) -> StoreError:
    return StoreError(
        f"match {result.ticket.id} ({', '.join(result.ticket.seats)}) was played twice with different results: "
        "one of these bots does not play the same way with the same seed"
    )


class Store(Tournaments):
    """An open database, to be used in a ``with`` statement.

    Standings follow from the results and may be deleted without loss.
    """

    _known: tuple[int, tuple[Entrant, ...], Mapping[str, int]] | None = None

    def _versions(self, connection: Connection, tournament: StoredTournament) -> Mapping[str, int]:
        """Return the id of each entrant's version by the bot's name, cached until the entrants change."""
        if self._known is None or self._known[:2] != (tournament.id, tournament.entrants):
            self._known = tournament.id, tournament.entrants, version_ids(connection, tournament)
        return self._known[2]

    def add_results(
        self, tournament: StoredTournament, results: Sequence[MatchResult], folded: Folded | None = None, saved: Collection[Total] = ()
    ) -> int:
        """Store results in one transaction, with the standings that follow from them, if given; return how many results were new.

        Standings that are unchanged since they were last ``saved`` are not written again. Raises StoreError if a match is already stored
        with another result; then nothing is stored.
        """
        if not results and folded is None:
            return 0
        fresh: dict[str, MatchResult] = {}
        for result in results:
            if fresh.setdefault(result.ticket.id, result).replay != result.replay:
                raise _not_deterministic(result)
        now = datetime.now(UTC)
        with self.writing() as connection:
            if fresh:
                for match, digest in connection.execute(select(MATCH.c.id, MATCH.c.digest).where(MATCH.c.id.in_(fresh))):
                    if fresh.pop(match).replay.digest != digest:
                        raise _not_deterministic(next(result for result in results if result.ticket.id == match))
            versions = self._versions(connection, tournament)
            if fresh:
                link = next_link(connection, tournament.id)
                stored = storing(connection, MATCH.c.finished)
                times = [stored(now - timedelta(microseconds=ago)) for ago in range(len(fresh))]
                rows = [match_row(tournament.id, *each, link) for each in zip(fresh.values(), reversed(times), strict=True)]
                insert_rows(connection, MATCH, rows)  # times differ, since lists show the newest first, even within one commit
                insert_rows(connection, SEAT, [row for result in fresh.values() for row in seat_rows(result, versions)])
                write_logs(connection, fresh.values())
                if connection.execute(select(VOID.c.match_id).limit(1)).first() is not None:  # rare; a long list of ids takes longer
                    connection.execute(delete(VOID).where(VOID.c.match_id.in_(fresh)))
            if folded is not None:
                _write_standings(connection, tournament, versions, folded, saved)
        return len(fresh)

    def add_void(self, tournament: StoredTournament, void: VoidMatch) -> None:
        """Record that the machine could not play a match, replacing an earlier record of it."""
        values: dict[str, object] = {
            "match_id": void.ticket.id,
            "tournament_id": tournament.id,
            "seats": ", ".join(void.ticket.seats),
            "reason": void.reason,
            "happened": datetime.now(UTC),
        }
        with self.writing() as connection:
            values["link"] = next_link(connection, tournament.id)
            connection.execute(insert_or_replace(connection, VOID), values)

    def entries(self, tournament: StoredTournament, ids: Iterable[str]) -> dict[str, Entry]:
        """Return the fold's entry for each of these matches that is stored, by id."""
        entries: dict[str, Entry] = {}
        with self.reading() as connection:
            names = {version: name for name, version in version_ids(connection, tournament).items()}
            for chunk in chunks(ids):
                entries.update((entry.match, entry) for entry in read_entries(connection, chunk, names))
        return entries

    def matches(self, ids: Iterable[str]) -> dict[str, StoredMatch]:
        """Return each of these matches that is stored, by id."""
        stored: dict[str, StoredMatch] = {}
        with self.reading() as connection:
            for chunk in chunks(ids):
                stored.update({match.id: match for match in read_matches(connection.execute(select_matches(chunk)))})
        return stored

    def recent_matches(self, tournament: StoredTournament, *, bot: str | None = None, limit: int = 20) -> tuple[StoredMatch, ...]:
        """Return the matches of a tournament, or of one of its bots, that finished last, newest first."""
        newest = select(MATCH.c.id).where(MATCH.c.tournament_id == tournament.id).order_by(MATCH.c.finished.desc(), MATCH.c.id).limit(limit)
        if bot is not None:
            newest = newest.join(SEAT, SEAT.c.match_id == MATCH.c.id).join(VERSION, VERSION.c.id == SEAT.c.bot_version_id)
            newest = newest.join(BOT, BOT.c.id == VERSION.c.bot_id).where(BOT.c.name == bot)
        with self.reading() as connection:
            ids = list(connection.execute(newest).scalars())
        matches = self.matches(ids)
        return tuple(matches[match] for match in ids)

    def find_ids(self, beginning: str, most: int) -> tuple[str, ...]:
        """Return at most ``most`` ids of matches that begin with ``beginning``, in ascending order."""
        query = select(MATCH.c.id).where(MATCH.c.id >= beginning, MATCH.c.id <= beginning + _LAST).order_by(MATCH.c.id).limit(most)
        with self.reading() as connection:
            return tuple(connection.execute(query).scalars())

    def find_match(self, beginning: str) -> StoredMatch:
        """Return the one match whose id begins with the text. Raises StoreError if there is none, or several."""
        ids = self.find_ids(beginning, 2)
        if len(ids) != 1:
            what = "more than one match begins" if ids else "no match begins"
            raise StoreError(f"{what} with '{beginning}' in {self.name}; 'arena matches --db {self.name}' lists them")
        return self.matches(ids)[ids[0]]

    def replay(self, match: str) -> str:
        """Return the replay of a stored match, as JSON text. Raises StoreError when it is damaged."""
        with self.reading() as connection:
            packed: bytes = connection.execute(select(MATCH.c.replay).where(MATCH.c.id == match)).scalar_one()
        try:
            return unpack_text(packed)
        except DamagedError as error:
            raise StoreError(f"the replay of match {match} in {self.name} is damaged: {error}") from None

    def count_matches(self, tournament: StoredTournament) -> int:
        """Return how many matches of the tournament are stored."""
        with self.reading() as connection:
            return count_matches(connection, tournament.id)

    def add_points(self, tournament: StoredTournament, points: Sequence[Rated]) -> None:
        """Store ratings after matches, replacing those already there."""
        if not points:
            return
        with self.writing() as connection:
            _write_points(connection, tournament.id, self._versions(connection, tournament), points)

    def seal(self, tournament: StoredTournament, folded: Folded, ratings: str, *, is_final: bool, conclusion: str = "") -> str:
        """Store a run's last standings and seal them; return the digest of the seal.

        A final run also stores the number of the tournament's matches, if that was unknown. A ``conclusion`` is sealed as well.
        """
        with self.writing() as connection:
            _write_standings(connection, tournament, self._versions(connection, tournament), folded)
            if is_final and tournament.total is None:
                total = count_matches(connection, tournament.id)
                connection.execute(update(TOURNAMENT).where(TOURNAMENT.c.id == tournament.id).values(total=total))
            return self.add_link(connection, tournament.id, RunEnd(is_final, folded.results_digest, ratings, conclusion))

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


def _write_standings(
    connection: Connection, tournament: StoredTournament, versions: Mapping[str, int], folded: Folded, saved: Collection[Total] = ()
) -> None:
    _write_points(connection, tournament.id, versions, folded.points)
    known = {total.bot: total for total in saved}
    rows = [
        {"tournament_id": tournament.id, "bot_version_id": versions[total.bot], **{key: getattr(total, key) for key in _KEYS}}
        for total in folded.totals
        if total != known.get(total.bot)
    ]
    insert_rows(connection, STANDING, rows, replace=True)
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
    insert_rows(connection, RATING, rows, replace=True)


_KEYS = ("matches", "mu", "sigma", "wins", "places", "points", "faults", "decisions", "seconds")
