"""Queries on recent activity in a whole database: the matches of the last hour, bots that failed, and the newest seals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, and_, func, select

from leaderboard.seals.links import LinkError, read_body
from leaderboard.storage.database import Database
from leaderboard.storage.runs import in_utc
from leaderboard.storage.tables import BOT, MATCH, SEAL_LINK, SEAT, TOURNAMENT, VERSION

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
    of_each = select(func.max(MATCH.c.finished)).where(MATCH.c.tournament_id == TOURNAMENT.c.id).scalar_subquery()
    with database.reading() as connection:
        moments = [in_utc(each) for each in connection.execute(select(of_each).select_from(TOURNAMENT)).scalars() if each is not None]
    return max(moments, default=None)


def find_activity(database: Database, now: datetime) -> Activity:
    """Return the activity in the last hour, at most its newest ``MOST_MATCHES`` matches."""
    with database.reading() as connection:
        since = now - LATELY
        matches = _count(connection, since, now)
        if matches > MOST_MATCHES:
            oldest = select(MATCH.c.finished).where(_between(since, now)).order_by(MATCH.c.finished.desc()).offset(MOST_MATCHES).limit(1)
            since = in_utc(connection.execute(oldest).scalar_one())
            matches = _count(connection, since, now)
        return Activity(since, matches, _faults(connection, since, now))


def find_seals(database: Database) -> tuple[NewestSeal, ...]:
    """Return the newest seal of each of the newest ``SEALS`` tournaments, newest tournament first."""
    last = select(func.max(SEAL_LINK.c.number)).where(SEAL_LINK.c.tournament_id == TOURNAMENT.c.id).correlate(TOURNAMENT).scalar_subquery()
    played = select(func.count()).select_from(MATCH).where(MATCH.c.tournament_id == TOURNAMENT.c.id).scalar_subquery()
    query = (
        select(TOURNAMENT.c.name, played.label("played"), SEAL_LINK.c.number, SEAL_LINK.c.body, SEAL_LINK.c.signature)
        .outerjoin(SEAL_LINK, and_(SEAL_LINK.c.tournament_id == TOURNAMENT.c.id, SEAL_LINK.c.number == last))
        .order_by(TOURNAMENT.c.id.desc())
        .limit(SEALS)
    )
    with database.reading() as connection:
        return tuple(_seal(*row) for row in connection.execute(query))


def _seal(tournament: str, played: int, number: int | None, text: str | None, signature: str | None) -> NewestSeal:
    if number is None:
        return NewestSeal(tournament, played, 0)
    try:
        body = read_body(text)
    except LinkError:
        return NewestSeal(tournament, played, number, is_signed=signature is not None)
    return NewestSeal(tournament, played, number, body.time, body.matches, body.is_final, signature is not None)


def _between(after: datetime, until: datetime) -> ColumnElement[bool]:
    """Return the condition for matches that finished between two times, which uses the index on tournaments and times."""
    return and_(MATCH.c.tournament_id.in_(select(TOURNAMENT.c.id)), MATCH.c.finished > after, MATCH.c.finished <= until)


def _count(connection: Connection, after: datetime, until: datetime) -> int:
    return int(connection.execute(select(func.count()).select_from(MATCH).where(_between(after, until))).scalar_one())


def _faults(connection: Connection, after: datetime, until: datetime) -> tuple[BotFaults, ...]:
    query = (
        select(MATCH.c.tournament_id, SEAT.c.bot_version_id, SEAT.c.fault, func.count())
        .select_from(MATCH)
        .join(SEAT, SEAT.c.match_id == MATCH.c.id)
        .where(_between(after, until))
        .group_by(MATCH.c.tournament_id, SEAT.c.bot_version_id, SEAT.c.fault)
    )
    played: Counter[tuple[int, int]] = Counter()
    kinds: dict[tuple[int, int], dict[str, int]] = {}
    for of, version, fault, number in connection.execute(query):
        played[of, version] += number
        if fault is not None:
            kinds.setdefault((of, version), {})[fault] = number
    tournaments = _names(connection, select(TOURNAMENT.c.id, TOURNAMENT.c.name), {of for of, _ in kinds})
    bots = _bots(connection, {version for _, version in kinds})
    found = [
        BotFaults(tournaments[key[0]], bots[key[1]], played[key], sum(of_kind.values()), dict(sorted(of_kind.items())))
        for key, of_kind in kinds.items()
    ]
    return tuple(sorted(found, key=lambda each: (-each.faults, each.tournament, each.bot)))


def _bots(connection: Connection, versions: set[int]) -> dict[int, str]:
    return _names(connection, select(VERSION.c.id, BOT.c.name).join(BOT, BOT.c.id == VERSION.c.bot_id), versions)


def _names(connection: Connection, query: Select[Any], ids: set[int]) -> dict[int, str]:
    """Return the names that the query for ids and names has for these ids."""
    return {row[0]: row[1] for row in connection.execute(query.where(query.selected_columns[0].in_(ids)))} if ids else {}
