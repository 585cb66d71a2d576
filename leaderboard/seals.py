"""The digests that a run leaves in the database, to be compared by a verification. It computes those of the entry only."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import and_, delete, insert, select

from leaderboard.models import BOT, RATING, SEAL, VERSION
from leaderboard.ratings import Rated
from leaderboard.store import Entrant, Store, StoredTournament

SPEC: Final = "spec"
BOTS: Final = "bots"
RESULTS: Final = "results"
RATINGS: Final = "ratings"
KINDS: Final = (SPEC, BOTS, RESULTS, RATINGS)


def entry_digests(spec: str, entrants: Sequence[Entrant]) -> dict[str, str]:
    """The digests of what a tournament is begun with: its canonical spec, and its bots by name and content hash."""
    bots = json.dumps([[each.name, each.digest] for each in entrants], separators=(",", ":"))
    return {SPEC: _digest(spec), BOTS: _digest(bots)}


def _digest(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode(errors='surrogatepass')).hexdigest()}"


def seal(store: Store, tournament: StoredTournament, digests: Mapping[str, str]) -> None:
    """Store digests of a tournament, by kind, in the place of those that are there."""
    rows = [{"tournament_id": tournament.id, "kind": kind, "digest": digest} for kind, digest in digests.items()]
    with store.writing() as connection:
        connection.execute(delete(SEAL).where(SEAL.c.tournament_id == tournament.id, SEAL.c.kind.in_(digests)))
        connection.execute(insert(SEAL), rows)


def unseal(store: Store, tournament: StoredTournament) -> None:
    """Results are about to come in: the digests of results and ratings hold no more."""
    with store.writing() as connection:
        connection.execute(delete(SEAL).where(SEAL.c.tournament_id == tournament.id, SEAL.c.kind.in_([RESULTS, RATINGS])))


def read_seals(store: Store, tournament: int) -> dict[str, str]:
    """The stored digests of a tournament, by kind; a run that goes on, or was killed, has none of results and ratings."""
    with store.reading() as connection:
        rows = connection.execute(select(SEAL.c.kind, SEAL.c.digest).where(SEAL.c.tournament_id == tournament))
        return {row.kind: row.digest for row in rows}


def trim_ratings(store: Store, tournament: StoredTournament, table: Sequence[Rated]) -> None:
    """Remove rating rows beyond those of the table: a run that was stopped may leave some that later results have overtaken."""
    with store.writing() as connection:
        for rated in table:
            versions = select(VERSION.c.id).join(BOT, BOT.c.id == VERSION.c.bot_id).where(BOT.c.name == rated.bot)
            own = and_(RATING.c.tournament_id == tournament.id, RATING.c.bot_version_id.in_(versions))
            connection.execute(delete(RATING).where(own, RATING.c.number > rated.number))
