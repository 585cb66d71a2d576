"""Everybody's place by the rules of a tournament's format, for pages and the API: a Swiss and a knockout have such rules."""

from __future__ import annotations

from arena.formats.base import Place
from arena.web.data.course import find_course
from arena.web.data.queries import Queries
from leaderboard.storage.store import StoredTournament


def places(queries: Queries, tournament: StoredTournament) -> tuple[Place, ...] | None:
    """Return the places, best first.

    None where ratings decide, before the first match, and where the tournament's game is not installed.
    """
    if not queries.played(tournament):
        return None
    course = find_course(queries, tournament)
    return course.places if course is not None else None
