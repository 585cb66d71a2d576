"""What a host watches: the matches of the last hour, bots that failed, and the newest seals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement
from sqlmodel import Session, and_, col, func, select

from leaderboard.seals import LinkError, read_body
from leaderboard.storage.database import Database
from leaderboard.storage.tables import Match, SealLink, SeatRow, Tournament, Version

LATELY: Final = timedelta(hours=1)
"""The time that faults are listed for."""
MOST_MATCHES: Final = 10_000
"""The most matches that are examined, the newest ones."""
SEALS: Final = 20
"""The number of newest tournaments whose newest seal is listed."""


@dataclass(frozen=True, slots=True)
class BotFaults:
    """The faults of a bot in a tournament: in ``matches`` seats it took part, and in ``faults`` of these it failed, by kind."""

    tournament: str
    bot: str
    matches: int
    faults: int
    kinds: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Activity:
    """The activity from ``since`` on: the ``matches`` stored, and the bots that failed, most faults first."""

    since: datetime
    matches: int
    faults: tuple[BotFaults, ...]


@dataclass(frozen=True, slots=True)
class NewestSeal:
    """The newest seal of a tournament of ``played`` matches: the ``number`` of seals (0: none), and how many matches it covers.

    ``time`` is that of the machine that made it, in UTC; it is None, as is ``matches``, if the seal can't be read.
    """

    tournament: str
    played: int
    number: int
    time: str | None = None
    matches: int | None = None
    is_final: bool = False
    is_signed: bool = False


def find_newest(database: Database) -> datetime | None:
    """Return when the newest match was stored, by the clock of the machine that stored it; None if there is none."""
    of_each = select(func.max(Match.finished)).where(Match.tournament_id == Tournament.id).correlate(Tournament).scalar_subquery()
    with database.session() as session:
        newest: datetime | None = session.exec(select(func.max(of_each)).select_from(Tournament)).one()
    return newest


def find_activity(database: Database, now: datetime) -> Activity:
    """Return the activity in the last hour, at most its newest ``MOST_MATCHES`` matches."""
    with database.session() as session:
        since = now - LATELY
        matches = _count(session, since, now)
        if matches > MOST_MATCHES:
            newest = select(Match.finished).where(_between(since, now)).order_by(col(Match.finished).desc())
            since = session.exec(newest.offset(MOST_MATCHES).limit(1)).one()
            matches = _count(session, since, now)
        return Activity(since, matches, _faults(session, since, now))


def find_seals(database: Database) -> tuple[NewestSeal, ...]:
    """Return the newest seal of each of the newest ``SEALS`` tournaments, newest tournament first."""
    last = select(func.max(SealLink.number)).where(SealLink.tournament_id == Tournament.id).correlate(Tournament).scalar_subquery()
    played = select(func.count()).select_from(Match).where(Match.tournament_id == Tournament.id).correlate(Tournament).scalar_subquery()
    query = select(Tournament.name, played, SealLink).select_from(Tournament)
    query = query.outerjoin(SealLink, and_(col(SealLink.tournament_id) == Tournament.id, col(SealLink.number) == last))
    with database.session() as session:
        return tuple(_seal(*row) for row in session.exec(query.order_by(col(Tournament.id).desc()).limit(SEALS)))


def _seal(tournament: str, played: int, link: SealLink | None) -> NewestSeal:
    if link is None:
        return NewestSeal(tournament, played, 0)
    is_signed = link.signature is not None
    try:
        body = read_body(link.body)
    except LinkError:
        return NewestSeal(tournament, played, link.number, is_signed=is_signed)
    return NewestSeal(tournament, played, link.number, body.time, body.matches, body.is_final, is_signed)


def _between(after: datetime, until: datetime) -> ColumnElement[bool]:
    """Return the condition for matches that finished between two times, which uses the index on tournaments and times."""
    return and_(col(Match.tournament_id).in_(select(Tournament.id)), col(Match.finished) > after, col(Match.finished) <= until)


def _count(session: Session, after: datetime, until: datetime) -> int:
    return session.exec(select(func.count()).select_from(Match).where(_between(after, until))).one()


def _faults(session: Session, after: datetime, until: datetime) -> tuple[BotFaults, ...]:
    query = (
        select(Match.tournament_id, SeatRow.bot_version_id, SeatRow.fault, func.count())
        .select_from(Match)
        .join(SeatRow)
        .where(_between(after, until))
        .group_by(col(Match.tournament_id), col(SeatRow.bot_version_id), col(SeatRow.fault))
    )
    played: Counter[tuple[int, int]] = Counter()
    kinds: dict[tuple[int, int], dict[str, int]] = {}
    for of, version, fault, number in session.exec(query):
        played[of, version] += number
        if fault is not None:
            kinds.setdefault((of, version), {})[fault] = number
    found = [
        BotFaults(
            session.get_one(Tournament, of).name,
            session.get_one(Version, version).bot.name,
            played[of, version],
            sum(of_kind.values()),
            dict(sorted(of_kind.items())),
        )
        for (of, version), of_kind in kinds.items()
    ]
    return tuple(sorted(found, key=lambda each: (-each.faults, each.tournament, each.bot)))
