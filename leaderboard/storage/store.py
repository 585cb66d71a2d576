"""The store: an open database with everything that is read from it and written to it."""

from __future__ import annotations

from leaderboard.seals.chain import Seals
from leaderboard.storage.matches import DeterminismError, Matches
from leaderboard.storage.records import Entrant, StoredMatch, StoredTournament
from leaderboard.storage.standings import Standings
from leaderboard.storage.tournaments import Tournaments, version_id

__all__ = ["DeterminismError", "Entrant", "Store", "StoredMatch", "StoredTournament", "version_id"]


class Store(Tournaments, Matches, Standings, Seals):
    """An open database, to be used in a ``with`` statement."""
