"""Stores and reads tournaments and their newest runs, the bots that play in them, and seasons with their stages."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Final

import msgspec
from sqlalchemy import BindParameter, Connection, bindparam, exists
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, delete, func, or_, select

from leaderboard.errors import StoreError
from leaderboard.records import SCHEDULING, WAITING, Entrant, Order, StoredSecret, StoredTournament
from leaderboard.storage.database import Database
from leaderboard.storage.seal_chain import Seals
from leaderboard.storage.tables import (
    Bot,
    Content,
    EntrantRow,
    Match,
    OrderRow,
    Run,
    Standing,
    StoredSeason,
    StoredStage,
    Submission,
    Tournament,
    Version,
)

__all__ = ["Run", "StoredSeason", "StoredStage"]

# Queries of pages are built once, because building one takes as long as fetching a few rows.
_TOURNAMENT: Final[BindParameter[int]] = bindparam("tournament")
_NEWEST: Final = select(Tournament).order_by(col(Tournament.id).desc()).limit(1)
_ENTRANTS: Final = (
    select(Bot.name, Version.digest, Version.origin, EntrantRow.joined)
    .select_from(EntrantRow)
    .join(Version)
    .join(Bot)
    .where(col(EntrantRow.tournament_id) == _TOURNAMENT)
    .order_by(Bot.name)
)
_VERSIONS: Final = (
    select(Bot.name, Version.id).select_from(EntrantRow).join(Version).join(Bot).where(col(EntrantRow.tournament_id) == _TOURNAMENT)
)
_ORDERS: Final = select(OrderRow).where(col(OrderRow.tournament_id) == _TOURNAMENT).order_by(col(OrderRow.number))


class ExtendedError(StoreError):
    """A tournament was extended after it was read; read it again and retry."""


class Tournaments(Seals):
    """A database that tournaments and bots can be read from and added to."""

    def tournament(self, name: str | None = None) -> StoredTournament | None:
        """Return the tournament with that name (or the newest one if the name is None), or None if there is no such tournament."""
        query = _NEWEST if name is None else _NEWEST.where(Tournament.name == name)
        with self.session() as session:
            found = session.exec(query).one_or_none()
            if found is None:
                return None
            entrants = session.exec(_ENTRANTS, params={"tournament": found.id}).all()
            orders = _orders(session, found.id)
        secret = None if found.commitment is None else StoredSecret(found.commitment, found.secret or "", found.public_value)
        seed = found.seed if secret is None else None
        everybody = tuple(Entrant(*each) for each in entrants)
        return StoredTournament(found.id, found.name, found.game, seed, found.spec, found.total or None, everybody, secret, orders)

    def tournament_names(self) -> tuple[str, ...]:
        """Return the names of all tournaments, oldest first."""
        with self.session() as session:
            return tuple(session.exec(select(Tournament.name).order_by(col(Tournament.id))))

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
        """Store a tournament and its bots' versions before its first match; ``total`` is its number of matches, or None if unknown.

        Raises StoreError if a tournament with the same name or secret already exists.
        """
        with self.transaction() as session:
            if session.exec(select(Tournament.id).where(Tournament.name == name)).first() is not None:
                raise StoreError(f"another run has just started the tournament '{name}' in {self.name}; run the same command again")
            new = Tournament(name=name, game=game, seed=seed or 0, spec=spec, total=total or 0)
            if secret is not None:
                if session.exec(select(Tournament.id).where(Tournament.commitment == secret.commitment)).first() is not None:
                    raise StoreError(f"this secret belongs to a tournament in {self.name}; create another secret with 'arena secret FILE'")
                new.commitment, new.secret, new.public_value = secret.commitment, secret.secret, secret.public_value
            session.add(new)
            session.flush()
            _add_entrants(session, new.id, entrants)
            self.add_link(session, new.id)
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

        If an addition ``reorders`` stored matches, ratings and standings are dropped, so that they are recomputed in the new order. Raises
        ExtendedError if the stored spec differs from that of ``tournament``, since additions made in the meantime would be lost.
        """
        with self.transaction() as session:
            stored = session.get_one(Tournament, tournament.id)
            if stored.spec != tournament.spec:
                raise ExtendedError(
                    f"the tournament '{tournament.name}' in {self.name} has been extended in the meantime; run the same command again"
                )
            stored.spec, stored.total = spec, total or 0
            if reorders:
                _drop_standings(session, tournament.id)
            _add_entrants(session, tournament.id, entrants)
            self.add_link(session, tournament.id)
        return self._again(tournament.name)

    def drop_standings(self, tournament: StoredTournament) -> None:
        """Drop a tournament's ratings and standings, which must be recomputed because different results count now."""
        with self.transaction() as session:
            _drop_standings(session, tournament.id)

    def add_orders(self, tournament: StoredTournament, make: Callable[[StoredTournament], Sequence[Order]]) -> StoredTournament:
        """Store and number the orders that ``make`` returns for the tournament's current state. ``make`` may raise an error instead."""
        with self.transaction() as session:
            now = self._again(tournament.name)  # in the same transaction, so that it can't change
            if orders := make(now):
                _add_orders(session, now.id, orders)
                self.add_link(session, now.id)
        return self._again(tournament.name)

    def waiting(self, tournament: StoredTournament) -> tuple[str, ...]:
        """Return the names of the bots that will join before the next round."""
        return self.find_waiting(tournament, WAITING)[0]

    def find_waiting(self, tournament: StoredTournament, number: int) -> tuple[tuple[str, ...], int | None]:
        """Return the bots that wait to join or joined in round ``number``, and the first round that a waiting order affects, or None."""
        bots = select(Bot.name).join(Version).join(EntrantRow).where(EntrantRow.tournament_id == tournament.id)
        orders = select(func.min(OrderRow.after)).where(OrderRow.tournament_id == tournament.id, OrderRow.round == WAITING)
        with self.session() as session:
            names = session.exec(bots.where(col(EntrantRow.joined).in_((WAITING, number))).order_by(Bot.name)).all()
            return tuple(names), session.exec(orders).one()

    def last_round(self, tournament: StoredTournament) -> int:
        """Return the last round with a stored match, or -1 if no matches are stored."""
        with self.session() as session:
            last = session.exec(select(func.max(Match.round)).where(Match.tournament_id == tournament.id)).one()
        return -1 if last is None else last

    def begin_round(
        self, tournament: StoredTournament, number: int, rules: Sequence[Order] = (), *, joins: bool = True, takes: bool = True
    ) -> StoredTournament:
        """Begin a round whose matches have not been handed out. If ``joins``, waiting bots join; if ``takes``, due orders take effect.

        ``rules`` are orders given by rules in the tournament's file; they take effect in this round.
        """
        with self.transaction() as session:
            if joins:
                waiting = select(EntrantRow).where(EntrantRow.tournament_id == tournament.id, EntrantRow.joined == WAITING)
                for entrant in session.exec(waiting):
                    entrant.joined = max(1, number)  # 0 is for bots that took part from the start
            kinds = {order.kind for order in rules}
            if takes:
                due = select(OrderRow).where(OrderRow.tournament_id == tournament.id, OrderRow.round == WAITING, OrderRow.after <= number)
                for order in session.exec(due):
                    order.round = number
                    kinds.add(order.kind)
            if kinds & SCHEDULING:  # the number of matches is no longer known
                session.get_one(Tournament, tournament.id).total = 0
            _add_orders(session, tournament.id, rules)
            self.add_link(session, tournament.id)
        return self._again(tournament.name)

    def _again(self, name: str) -> StoredTournament:
        stored = self.tournament(name)
        assert stored is not None
        return stored

    def keep_speeds(self, seconds: Mapping[str, float]) -> None:
        """Store the seconds per match that checks measured, by the content hashes of the versions."""
        if not seconds:
            return
        with self.transaction() as session:
            for version in session.exec(select(Version).where(col(Version.digest).in_(seconds))):
                version.match_seconds = seconds[version.digest]

    def speeds(self, tournament: StoredTournament) -> dict[str, float]:
        """Return the measured seconds per match of the entrants, by name; entrants without a measurement are left out."""
        same = aliased(Version)  # may have been submitted under a different name
        query = select(Bot.name, func.max(same.match_seconds)).select_from(EntrantRow).join(Version).join(Bot).group_by(Bot.name)
        query = query.where(EntrantRow.tournament_id == tournament.id, same.digest == Version.digest)
        with self.session() as session:
            return {name: seconds for name, seconds in session.exec(query) if seconds is not None}

    def bots(self) -> tuple[Entrant, ...]:
        """Return every version of every bot, sorted by name, oldest version first."""
        query = select(Bot.name, Version.digest, Version.origin).select_from(Version).join(Bot).order_by(Bot.name, col(Version.id))
        with self.session() as session:
            return tuple(Entrant(*row) for row in session.exec(query))


def _drop_standings(session: Session, tournament: int) -> None:
    session.exec(delete(Standing).where(col(Standing.tournament_id) == tournament))
    session.get_one(Tournament, tournament).rated = 0


def _orders(session: Session, tournament: int) -> tuple[Order, ...]:
    try:
        return tuple(each.order for each in session.exec(_ORDERS, params={"tournament": tournament}))
    except msgspec.ValidationError as error:
        raise StoreError(f"a stored order to a ladder is damaged ({error}); 'arena verify' lists what was changed") from None


def _add_orders(session: Session, tournament: int, orders: Sequence[Order]) -> None:
    last = session.exec(select(func.max(OrderRow.number)).where(OrderRow.tournament_id == tournament)).one() or 0
    session.add_all(
        OrderRow(tournament_id=tournament, **asdict(order) | {"number": number}) for number, order in enumerate(orders, last + 1)
    )


def _add_entrants(session: Session, tournament: int, entrants: Sequence[Entrant]) -> None:
    for entrant in entrants:
        version = add_version(session, entrant)
        session.add(EntrantRow(tournament_id=tournament, bot_version_id=version.id, joined=entrant.joined))


def add_version(session: Session, entrant: Entrant) -> Version:
    """Return a bot's version, adding the bot and the version if they are new."""
    bot = session.exec(select(Bot).where(Bot.name == entrant.name)).one_or_none()
    if bot is None:
        bot = Bot(name=entrant.name)
        session.add(bot)
        session.flush()
    version = session.exec(select(Version).where(Version.bot_id == bot.id, Version.digest == entrant.digest)).one_or_none()
    if version is None:
        version = Version(bot_id=bot.id, digest=entrant.digest, origin=entrant.origin)
        session.add(version)
        session.flush()
    return version


def version_ids(connection: Connection, tournament: StoredTournament) -> dict[str, int]:
    """Return the id of each entrant's version, by the bot's name."""
    rows = connection.execute(_VERSIONS, {"tournament": tournament.id})
    return {row[0]: row[1] for row in rows}


def without_content(store: Database, entrants: Iterable[Entrant]) -> tuple[Entrant, ...]:
    """Return the entrants whose versions have no stored content yet."""
    kept = (exists().where(col(table.bot_version_id) == Version.id) for table in (Content, Submission))
    with store.session() as session:
        known = set(session.exec(select(Bot.name, Version.digest).select_from(Version).join(Bot).where(or_(*kept))))
    return tuple(each for each in entrants if (each.name, each.digest) not in known)


def keep_contents(store: Database, contents: Mapping[Entrant, bytes]) -> None:
    """Store the contents of versions that have none yet; ignore other versions."""
    with store.transaction() as session:
        for entrant, content in contents.items():
            version = session.exec(
                select(Version).join(Bot).where(Bot.name == entrant.name, Version.digest == entrant.digest)
            ).one_or_none()
            if version is not None and session.get(Content, version.id) is None:
                session.add(Content(bot_version_id=version.id, content=zlib.compress(content, 6)))


def write_run(database: Database, run: Run) -> None:
    """Store a run, replacing the tournament's previous run."""
    with database.transaction() as session:
        session.merge(run)


def runs(database: Database) -> dict[str, Run]:
    """Return the newest run of each tournament, by name, latest heartbeat first. Raises StoreError if a row is damaged."""
    query = select(Tournament.name, Run).select_from(Run).join(Tournament).order_by(col(Run.seen).desc())
    try:
        with database.session() as session:
            return dict(session.exec(query).all())
    except (ValueError, TypeError, OverflowError) as error:
        raise StoreError(f"the table of runs in {database.name} is damaged: {error}") from None


def seasons(database: Database) -> tuple[StoredSeason, ...]:
    """Return all seasons, newest first."""
    with database.session() as session:
        return tuple(session.exec(select(StoredSeason).order_by(col(StoredSeason.begun).desc(), StoredSeason.name)))


def add_season(database: Database, season: StoredSeason) -> None:
    """Store a new season. Raises StoreError if one of its tournaments or secrets already exists, even in a different season."""
    names, commitments = [each.tournament for each in season.stages], [each.commitment for each in season.stages]
    with database.transaction() as session:
        kept = session.exec(select(StoredStage.tournament, StoredStage.commitment)).all()
        known = [*kept, *session.exec(select(Tournament.name, Tournament.commitment))]
        if taken := next((name for name, _ in known if name in names), None):
            raise StoreError(f"{database.name} already has a tournament '{taken}' that does not belong to this season; rename the season")
        if any(commitment in commitments for _, commitment in known):
            raise StoreError(f"a stage has the secret of another tournament in {database.name}; create another secret: 'arena secret FILE'")
        session.add(season)


def mark_published(database: Database, name: str, published: datetime) -> None:
    """Record that a season's results have been published."""
    with database.transaction() as session:
        session.get_one(StoredSeason, name).published = published
