"""Storing and reading tournaments, and the versions of bots that play in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import msgspec
from sqlalchemy import (
    CompoundSelect,
    Connection,
    Integer,
    Row,
    bindparam,
    delete,
    func,
    insert,
    null,
    select,
    update,
)

from engine.decoding import convert
from leaderboard.records.stored import SCHEDULING, WAITING, Entrant, Order, StoredSecret, StoredTournament
from leaderboard.storage.database import StoreError
from leaderboard.storage.rows import entrants_of
from leaderboard.storage.seal_chain import Seals
from leaderboard.storage.tables import BOT, ENTRANT, MATCH, ORDER, RATING, STANDING, TOURNAMENT, VERSION


class ExtendedError(StoreError):
    """A tournament was extended since it was read; read it again and retry."""


class Tournaments(Seals):
    """The tournaments and bots in a database."""

    def tournament(self, name: str | None = None) -> StoredTournament | None:
        """Return the tournament of that name, or without a name the newest; None if there is none."""
        query = select(TOURNAMENT).order_by(TOURNAMENT.c.id.desc()).limit(1)
        if name is not None:
            query = query.where(TOURNAMENT.c.name == name)
        with self.reading() as connection:
            row = connection.execute(query).one_or_none()
            if row is None:
                return None
            entrants = tuple(Entrant(each.name, each.digest, each.origin, each.joined) for each in connection.execute(entrants_of(row.id)))
            orders = _orders(connection, row.id)
        secret = None if row.commitment is None else StoredSecret(row.commitment, row.secret, row.public_value)
        seed = row.seed if secret is None else None
        return StoredTournament(row.id, row.name, row.game, seed, row.spec, row.total or None, entrants, secret, orders)

    def tournament_names(self) -> tuple[str, ...]:
        """Return the names of all tournaments, oldest first."""
        with self.reading() as connection:
            return tuple(connection.execute(select(TOURNAMENT.c.name).order_by(TOURNAMENT.c.id)).scalars())

    def add_tournament(
        self,
        name: str,
        game: str,
        seed: int | None,
        spec: str,
        total: int | None,
        entrants: Sequence[Entrant],
        secret: StoredSecret | None = None,
    ) -> StoredTournament:
        """Store a tournament and its bots' versions before its first match; ``total`` is None if it is unknown.

        Raises StoreError if there is a tournament of that name, or another one has the same secret.
        """
        with self.writing() as connection:
            if connection.execute(select(TOURNAMENT.c.id).where(TOURNAMENT.c.name == name)).first() is not None:
                raise StoreError(f"another run has just started the tournament '{name}' in {self.name}; run the same command again")
            values = {"name": name, "game": game, "seed": seed or 0, "spec": spec, "total": total or 0, "created": datetime.now(UTC)}
            if secret is not None:
                same = select(TOURNAMENT.c.id).where(TOURNAMENT.c.commitment == secret.commitment)
                if connection.execute(same).first() is not None:
                    raise StoreError(f"another tournament in {self.name} has the same secret; make a new secret with 'arena secret FILE'")
                values |= asdict(secret)
            tournament = _new_id(connection.execute(insert(TOURNAMENT).values(values)).inserted_primary_key)
            _add_entrants(connection, tournament, entrants)
            self.add_link(connection, tournament)
        return self._again(name)

    def extend_tournament(
        self,
        tournament: StoredTournament,
        spec: str,
        total: int | None,
        entrants: Sequence[Entrant] = (),
        *,
        reorders: bool,
    ) -> StoredTournament:
        """Store additions to a tournament: the spec that includes them, and the versions of new bots.

        If they ``reorder`` the stored matches, ratings and standings are dropped, to be folded again in the new order. Raises ExtendedError
        if the stored spec is no longer that of ``tournament``, since writing this one would drop the other additions.
        """
        with self.writing() as connection:
            is_same = (TOURNAMENT.c.id == tournament.id) & (TOURNAMENT.c.spec == tournament.spec)
            if connection.execute(update(TOURNAMENT).where(is_same).values(spec=spec, total=total or 0)).rowcount != 1:
                raise ExtendedError(
                    f"the tournament '{tournament.name}' in {self.name} has been extended in the meantime; run the same command again"
                )
            if reorders:
                _drop_standings(connection, tournament.id)
            _add_entrants(connection, tournament.id, entrants)
            self.add_link(connection, tournament.id)
        return self._again(tournament.name)

    def drop_standings(self, tournament: StoredTournament) -> None:
        """Drop a tournament's ratings and standings, to be folded again because other results count now."""
        with self.writing() as connection:
            _drop_standings(connection, tournament.id)

    def add_orders(self, tournament: StoredTournament, make: Callable[[StoredTournament], Sequence[Order]]) -> StoredTournament:
        """Store the orders that ``make`` returns for the tournament as it is now; they are numbered here. It may raise to refuse them."""
        with self.writing() as connection:
            now = self._again(tournament.name)  # in the same transaction, so that nobody else writes
            orders = make(now)
            rows = [asdict(order) | {"tournament_id": now.id, "number": number} for number, order in enumerate(orders, len(now.orders) + 1)]
            if rows:
                connection.execute(insert(ORDER), rows)
                self.add_link(connection, now.id)
        return self._again(tournament.name)

    def waiting(self, tournament: StoredTournament) -> tuple[str, ...]:
        """Return the names of bots that have entered and wait for the next round."""
        with self.reading() as connection:
            query = entrants_of(tournament.id).where(ENTRANT.c.joined == WAITING)
            return tuple(row.name for row in connection.execute(query))

    def find_waiting(self, tournament: StoredTournament, number: int) -> tuple[tuple[str, ...], int | None]:
        """Return the names of bots that wait for the next round or join in this one, and the first round that a waiting order allows."""
        with self.reading() as connection:
            rows = connection.execute(_waiting(tournament.id), {"number": number}).all()
        return tuple(sorted(name for name, _ in rows if name is not None)), next(after for name, after in rows if name is None)

    def last_round(self, tournament: StoredTournament) -> int:
        """Return the last round of which a match is stored; -1 if there is none."""
        with self.reading() as connection:
            last = connection.execute(select(func.max(MATCH.c.round)).where(MATCH.c.tournament_id == tournament.id)).scalar_one()
        return -1 if last is None else int(last)

    def begin_round(
        self, tournament: StoredTournament, number: int, rules: Sequence[Order] = (), *, joins: bool = True, takes: bool = True
    ) -> StoredTournament:
        """Begin a round, of which no match may have been handed out: waiting bots join if ``joins``, due orders take effect if ``takes``.

        ``rules`` are further orders that take effect in this round, by rules of the tournament's file.
        """
        enter = (ENTRANT.c.tournament_id == tournament.id) & (ENTRANT.c.joined == WAITING)
        due = (ORDER.c.tournament_id == tournament.id) & (ORDER.c.round == WAITING) & (ORDER.c.after <= number)
        with self.writing() as connection:
            if joins:
                connection.execute(update(ENTRANT).where(enter).values(joined=max(1, number)))  # 0 is for those there from the start
            kinds = {order.kind for order in rules}
            if takes:
                kinds.update(connection.execute(select(ORDER.c.kind).where(due)).scalars())
                connection.execute(update(ORDER).where(due).values(round=number))
            if kinds & SCHEDULING:  # how many matches there will be is no longer known
                connection.execute(update(TOURNAMENT).where(TOURNAMENT.c.id == tournament.id).values(total=0))
            first = 1 + (
                connection.execute(select(func.max(ORDER.c.number)).where(ORDER.c.tournament_id == tournament.id)).scalar_one() or 0
            )
            rows = [asdict(order) | {"tournament_id": tournament.id, "number": each} for each, order in enumerate(rules, first)]
            if rows:
                connection.execute(insert(ORDER), rows)
            self.add_link(connection, tournament.id)
        return self._again(tournament.name)

    def _again(self, name: str) -> StoredTournament:
        stored = self.tournament(name)
        assert stored is not None
        return stored

    def keep_speeds(self, seconds: Mapping[str, float]) -> None:
        """Store the seconds per match of these versions, by content hash, as measured by their checks."""
        if not seconds:
            return
        with self.writing() as connection:
            for digest, each in seconds.items():
                connection.execute(update(VERSION).where(VERSION.c.digest == digest).values(match_seconds=each))

    def speeds(self, tournament: StoredTournament) -> dict[str, float]:
        """Return the seconds per match of the entrants whose checks have measured them."""
        same = VERSION.alias()  # submitted under another name
        measured = select(func.max(same.c.match_seconds)).where(same.c.digest == VERSION.c.digest).scalar_subquery()
        with self.reading() as connection:
            rows = connection.execute(entrants_of(tournament.id).with_only_columns(BOT.c.name, measured))
            return {name: seconds for name, seconds in rows if seconds is not None}

    def bots(self) -> tuple[Entrant, ...]:
        """Return every version of every bot that ever took part, by name, oldest version first."""
        query = (
            select(BOT.c.name, VERSION.c.digest, VERSION.c.origin)
            .join(VERSION, VERSION.c.bot_id == BOT.c.id)
            .order_by(BOT.c.name, VERSION.c.id)
        )
        with self.reading() as connection:
            return tuple(Entrant(row.name, row.digest, row.origin) for row in connection.execute(query))


@lru_cache(maxsize=16)
def _waiting(tournament: int) -> CompoundSelect[Any]:
    """Return the query for the bots that wait or join in round ``number``; its last row has the least ``after`` of waiting orders."""
    joins = (ENTRANT.c.joined == WAITING) | (ENTRANT.c.joined == bindparam("number", type_=Integer))
    bots = entrants_of(tournament).with_only_columns(BOT.c.name, null()).where(joins).order_by(None)
    return bots.union_all(select(null(), func.min(ORDER.c.after)).where(ORDER.c.tournament_id == tournament, ORDER.c.round == WAITING))


def _drop_standings(connection: Connection, tournament: int) -> None:
    for table in (RATING, STANDING):
        connection.execute(delete(table).where(table.c.tournament_id == tournament))
    connection.execute(update(TOURNAMENT).where(TOURNAMENT.c.id == tournament).values(rated=0))


def _orders(connection: Connection, tournament: int) -> tuple[Order, ...]:
    columns = [ORDER.c[field.name] for field in fields(Order)]
    query = select(*columns).where(ORDER.c.tournament_id == tournament).order_by(ORDER.c.number)
    try:
        return tuple(convert(dict(row), Order) for row in connection.execute(query).mappings())  # SQLite does not enforce column types
    except msgspec.ValidationError as error:
        raise StoreError(f"an order of a ladder is damaged ({error}); 'arena verify' lists what was changed") from None


def _add_entrants(connection: Connection, tournament: int, entrants: Sequence[Entrant]) -> None:
    for entrant in entrants:
        values = {"tournament_id": tournament, "bot_version_id": version_id(connection, entrant), "joined": entrant.joined}
        connection.execute(insert(ENTRANT).values(values))


def version_id(connection: Connection, entrant: Entrant) -> int:
    """Return the id of a bot's version, adding the bot and the version if they are new."""
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
    """Return the id of each entrant's version by the bot's name."""
    return {row.name: row.id for row in connection.execute(entrants_of(tournament.id))}


def _new_id(key: Row[Any] | None) -> int:
    assert key is not None
    return int(key[0])
