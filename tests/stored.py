"""What is stored, read for tests."""

from __future__ import annotations

from dataclasses import fields

from leaderboard.ratings.rating_fold import Rated
from leaderboard.storage.raw_queries import read_ratings
from leaderboard.storage.store import Store, StoredTournament


def points_of(store: Store, tournament: StoredTournament, bot: str) -> tuple[Rated, ...]:
    """A bot's stored ratings after matches, by number."""
    with store.reading() as connection:
        rows = [each for each in read_ratings(connection, tournament.id) if each.bot == bot]
    return tuple(Rated(*(getattr(each, field.name) for field in fields(Rated))) for each in rows)
