"""Reads all stored data of a tournament from a database or a bundle, unchanged, as records (``leaderboard.records``).

Also finds inconsistencies between tables: references to missing rows, unused rows, and matches that are both played and void.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import fields
from typing import Any

from sqlalchemy import Connection, Select, and_, exists, literal_column, type_coerce
from sqlalchemy.types import NullType
from sqlmodel import SQLModel, col, func, select

from leaderboard.records import (
    ContentRecord,
    EntrantRecord,
    MatchRecord,
    NumberedSeal,
    Order,
    SeatRecord,
    SecretRecord,
    StandingRecord,
    TournamentRecord,
    VoidRecord,
)
from leaderboard.seal_format import digest_of, plain
from leaderboard.storage.tables import (
    WITHHELD,
    Bot,
    Content,
    EntrantRow,
    Match,
    OrderRow,
    ScoreType,
    SealLink,
    SeatLogRow,
    SeatRow,
    Standing,
    Submission,
    Tournament,
    Version,
    Void,
    table_of,
)


def read_tournaments(connection: Connection, tournament: int | None = None) -> tuple[TournamentRecord, ...]:
    """Return all tournaments, oldest first, or only the one with that id."""
    columns = ("id", "name", "game", "seed", "spec", "total", "rated", "created", *SecretRecord.__struct_fields__)
    rows = _raw(Tournament, *columns).order_by(col(Tournament.id))
    entrants = _entrants(connection)
    links = _raw(SealLink, "tournament_id", "number", "digest", "body", "signature").order_by(col(SealLink.number))
    if tournament is not None:
        rows = rows.where(col(Tournament.id) == tournament)
        entrants = entrants.where(col(EntrantRow.tournament_id) == tournament)
        links = links.where(col(SealLink.tournament_id) == tournament)
    given = _raw(OrderRow, "tournament_id", *(each.name for each in fields(Order))).order_by(col(OrderRow.number))
    orders: dict[object, list[Order]] = {}
    for key, *order in _rows(connection, given):
        orders.setdefault(key, []).append(Order(*order))
    entered: dict[object, list[EntrantRecord]] = {}
    ends = len(_withheld(connection, Version))
    for key, name, digest, joined, is_submitted, number, author, *withheld in _rows(connection, entrants):
        unpublished, submitted = (_unpublished(connection, each) for each in (withheld[:ends], withheld[ends:]))
        entrant = EntrantRecord(name, digest, joined, number, author, unpublished, None if is_submitted is None else submitted)
        entered.setdefault(key, []).append(entrant)
    chains: dict[object, list[NumberedSeal]] = {}
    for key, number, digest, body, signature in _rows(connection, links):
        chains.setdefault(key, []).append(NumberedSeal(number=number, digest=digest, body=body, signature=signature))
    found = []
    for *row, created, commitment, secret, value in _rows(connection, rows):
        key = row[0]
        own = None if commitment is secret is value is None else SecretRecord(commitment, secret, value)
        lists = tuple(entered.get(key, ())), plain(created), tuple(chains.get(key, ())), tuple(orders.get(key, ()))
        found.append(TournamentRecord(*[*row, *lists, own]))
    return tuple(found)


def _entrants(connection: Connection) -> Select[Any]:
    return (
        select(as_is(EntrantRow.tournament_id), as_is(Bot.name), as_is(Version.digest), as_is(EntrantRow.joined))
        .add_columns(*(as_is(getattr(Submission, key)) for key in ("bot_version_id", "number", "author")))
        .add_columns(*_withheld(connection, Version), *_withheld(connection, Submission))
        .select_from(EntrantRow)
        .join(Version)
        .join(Bot)
        .join(Submission, col(Submission.bot_version_id) == col(Version.id), isouter=True)
        .order_by(Bot.name, col(Version.id))
    )


def read_match_ids(connection: Connection, tournament: int, above: int | None = None) -> tuple[str, ...]:
    """Return the sorted ids of a tournament's matches; with ``above``, only of matches that the seals up to that number don't cover.

    In a bundle, they are in the order of its rows instead, which is the schedule's order if the secret was withheld.
    """
    order = literal_column('"match".rowid') if is_bundle(connection) else col(Match.id)
    query = select(as_is(Match.id)).where(col(Match.tournament_id) == tournament).order_by(order)
    if above is not None:
        query = query.where(col(Match.link) > above)
    return tuple(connection.execute(query).scalars())


_IS_VERSION = col(Submission.bot_version_id).is_not(None)
_MATCH_KEYS = ("id", "players", "round", "block", "rotation", "seed", "block_key", "end", "decisions", "digest", "isolation")
_SEAT_KEYS = ("match_id", "seat", "score", "rank", "fault", "fault_index", "decisions")


def read_matches(connection: Connection, tournament: int, ids: Sequence[str], *, with_replays: bool = True) -> dict[str, MatchRecord]:
    """Return the stored matches with these ids, by id."""
    matches = _raw(Match, *_MATCH_KEYS, "link", *(("replay",) if with_replays else ())).add_columns(*_withheld(connection, Match))
    is_of_it = col(Match.tournament_id) + 0 == tournament  # + 0 so that SQLite looks up the ids instead of scanning an index
    matches = matches.where(is_of_it, col(Match.id).in_(ids))
    withheld = () if is_bundle(connection) else WITHHELD["seat"]
    seats = (
        _of_versions(SeatRow, *_SEAT_KEYS, *withheld)
        .where(col(SeatRow.match_id).in_(ids))
        .order_by(col(SeatRow.match_id), col(SeatRow.seat))
    )
    seated: dict[object, list[Any]] = {}
    for bot, version, match, number, *seat in _rows(connection, seats):
        seated.setdefault(match, []).append([number, bot, version, *seat])
    logged: dict[object, list[Any]] = {}
    if not is_bundle(connection):
        logs = (
            _raw(SeatLogRow, "match_id", "seat", "kept")
            .where(col(SeatLogRow.match_id).in_(ids))
            .order_by(col(SeatLogRow.match_id), col(SeatLogRow.seat))
        )
        for match, *log in _rows(connection, logs):
            logged.setdefault(match, []).append(log)
    found = {}
    for row in _rows(connection, matches):
        *published, link = row[:12]
        replay, *own = row[12:] if with_replays else (None, *row[12:])
        if isinstance(replay, str):  # text is stored in this column only if the database is damaged
            replay = replay.encode(errors="surrogatepass")
        seats_of = seated.get(row[0], ())
        of_seats = () if is_bundle(connection) else ([[seat[0], *seat[8:]] for seat in seats_of], logged.get(row[0], ()))
        found[row[0]] = MatchRecord(
            **dict(zip(_MATCH_KEYS, published, strict=True)),
            seats=tuple(SeatRecord(*seat[:8]) for seat in seats_of),
            link=link,
            unpublished=_unpublished(connection, [*own, *of_seats]),
            replay=replay,
        )
    return found


def read_standings(connection: Connection, tournament: int) -> tuple[StandingRecord, ...]:
    """Return the stored standings of a tournament, sorted by bot."""
    keys = ("matches", "mu", "sigma", "wins", "places", "points", "faults", "decisions")
    query = _of_versions(Standing, *keys).add_columns(*_withheld(connection, Standing))
    query = query.where(col(Standing.tournament_id) == tournament).order_by(Bot.name, col(Standing.bot_version_id))
    return tuple(StandingRecord(*[*row[:10], _unpublished(connection, row[10:])]) for row in _rows(connection, query))


def read_voids(connection: Connection, tournament: int) -> tuple[VoidRecord, ...]:
    """Return the void matches (those that could not be played so far), sorted by id."""
    query = _raw(Void, "match_id", "seats", "link").add_columns(*_withheld(connection, Void)).where(col(Void.tournament_id) == tournament)
    return tuple(
        VoidRecord(*[*row[:3], _unpublished(connection, row[3:])]) for row in _rows(connection, query.order_by(col(Void.match_id)))
    )


def read_contents(connection: Connection, digests: Collection[str] | None = None) -> Iterator[ContentRecord]:
    """Yield the content of all versions, or of those with these hashes. Submitted versions come first, by bot and number."""
    submitted = _of_versions(Submission, "content", "number", "author", "name").where(_IS_VERSION)
    submitted = submitted.order_by(col(Submission.name), col(Submission.number))
    others = _of_versions(Content, "content").order_by(col(Content.bot_version_id))
    if is_bundle(connection):  # which contains bots only if it was exported with them
        submitted = submitted.where(col(Submission.content).is_not(None))
    if digests is not None:
        submitted, others = (query.where(col(Version.digest).in_(digests)) for query in (submitted, others))
    for row in connection.execute(submitted):
        yield ContentRecord(*[*row[:3], True, *row[3:]])
    for row in connection.execute(others):
        yield ContentRecord(*row)


def count_uncovered(connection: Connection, tournament: int, above: int) -> int:
    """Return how many matches, including void ones, are not covered by the seals up to the number ``above``."""
    counts = (
        select(func.count()).select_from(table).where(col(table.tournament_id) == tournament, col(table.link) > above)
        for table in (Match, Void)
    )
    return sum(connection.execute(query).scalar_one() for query in counts)


def count_matches(connection: Connection, tournament: int) -> int:
    """Return how many matches of the tournament are stored."""
    return connection.execute(select(func.count()).select_from(Match).where(col(Match.tournament_id) == tournament)).scalar_one()


def is_bundle(connection: Connection) -> bool:
    """Return whether this is a connection to a bundle."""
    return bool(connection.get_execution_options().get("is_bundle"))


def _withheld(connection: Connection, model: type[SQLModel]) -> list[Any]:
    """Return the unpublished columns of a table or, in a bundle, the column with their digest."""
    name = table_of(model).name
    return [literal_column(f'"{name}".withheld')] if is_bundle(connection) else [as_is(getattr(model, each)) for each in WITHHELD[name]]


def _unpublished(connection: Connection, withheld: Sequence[Any]) -> str:
    return withheld[0] if is_bundle(connection) else digest_of(withheld)


def _rows(connection: Connection, query: Select[Any]) -> Iterator[Any]:
    yield from connection.execute(query)


def as_is(column: Any) -> Any:
    """Return the column with its values as stored (in SQLite, of any type), except that whole scores become integers."""
    return (column if isinstance(column.type, ScoreType) else type_coerce(column, NullType())).label(column.name)


def _raw(model: type[SQLModel], *names: str) -> Select[Any]:
    query: Select[Any] = select(*(as_is(getattr(model, name)) for name in names))
    return query


def _of_versions(model: type[SeatRow | Standing | Submission | Content], *names: str) -> Select[Any]:
    """Return a query for rows of a table, with the name and hash of each row's bot version (None if there is no such version)."""
    query: Select[Any] = select(as_is(Bot.name), as_is(Version.digest), *(as_is(getattr(model, name)) for name in names)).select_from(model)
    query = query.join(Version, col(Version.id) == model.bot_version_id, isouter=True)
    return query.join(Bot, col(Bot.id) == col(Version.bot_id), isouter=True)


def inconsistencies(connection: Connection) -> Iterator[tuple[str, object, str]]:
    """Yield each value that can't come from a run or a submission: its column, the value, and a description of valid values."""
    yield from () if is_bundle(connection) else _dangling(connection)  # such a bundle can't be opened
    yield from _orphans(connection)
    numbers: dict[object, int] = {}
    query = _of_versions(Submission, "number").where(_IS_VERSION).order_by(col(Submission.name), col(Submission.number))
    for bot, _, number in () if is_bundle(connection) else connection.execute(query):
        numbers[bot] = numbers.get(bot, 0) + 1
        if type(number) is not int or number != numbers[bot]:
            yield f"number of the submission {bot}@{number}", number, str(numbers[bot])


def _dangling(connection: Connection) -> Iterator[tuple[str, object, str]]:
    """For each column with references to missing rows, yield the first such reference."""
    for table in SQLModel.metadata.sorted_tables:
        for key in [key for column in table.columns for key in column.foreign_keys]:
            parent = key.column.table.alias("parent")
            lost = and_(key.parent.is_not(None), ~exists().where(parent.c[key.column.name] == key.parent))
            count = connection.execute(select(func.count()).select_from(table).where(lost)).scalar_one()
            if count:
                first = connection.execute(select(as_is(key.parent)).where(lost).order_by(key.parent).limit(1)).scalar_one()
                more = f", and {count - 1} more" if count > 1 else ""
                yield f"{table.name}.{key.parent.name}", first, f"no such {key.column.table.name}{more}"


def _orphans(connection: Connection) -> Iterator[tuple[str, object, str]]:
    """Yield bots without versions, and versions that neither play in a tournament nor (except in a bundle) were submitted."""
    bots = select(as_is(Bot.name)).where(~select(Version).where(col(Version.bot_id) == col(Bot.id)).exists())
    for name in connection.execute(bots.order_by(Bot.name)).scalars():
        yield "bot.name", name, "a bot with a version"
    uses = (EntrantRow,) if is_bundle(connection) else (EntrantRow, Submission)
    unused = (~select(table).where(col(table.bot_version_id) == col(Version.id)).exists() for table in uses)
    for digest in connection.execute(select(as_is(Version.digest)).where(*unused).order_by(col(Version.id))).scalars():
        yield "bot_version.digest", digest, "a version that plays in a tournament or was submitted"


def played_voids(connection: Connection) -> tuple[str, ...]:
    """Return the ids of matches that are stored both as played and as void, sorted."""
    return tuple(
        connection.execute(select(col(Void.match_id)).join(Match, col(Match.id) == col(Void.match_id)).order_by(col(Match.id))).scalars()
    )
