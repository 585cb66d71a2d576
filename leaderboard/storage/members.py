"""Members: visitors who have claimed a name for playing at tables, and their rated matches, from which ratings are computed.

A member signs in with a secret of 192 random bits, stored as its SHA-256. ``key`` is by what their seats at tables know them, whatever
the secret is at the moment. They are not the authors and hosts of ``people``, and their matches belong to no tournament.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from engine.text import quote, short
from leaderboard.errors import StoreError
from leaderboard.person_names import PersonNameError, name_skeleton, person_name
from leaderboard.storage.database import Database
from leaderboard.storage.runs import in_utc
from leaderboard.storage.server_tables import MEMBER, RATED_MATCH
from leaderboard.storage.tables import PERSON

if TYPE_CHECKING:
    from leaderboard.storage.play_tables import StoredTable

LONGEST: Final = 20
"""The most characters of a member's name, as of every name at a table."""


class MemberError(StoreError):
    """A name can't be claimed; the message says why."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member by id; ``key`` is what their seats hold."""

    id: str
    name: str
    key: str
    created: datetime


class RatedState(StrEnum):
    """What has become of a rated match; a void one counts for nothing."""

    PLAYING = "playing"
    OVER = "over"
    LEFT = "left"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class RatedMatch:
    """A member's match with bots. ``versions`` has the content hash of each seat's bot, empty for the member's ``seat``.

    ``id`` is that of the stored match, if it was played to its end, with the ``ranks``. ``why`` says why it is void.
    """

    id: str
    table_id: str
    member: str
    game: str
    seat: int
    versions: tuple[str, ...]
    begun: datetime
    finished: datetime
    state: RatedState = RatedState.PLAYING
    ranks: tuple[int, ...] = ()
    why: str = ""


def claim_name(database: Database, name: str, key: str, digest: str, *, reserved: Iterable[str] = ()) -> Member:
    """Return the new member of that name, who is known by ``key`` and signs in with the secret of this digest.

    Raises MemberError for a name that is not allowed, or that looks like that of a member, of an author or host, or a ``reserved`` one.
    """
    try:
        name = short(person_name(name), 5 * LONGEST)
    except PersonNameError as error:
        raise MemberError(f"the name {quote(name)} {error}") from None
    if short(name, LONGEST) != name:
        raise MemberError(f"the name {quote(name)} should have at most {LONGEST} characters, wide ones counting twice")
    look = name_skeleton(name)
    member = Member(secrets.token_hex(6), name, key, datetime.now(UTC))
    with database.writing() as connection:
        if connection.execute(select(MEMBER.c.id).where(MEMBER.c.key == key)).first() is not None:
            raise MemberError("this browser has a name already")
        taken = {name_skeleton(each) for each in connection.execute(select(PERSON.c.name).where(PERSON.c.name.is_not(None))).scalars()}
        taken |= {name_skeleton(each) for each in reserved}
        if look in taken or connection.execute(select(MEMBER.c.id).where(MEMBER.c.look == look)).first() is not None:
            raise MemberError(f"the name {quote(name)} is taken, or looks like one that is; choose another")
        connection.execute(insert(MEMBER).values(id=member.id, name=name, look=look, key=key, digest=digest, created=member.created))
    return member


def find_member(database: Database, *, key: str = "", digest: str = "", member: str = "", name: str = "") -> Member | None:
    """Return the member with this key, digest of a secret, id, or a name that looks like this one; None if there is none."""
    by = {"key": key, "digest": digest, "id": member, "look": name_skeleton(name) if name else ""}
    column, value = next((pair for pair in by.items() if pair[1]), ("id", ""))
    with database.reading() as connection:
        row = connection.execute(select(*_MEMBER).where(MEMBER.c[column] == value)).one_or_none()
    return None if row is None else Member(**row._asdict() | {"created": in_utc(row.created)})


def members(database: Database) -> dict[str, Member]:
    """Return everybody by id."""
    with database.reading() as connection:
        rows = connection.execute(select(*_MEMBER)).all()
    return {row.id: Member(**row._asdict() | {"created": in_utc(row.created)}) for row in rows}


def change_secret(database: Database, member: str, digest: str) -> None:
    """Let a member sign in with another secret from now on, and no longer with the one before."""
    with database.writing() as connection:
        connection.execute(update(MEMBER).where(MEMBER.c.id == member).values(digest=digest))


def delete_member(database: Database, member: str) -> None:
    """Remove a member and their ratings permanently. The replays of their matches stay, with the names that seats had."""
    with database.writing(erases=True) as connection:
        connection.execute(delete(RATED_MATCH).where(RATED_MATCH.c.member == member))
        connection.execute(delete(MEMBER).where(MEMBER.c.id == member))


def begin_or_end(connection: Connection, table: StoredTable) -> None:
    """Record that the rated match of a table has begun, was left, or can't be rated."""
    if not table.rated or table.stage == "lobby":
        return
    [(seat, chair)] = [(number, chair) for number, chair in enumerate(table.chairs) if not chair.bot]
    if connection.execute(select(RATED_MATCH.c.id).where(RATED_MATCH.c.table_id == table.id)).first() is None:
        versions = tuple(each.digest for each in table.chairs)
        _add(connection, RatedMatch(table.ticket, table.id, table.rated, table.game, seat, versions, table.since, datetime.now(UTC)))
    if table.unrated:
        end_table(connection, table.id, RatedState.VOID, table.unrated)
    elif table.stage in {"over", "closed"}:
        end_table(connection, table.id, RatedState.LEFT if chair.gone else RatedState.VOID, table.problem)


def end_table(connection: Connection, table: str, state: RatedState, why: str = "") -> None:
    """Record what has become of the rated match of a table, if it has one that is not over."""
    values = {"state": state.value, "why": "" if state is RatedState.LEFT else why, "finished": datetime.now(UTC)}
    connection.execute(update(RATED_MATCH).where(RATED_MATCH.c.table_id == table, RATED_MATCH.c.state == "playing").values(values))


def add_result(connection: Connection, match: RatedMatch) -> None:
    """Store a rated match that is over."""
    connection.execute(delete(RATED_MATCH).where(RATED_MATCH.c.id == match.id))
    _add(connection, match)


def _add(connection: Connection, match: RatedMatch) -> None:
    if connection.execute(select(MEMBER.c.id).where(MEMBER.c.id == match.member)).first() is None:  # deleted during the match
        return
    values = {key: getattr(match, key) for key in ("id", "table_id", "member", "game", "seat", "begun", "finished", "why")}
    values |= {"state": match.state.value, "versions": json.dumps(match.versions), "ranks": json.dumps(match.ranks)}
    connection.execute(insert(RATED_MATCH).values(values))


def rated_matches(database: Database, member: str = "") -> tuple[RatedMatch, ...]:
    """Return the rated matches of a member, or of all, in the order in which they began."""
    query = select(*RATED_MATCH.columns).order_by(RATED_MATCH.c.begun, RATED_MATCH.c.id)
    with database.reading() as connection:
        rows = connection.execute(query.where(RATED_MATCH.c.member == member) if member else query).all()
    return tuple(_match(row) for row in rows)


def find_rated(database: Database, match: str) -> RatedMatch | None:
    """Return the rated match with that id, if there is one."""
    with database.reading() as connection:
        row = connection.execute(select(*RATED_MATCH.columns).where(RATED_MATCH.c.id == match)).one_or_none()
    return None if row is None else _match(row)


def rated_stamp(database: Database) -> tuple[object, ...]:
    """Return a value that changes when any rated match or member does."""
    query = select(func.count(), func.max(RATED_MATCH.c.finished), select(func.count()).select_from(MEMBER).scalar_subquery())
    with database.reading() as connection:
        return tuple(connection.execute(query).one())


_MEMBER: Final = [MEMBER.c[key] for key in ("id", "name", "key", "created")]


def _match(row: Row[Any]) -> RatedMatch:
    read = {"versions": tuple(json.loads(row.versions)), "ranks": tuple(json.loads(row.ranks)), "state": RatedState(row.state)}
    return RatedMatch(**row._asdict() | read | {"begun": in_utc(row.begun), "finished": in_utc(row.finished)})
