"""The store: one open database with all that is read from it and written to it. It computes no rating and opens no file itself."""

from __future__ import annotations

from leaderboard.matches import CHUNK, DeterminismError, Matches
from leaderboard.ratings_store import Ratings
from leaderboard.rows import replay_digest
from leaderboard.stored import Entrant, StoredMatch, StoredTournament, Tally
from leaderboard.tallies import Tallies
from leaderboard.tournaments import Tournaments, version_id

__all__ = ["CHUNK", "DeterminismError", "Entrant", "Store", "StoredMatch", "StoredTournament", "Tally", "replay_digest", "version_id"]


class Store(Tournaments, Matches, Tallies, Ratings):
    """An open database, to be used in a ``with`` statement."""
