"""The names of tournaments' formats, read from their stored specs, which works without their games as well."""

from __future__ import annotations

import json
from functools import lru_cache

from leaderboard.storage.store import StoredTournament


def format_of(tournament: StoredTournament) -> str:
    """Return the name of the tournament's format."""
    return _format_in(tournament.spec)


@lru_cache(maxsize=256)
def _format_in(spec: str) -> str:
    return str(json.loads(spec).get("schedule", {}).get("format", "round-robin"))
