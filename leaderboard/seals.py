"""The digests that a run leaves in the database, to be compared by a verification. It computes those of the entry only."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import Connection, delete, insert, select

from leaderboard.database import Database
from leaderboard.models import SEAL, TOURNAMENT
from leaderboard.rows import entrants_of
from leaderboard.stored import Entrant, StoredTournament

SPEC: Final = "spec"
BOTS: Final = "bots"
RESULTS: Final = "results"
RATINGS: Final = "ratings"


def entry_digests(spec: str, entrants: Sequence[Entrant]) -> dict[str, str]:
    """The digests of what is entered: the canonical spec, and the bots, sorted by name, with content hash and when they joined."""
    bots = [[each.name, each.digest, each.joined] for each in entrants]
    return {SPEC: _digest(spec), BOTS: _digest(json.dumps(bots, separators=(",", ":"), default=repr))}


def _digest(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode(errors='surrogatepass')).hexdigest()}"


def seal_entry(connection: Connection, tournament: int) -> None:
    """Store the digests of what is entered now."""
    spec = connection.execute(select(TOURNAMENT.c.spec).where(TOURNAMENT.c.id == tournament)).scalar_one()
    entrants = [Entrant(row.name, row.digest, row.origin, row.joined) for row in connection.execute(entrants_of(tournament))]
    _write_seals(connection, tournament, entry_digests(spec, entrants))


def remove_seals(connection: Connection, tournament: int, *kinds: str) -> None:
    """These digests hold no more."""
    connection.execute(delete(SEAL).where(SEAL.c.tournament_id == tournament, SEAL.c.kind.in_(kinds)))


def _write_seals(connection: Connection, tournament: int, digests: Mapping[str, str]) -> None:
    remove_seals(connection, tournament, *digests)
    connection.execute(insert(SEAL), [{"tournament_id": tournament, "kind": kind, "digest": digest} for kind, digest in digests.items()])


class Seals(Database):
    """What a database has of digests."""

    def seal(self, tournament: StoredTournament, results: str, ratings: str) -> None:
        """A run has ended: store the digests of what it printed, and of what is entered."""
        with self.writing() as connection:
            seal_entry(connection, tournament.id)
            _write_seals(connection, tournament.id, {RESULTS: results, RATINGS: ratings})

    def seals(self, tournament: int) -> dict[str, str]:
        """The stored digests of a tournament, by kind; a run that goes on, or was killed, has none of results and ratings."""
        with self.reading() as connection:
            rows = connection.execute(select(SEAL.c.kind, SEAL.c.digest).where(SEAL.c.tournament_id == tournament))
            return {row.kind: row.digest for row in rows}
