"""Tournaments and the versions that play in them: how they are stored and found."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, insert, select

from leaderboard.database import Database
from leaderboard.models import BOT, ENTRANT, TOURNAMENT, VERSION
from leaderboard.stored import Entrant, StoredTournament


class Tournaments(Database):
    """What a database knows of tournaments and bots."""

    def tournament(self, name: str | None = None) -> StoredTournament | None:
        """The tournament of that name, or without a name the newest; None if there is none."""
        query = select(TOURNAMENT).order_by(TOURNAMENT.c.id.desc()).limit(1)
        if name is not None:
            query = query.where(TOURNAMENT.c.name == name)
        with self.reading() as connection:
            row = connection.execute(query).one_or_none()
            if row is None:
                return None
            entrants = tuple(Entrant(each.name, each.digest, each.origin) for each in connection.execute(entrants_of(row.id)))
        return StoredTournament(row.id, row.name, row.game, row.seed, row.spec, row.total, entrants)

    def tournament_names(self) -> tuple[str, ...]:
        """The names of all tournaments, oldest first."""
        with self.reading() as connection:
            return tuple(connection.execute(select(TOURNAMENT.c.name).order_by(TOURNAMENT.c.id)).scalars())

    def add_tournament(self, name: str, game: str, seed: int, spec: str, total: int, entrants: Sequence[Entrant]) -> StoredTournament:
        """Store a tournament and its bots' versions before its first match."""
        with self.writing() as connection:
            values = {"name": name, "game": game, "seed": seed, "spec": spec, "total": total, "created": datetime.now(UTC)}
            tournament = _new_id(connection.execute(insert(TOURNAMENT).values(values)).inserted_primary_key)
            for entrant in entrants:
                version = version_id(connection, entrant)
                connection.execute(insert(ENTRANT).values(tournament_id=tournament, bot_version_id=version))
        stored = self.tournament(name)
        assert stored is not None
        return stored

    def bots(self) -> tuple[Entrant, ...]:
        """Every version of every bot that took part in anything, by name, oldest version first."""
        query = (
            select(BOT.c.name, VERSION.c.digest, VERSION.c.origin)
            .join(VERSION, VERSION.c.bot_id == BOT.c.id)
            .order_by(BOT.c.name, VERSION.c.id)
        )
        with self.reading() as connection:
            return tuple(Entrant(row.name, row.digest, row.origin) for row in connection.execute(query))


def version_id(connection: Connection, entrant: Entrant) -> int:
    """The id of a bot's version; the bot and the version are made if they are new."""
    bot = connection.execute(select(BOT.c.id).where(BOT.c.name == entrant.name)).scalar_one_or_none()
    if bot is None:
        bot = _new_id(connection.execute(insert(BOT).values(name=entrant.name)).inserted_primary_key)
    query = select(VERSION.c.id).where(VERSION.c.bot_id == bot, VERSION.c.digest == entrant.digest)
    version: int | None = connection.execute(query).scalar_one_or_none()
    if version is None:
        values = {"bot_id": bot, "digest": entrant.digest, "origin": entrant.origin, "created": datetime.now(UTC)}
        version = _new_id(connection.execute(insert(VERSION).values(values)).inserted_primary_key)
    return version


def version_ids(connection: Connection, tournament: StoredTournament) -> dict[str, int]:
    """The id of each entrant's version, by the bot's name."""
    return {row.name: row.id for row in connection.execute(entrants_of(tournament.id))}


def entrants_of(tournament: int) -> Select[Any]:
    """The query for a tournament's entrants, by name."""
    return (
        select(BOT.c.name, VERSION.c.id, VERSION.c.digest, VERSION.c.origin)
        .join(VERSION, VERSION.c.bot_id == BOT.c.id)
        .join(ENTRANT, ENTRANT.c.bot_version_id == VERSION.c.id)
        .where(ENTRANT.c.tournament_id == tournament)
        .order_by(BOT.c.name)
    )


def _new_id(key: Row[Any] | None) -> int:
    assert key is not None
    return int(key[0])
