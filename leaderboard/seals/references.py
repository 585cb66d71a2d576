"""Inconsistencies between tables: references to rows that don't exist, rows that nothing refers to, matches both played and void."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, and_, func, select
from sqlmodel import SQLModel

from leaderboard.storage.raw_queries import as_is
from leaderboard.storage.tables import BOT, ENTRANT, MATCH, SUBMISSION, VERSION, VOID

_SCHEMA: Final = SQLModel.metadata.tables["arena_schema"]


@dataclass(frozen=True, slots=True)
class Dangling:
    """A reference to a row that doesn't exist in ``parent``; ``count`` rows of ``table`` have such a value in ``column``."""

    table: str
    column: str
    value: object
    parent: str
    count: int


def dangling(connection: Connection) -> tuple[Dangling, ...]:
    """Return an entry for each column with references to missing rows: the first such value, and the number of rows."""
    entries = []
    for table in SQLModel.metadata.sorted_tables:
        for key in [key for column in table.columns for key in column.foreign_keys]:
            parent = key.column.table.alias("parent")
            lost = and_(key.parent.is_not(None), ~select(parent).where(parent.c[key.column.name] == key.parent).exists())
            count = connection.execute(select(func.count()).select_from(table).where(lost)).scalar_one()
            if count:
                first = connection.execute(select(as_is(key.parent)).where(lost).order_by(key.parent).limit(1)).scalar_one()
                entries.append(Dangling(table.name, key.parent.name, first, key.column.table.name, count))
    return tuple(entries)


def orphans(connection: Connection) -> Iterator[tuple[str, object, str]]:
    """Yield rows that no run and no submission makes: the column, its value, and in words what should be there."""
    bots = select(as_is(BOT.c.name)).where(~select(VERSION).where(VERSION.c.bot_id == BOT.c.id).exists())
    for name in connection.execute(bots.order_by(BOT.c.name)).scalars():
        yield "bot.name", name, "a bot with a version"
    uses = [select(table).where(table.c.bot_version_id == VERSION.c.id).exists() for table in (ENTRANT, SUBMISSION)]
    for digest in connection.execute(select(as_is(VERSION.c.digest)).where(~uses[0], ~uses[1]).order_by(VERSION.c.id)).scalars():
        yield "bot_version.digest", digest, "a version that was entered or submitted"
    for version in connection.execute(select(as_is(_SCHEMA.c.version)).order_by(_SCHEMA.c.version)).scalars().all()[:-1]:
        yield "arena_schema.version", version, "one version of the tables"


def played_voids(connection: Connection) -> tuple[str, ...]:
    """Return the ids of matches that are stored both as played and as void, sorted."""
    return tuple(connection.execute(select(VOID.c.match_id).join(MATCH, MATCH.c.id == VOID.c.match_id).order_by(MATCH.c.id)).scalars())
