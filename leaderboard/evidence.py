"""All that is stored of a tournament, as it stands in the tables: raw and unjudged, for a verification. It repairs and computes nothing."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Row, Select, Table, and_, func, select, type_coerce
from sqlalchemy.types import NullType
from sqlmodel import SQLModel

from leaderboard.models import BOT, ENTRANT, MATCH, RATING, SEAT, SECRET, STANDING, SUBMISSION, TOURNAMENT, VERSION, VOID
from leaderboard.store import Entrant, Store

# A damaged database may hold anything anywhere, so what is read here is of type ``object`` until it has been compared.


@dataclass(frozen=True, slots=True)
class SeatEvidence:
    """What is stored of one seat: ``bot`` and ``version`` are the name and the content hash of the bot's version, if it has one."""

    seat: object
    bot: object
    version: object
    score: object
    rank: object
    fault: object
    fault_index: object
    decisions: object


@dataclass(frozen=True, slots=True)
class MatchEvidence:
    """What is stored of one match; ``replay`` is what should be the JSON text compressed by zlib."""

    id: str
    players: object
    round: object
    block: object
    rotation: object
    seed: object
    block_key: object
    end: object
    decisions: object
    digest: object
    isolation: object
    replay: object
    seats: tuple[SeatEvidence, ...]


@dataclass(frozen=True, slots=True)
class RatingEvidence:
    """A stored rating of a version after a match."""

    bot: object
    version: object
    number: object
    match: object
    mu: object
    sigma: object


@dataclass(frozen=True, slots=True)
class StandingEvidence:
    """The stored standing of a version. Thinking time, which it adds up, too, is a measurement."""

    bot: object
    version: object
    matches: object
    mu: object
    sigma: object
    wins: object
    places: object
    points: object
    faults: object
    decisions: object


@dataclass(frozen=True, slots=True)
class VoidEvidence:
    """A match that is said not to have been playable."""

    match: str
    seats: object


@dataclass(frozen=True, slots=True)
class SubmissionEvidence:
    """A submitted version with its compressed content; ``owner`` is the bot's name that the submission names, ``bot`` the version's."""

    bot: object
    owner: object
    version: object
    number: object
    author: object
    content: object


@dataclass(frozen=True, slots=True)
class TournamentEvidence:
    """What is stored of a tournament itself. ``key`` finds its rows; ``total`` is 0 while it is not known; ``rated`` as in the tables."""

    key: int
    name: object
    game: object
    seed: object
    spec: object
    total: object
    rated: object
    entrants: tuple[Entrant, ...]
    commitment: object = None
    secret: object = None
    public_value: object = None


def read_tournaments(store: Store) -> tuple[TournamentEvidence, ...]:
    """All tournaments, oldest first."""
    with store.reading() as connection:
        rows = connection.execute(_raw(TOURNAMENT, "id", "name", "game", "seed", "spec", "total", "rated").order_by(TOURNAMENT.c.id)).all()
        entrants: dict[int, list[Entrant]] = {}
        query = (
            select(_as_is(ENTRANT.c.tournament_id), _as_is(BOT.c.name), _as_is(VERSION.c.digest), _as_is(VERSION.c.origin))
            .add_columns(_as_is(ENTRANT.c.joined))
            .join_from(ENTRANT, VERSION, VERSION.c.id == ENTRANT.c.bot_version_id)
            .join(BOT, BOT.c.id == VERSION.c.bot_id)
            .order_by(BOT.c.name, VERSION.c.id)
        )
        for key, *entrant in connection.execute(query):
            entrants.setdefault(key, []).append(Entrant(*entrant))
        kept = _raw(SECRET, "tournament_id", "commitment", "secret", "public_value")
        secrets = {key: tuple(secret) for key, *secret in connection.execute(kept)}
    return tuple(
        TournamentEvidence(
            *(row.id, row.name, row.game, row.seed, row.spec, row.total, row.rated),
            tuple(entrants.get(row.id, ())),
            *secrets.get(row.id, ()),
        )
        for row in rows
    )


def read_match_ids(store: Store, tournament: int) -> tuple[str, ...]:
    """The ids of all stored matches of a tournament."""
    with store.reading() as connection:
        query = select(_as_is(MATCH.c.id)).where(MATCH.c.tournament_id == tournament).order_by(MATCH.c.id)
        return tuple(connection.execute(query).scalars())


def read_matches(store: Store, tournament: int, ids: Sequence[str]) -> dict[str, MatchEvidence]:
    """Those of these matches that are stored, with their replays, by id."""
    matches = _raw(
        MATCH, "id", "players", "round", "block", "rotation", "seed", "block_key", "end", "decisions", "digest", "isolation", "replay"
    )
    matches = matches.where(MATCH.c.tournament_id == tournament, MATCH.c.id.in_(ids))
    seats = (
        _columns(select(), SEAT, "match_id", "seat")
        .add_columns(_as_is(BOT.c.name), _as_is(VERSION.c.digest))
        .add_columns(*(_as_is(SEAT.c[key]) for key in ("score", "rank", "fault", "fault_index", "decisions")))
        .join_from(SEAT, VERSION, VERSION.c.id == SEAT.c.bot_version_id, isouter=True)
        .join(BOT, BOT.c.id == VERSION.c.bot_id, isouter=True)
        .where(SEAT.c.match_id.in_(ids))
        .order_by(SEAT.c.match_id, SEAT.c.seat)
    )
    found: dict[str, list[SeatEvidence]] = {}
    with store.reading() as connection:
        for match, *seat in connection.execute(seats):
            found.setdefault(match, []).append(SeatEvidence(*seat))
        return {row.id: _match(row, tuple(found.get(row.id, ()))) for row in connection.execute(matches)}


def _match(row: Row[Any], seats: tuple[SeatEvidence, ...]) -> MatchEvidence:
    return MatchEvidence(
        id=row.id,
        players=row.players,
        round=row.round,
        block=row.block,
        rotation=row.rotation,
        seed=row.seed,
        block_key=row.block_key,
        end=row.end,
        decisions=row.decisions,
        digest=row.digest,
        isolation=row.isolation,
        replay=row.replay,
        seats=seats,
    )


def read_ratings(store: Store, tournament: int) -> Iterator[RatingEvidence]:
    """All stored ratings of a tournament, by bot and number."""
    query = (
        select(_as_is(BOT.c.name), _as_is(VERSION.c.digest))
        .add_columns(*(_as_is(RATING.c[key]) for key in ("number", "match_id", "mu", "sigma")))
        .join_from(RATING, VERSION, VERSION.c.id == RATING.c.bot_version_id, isouter=True)
        .join(BOT, BOT.c.id == VERSION.c.bot_id, isouter=True)
        .where(RATING.c.tournament_id == tournament)
        .order_by(BOT.c.name, RATING.c.bot_version_id, RATING.c.number)
    )
    with store.reading() as connection:
        for row in connection.execution_options(yield_per=10_000).execute(query):
            yield RatingEvidence(*row)


def read_standings(store: Store, tournament: int) -> tuple[StandingEvidence, ...]:
    """The stored standings of a tournament, by bot."""
    keys = ("matches", "mu", "sigma", "wins", "places", "points", "faults", "decisions")
    query = (
        select(_as_is(BOT.c.name), _as_is(VERSION.c.digest))
        .add_columns(*(_as_is(STANDING.c[key]) for key in keys))
        .join_from(STANDING, VERSION, VERSION.c.id == STANDING.c.bot_version_id, isouter=True)
        .join(BOT, BOT.c.id == VERSION.c.bot_id, isouter=True)
        .where(STANDING.c.tournament_id == tournament)
        .order_by(BOT.c.name, STANDING.c.bot_version_id)
    )
    with store.reading() as connection:
        return tuple(StandingEvidence(*row) for row in connection.execute(query))


def read_voids(store: Store, tournament: int) -> tuple[VoidEvidence, ...]:
    """The matches that are said not to have been playable so far."""
    query = _raw(VOID, "match_id", "seats").where(VOID.c.tournament_id == tournament).order_by(VOID.c.match_id)
    with store.reading() as connection:
        return tuple(VoidEvidence(*row) for row in connection.execute(query))


def read_submissions(store: Store) -> Iterator[SubmissionEvidence]:
    """All submitted versions, by bot and number."""
    owner = BOT.alias("owner")
    query = (
        select(_as_is(BOT.c.name), _as_is(owner.c.name), _as_is(VERSION.c.digest))
        .add_columns(*(_as_is(SUBMISSION.c[key]) for key in ("number", "author", "content")))
        .join_from(SUBMISSION, VERSION, VERSION.c.id == SUBMISSION.c.bot_version_id, isouter=True)
        .join(BOT, BOT.c.id == VERSION.c.bot_id, isouter=True)
        .join(owner, owner.c.id == SUBMISSION.c.bot_id, isouter=True)
        .order_by(SUBMISSION.c.bot_id, SUBMISSION.c.number)
    )
    with store.reading() as connection:
        for row in connection.execute(query):
            yield SubmissionEvidence(*row)


def inflate(packed: object, largest: int) -> bytes:
    """What was compressed by zlib, all of it and nothing behind it. Raises ValueError that says how it is damaged."""
    if not isinstance(packed, bytes):
        raise ValueError("it is no compressed content")
    stream = zlib.decompressobj()
    try:
        content = stream.decompress(packed, largest)
    except zlib.error as error:
        raise ValueError(f"it is damaged: {error}") from None
    if stream.unconsumed_tail or not stream.eof or stream.unused_data:
        raise ValueError("it is damaged: it is cut, or too long, or something follows it")
    return content


@dataclass(frozen=True, slots=True)
class Dangling:
    """A value that should name a row of another table and names none; ``count`` rows of ``table`` have one in ``column``."""

    table: str
    column: str
    value: object
    parent: str
    count: int


def dangling(store: Store) -> tuple[Dangling, ...]:
    """Where the tables don't fit together: for each reference that leads nowhere, the first value and how many rows have such."""
    found = []
    with store.reading() as connection:
        for table in SQLModel.metadata.sorted_tables:
            for key in [key for column in table.columns for key in column.foreign_keys]:
                parent = key.column.table.alias("parent")
                lost = and_(key.parent.is_not(None), ~select(parent).where(parent.c[key.column.name] == key.parent).exists())
                count = connection.execute(select(func.count()).select_from(table).where(lost)).scalar_one()
                if count:
                    first = connection.execute(select(_as_is(key.parent)).where(lost).order_by(key.parent).limit(1)).scalar_one()
                    found.append(Dangling(table.name, key.parent.name, first, key.column.table.name, count))
    return tuple(found)


def played_voids(store: Store) -> tuple[str, ...]:
    """The ids of matches that are stored both as played and as not playable, in order."""
    with store.reading() as connection:
        return tuple(connection.execute(select(VOID.c.match_id).join(MATCH, MATCH.c.id == VOID.c.match_id).order_by(MATCH.c.id)).scalars())


def _as_is(column: Column[Any]) -> Any:
    """The value in whatever type it is stored in: SQLite keeps what it is given."""
    return type_coerce(column, NullType()).label(column.name)


def _columns(query: Select[Any], table: Table, *names: str) -> Select[Any]:
    return query.add_columns(*(_as_is(table.c[name]) for name in names))


def _raw(table: Table, *names: str) -> Select[Any]:
    return _columns(select(), table, *names)
