"""Queries for the host's overview: recent matches, and the newest seal of a tournament."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlmodel import col, func, select

from leaderboard.seal_format import LinkError, read_body
from leaderboard.storage.database import Database
from leaderboard.storage.tables import Match, SealLink, Tournament


@dataclass(frozen=True, slots=True)
class NewestSeal:
    """The newest seal of a tournament: its ``number`` (0 if there is none), and how many matches it covers.

    ``time`` is when the seal was made, in UTC, by the clock of the machine. ``time`` and ``matches`` are None if the seal can't be read.
    """

    number: int
    time: str | None = None
    matches: int | None = None
    is_final: bool = False
    is_signed: bool = False


def count_since(database: Database, moment: datetime) -> int:
    """Return how many matches have been stored since ``moment``."""
    of_all = col(Match.tournament_id).in_(select(Tournament.id))  # to use the index on tournaments and times
    with database.session() as session:
        return session.exec(select(func.count()).select_from(Match).where(of_all, col(Match.finished) > moment)).one()


def find_seal(database: Database, tournament: int) -> NewestSeal:
    """Return the newest seal of the tournament with that id."""
    query = select(SealLink).where(SealLink.tournament_id == tournament).order_by(col(SealLink.number).desc()).limit(1)
    with database.session() as session:
        link = session.exec(query).one_or_none()
    if link is None:
        return NewestSeal(0)
    is_signed = link.signature is not None
    try:
        body = read_body(link.body)
    except LinkError:
        return NewestSeal(link.number, is_signed=is_signed)
    return NewestSeal(link.number, body.time, body.matches, body.is_final, is_signed)
