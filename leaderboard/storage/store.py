"""The store: all reads and writes of a run in an open database. Queries for web pages and commands are in the other modules."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import BindParameter, Column, Connection, Dialect, Executable, Row, Table, bindparam, insert
from sqlmodel import SQLModel, col, delete, select, update

from engine.core import Score
from engine.records import DamagedError, Fault, FaultKind, MatchResult, SeatResult, VoidMatch, unpack_text
from leaderboard.errors import StoreError
from leaderboard.ratings.fold import Entry, Folded, Total
from leaderboard.records import Entrant, StoredMatch, StoredTournament, chunks
from leaderboard.storage.raw_queries import count_matches
from leaderboard.storage.seal_chain import RunEnd, next_link
from leaderboard.storage.tables import (
    Bot,
    Match,
    SeatLogRow,
    SeatRow,
    Standing,
    Tournament,
    Version,
    Void,
    table_of,
)
from leaderboard.storage.tournaments import Tournaments, version_ids

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql, sqlite

__all__ = ["Entrant", "Store", "StoredMatch", "StoredTournament"]

_LAST: Final = chr(0x10FFFF)
"""The highest code point, which sorts last."""

# Queries of pages are built once, because building one takes as long as fetching a few rows.
_IDS_OF_SOME: Final[BindParameter[Sequence[str]]] = bindparam("ids", expanding=True)
_DIGESTS: Final = select(Match.id, Match.digest).where(col(Match.id).in_(_IDS_OF_SOME))
_ANY_VOID: Final = select(Void.match_id).limit(1)
_IDS: Final = (
    select(Match.id)
    .where(col(Match.id) >= bindparam("first"), col(Match.id) <= bindparam("last"))
    .order_by(Match.id)
    .limit(bindparam("most"))
)
_TOURNAMENT: Final[BindParameter[int]] = bindparam("tournament")
_RATED: Final = select(Tournament.rated).where(col(Tournament.id) == _TOURNAMENT)
_STANDINGS: Final = (
    select(Bot.name, Standing)
    .select_from(Standing)
    .join(Version)
    .join(Bot)
    .where(col(Standing.tournament_id) == _TOURNAMENT)
    .order_by(Bot.name)
)


def _not_deterministic(result: MatchResult) -> StoreError:
    return StoreError(
        f"match {result.ticket.id} ({', '.join(result.ticket.seats)}) was played twice with different results: "
        "one of these bots does not play the same moves with the same seed"
    )


class Store(Tournaments):
    """An open database, for use in a ``with`` statement.

    Standings can be deleted without loss, because they are recomputed from results.
    """

    _known: tuple[int, tuple[Entrant, ...], Mapping[str, int]] | None = None

    def _versions(self, connection: Connection, tournament: StoredTournament) -> Mapping[str, int]:
        if self._known is None or self._known[:2] != (tournament.id, tournament.entrants):
            self._known = tournament.id, tournament.entrants, version_ids(connection, tournament)
        return self._known[2]

    def add_results(
        self, tournament: StoredTournament, results: Sequence[MatchResult], folded: Folded | None = None, saved: Collection[Total] = ()
    ) -> int:
        """In one transaction, store results and the standings in ``folded``, if given; return how many of the results were new.

        Standings that equal those in ``saved`` are not written again. Raises StoreError, without storing anything, if a match is already
        stored with a different result.
        """
        if not results and folded is None:
            return 0
        fresh: dict[str, MatchResult] = {}
        for result in results:
            if fresh.setdefault(result.ticket.id, result).replay != result.replay:
                raise _not_deterministic(result)
        now = datetime.now(UTC)
        with self.writing() as connection:
            if fresh:
                for match, digest in connection.execute(_DIGESTS, {"ids": list(fresh)}):
                    if fresh.pop(match).replay.digest != digest:
                        raise _not_deterministic(next(result for result in results if result.ticket.id == match))
            versions = self._versions(connection, tournament)
            if fresh:
                link = next_link(connection, tournament.id)
                stored = _storing(connection, table_of(Match).c.finished)
                times = [stored(now - timedelta(microseconds=ago)) for ago in range(len(fresh))]
                rows = [_match_row(tournament.id, *each, link) for each in zip(fresh.values(), reversed(times), strict=True)]
                _insert(connection, Match, rows)  # times differ even in one commit, since lists are sorted by time
                _insert(connection, SeatRow, [row for result in fresh.values() for row in _seat_rows(result, versions)])
                _insert(connection, SeatLogRow, [row for result in fresh.values() for row in _log_rows(result)])
                if connection.execute(_ANY_VOID).first() is not None:  # checked first, since deleting a long list of ids is slow
                    connection.execute(delete(Void).where(col(Void.match_id).in_(fresh)))
            if folded is not None:
                _write_standings(connection, tournament, versions, folded, saved)
        return len(fresh)

    def add_void(self, tournament: StoredTournament, void: VoidMatch) -> None:
        """Record that a match could not be played because of the machine, replacing an earlier record."""
        with self.transaction() as session:
            link = next_link(session.connection(), tournament.id)
            seats = ", ".join(void.ticket.seats)
            session.merge(Void(match_id=void.ticket.id, tournament_id=tournament.id, seats=seats, reason=void.reason, link=link))

    def entries(self, tournament: StoredTournament, ids: Iterable[str]) -> dict[str, Entry]:
        """Return the stored matches among ``ids``, as entries for ``Fold``, by id."""
        entries: dict[str, Entry] = {}
        with self.reading() as connection:
            names = {version: name for name, version in version_ids(connection, tournament).items()}
            for chunk in chunks(ids):
                entries.update((entry.match, entry) for entry in _read_entries(connection, chunk, names))
        return entries

    def matches(self, ids: Iterable[str]) -> dict[str, StoredMatch]:
        """Return the stored matches among ``ids``, by id."""
        stored: dict[str, StoredMatch] = {}
        with self.reading() as connection:
            for chunk in chunks(ids):
                stored.update({match.id: match for match in _read_matches(connection, chunk)})
        return stored

    def recent_matches(self, tournament: StoredTournament, *, bot: str | None = None, limit: int = 20) -> tuple[StoredMatch, ...]:
        """Return the newest matches of a tournament, or of one of its bots, newest first."""
        newest = select(Match.id).where(Match.tournament_id == tournament.id).order_by(col(Match.finished).desc(), Match.id).limit(limit)
        if bot is not None:
            newest = newest.join(SeatRow).join(Version).join(Bot).where(Bot.name == bot)
        with self.session() as session:
            ids = session.exec(newest).all()
        matches = self.matches(ids)
        return tuple(matches[match] for match in ids)

    def find_ids(self, beginning: str, most: int) -> tuple[str, ...]:
        """Return the first ``most`` match ids that begin with ``beginning``, in ascending order."""
        with self.session() as session:
            return tuple(session.exec(_IDS, params={"first": beginning, "last": beginning + _LAST, "most": most}))

    def find_match(self, beginning: str) -> StoredMatch:
        """Return the match whose id begins with this text. Raises StoreError unless there is exactly one."""
        ids = self.find_ids(beginning, 2)
        if len(ids) != 1:
            what = "more than one match id" if ids else "no match id"
            raise StoreError(f"{what} in {self.name} begins with '{beginning}'; 'arena matches --db {self.name}' lists the matches")
        return self.matches(ids)[ids[0]]

    def replay(self, match: str) -> str:
        """Return the replay of a stored match, as JSON text. Raises StoreError if the replay is damaged."""
        with self.session() as session:
            packed = session.exec(select(Match.replay).where(Match.id == match)).one()
        try:
            return unpack_text(packed)
        except DamagedError as error:
            raise StoreError(f"the replay of match {match} in {self.name} is damaged: {error}") from None

    def count_matches(self, tournament: StoredTournament) -> int:
        """Return how many matches of the tournament are stored."""
        with self.reading() as connection:
            return count_matches(connection, tournament.id)

    def seal(self, tournament: StoredTournament, folded: Folded, ratings: str, *, is_final: bool, conclusion: str = "") -> str:
        """Store the standings at the end of a run, and seal them together with the conclusion; return the digest of the seal.

        If the run is final and the tournament's number of matches was unknown until now, store this number, too.
        """
        with self.transaction() as session:
            connection = session.connection()
            _write_standings(connection, tournament, self._versions(connection, tournament), folded)
            if is_final and tournament.total is None:
                session.get_one(Tournament, tournament.id).total = count_matches(connection, tournament.id)
            return self.add_link(session, tournament.id, RunEnd(is_final, folded.results_digest, ratings, conclusion))

    def standings(self, tournament: StoredTournament) -> tuple[int, tuple[Total, ...]]:
        """Return the number of matches that the standings cover, and the standings sorted by name; 0 and () if there are none."""
        with self.session() as session:
            rated = session.exec(_RATED, params={"tournament": tournament.id}).one()
            rows = session.exec(_STANDINGS, params={"tournament": tournament.id})
            totals = tuple(Total(bot, *(getattr(row, key) for key in _KEYS)) for bot, row in rows)
        return (rated, totals) if totals else (0, ())


def _write_standings(
    connection: Connection, tournament: StoredTournament, versions: Mapping[str, int], folded: Folded, saved: Collection[Total] = ()
) -> None:
    known = {total.bot: total for total in saved}
    rows = [
        {"tournament_id": tournament.id, "bot_version_id": versions[total.bot], **{key: getattr(total, key) for key in _KEYS}}
        for total in folded.totals
        if total != known.get(total.bot)
    ]
    _insert(connection, Standing, rows, replace=True)
    connection.execute(update(Tournament).where(col(Tournament.id) == tournament.id).values(rated=folded.matches))


_KEYS = ("matches", "mu", "sigma", "wins", "places", "points", "faults", "decisions", "seconds")


def _match_row(tournament: int, result: MatchResult, finished: object, link: int) -> dict[str, object]:
    """Return the row of a match, in the order of the table's columns; ``link`` is the number of the seal that will cover the match."""
    ticket, replay = result.ticket, result.replay
    return {
        "id": ticket.id,
        "tournament_id": tournament,
        "players": len(result.seats),
        "block": ticket.block,
        "rotation": ticket.rotation,
        "seed": ticket.seed,
        "end": result.end,
        "decisions": result.decisions,
        "seconds": result.seconds,
        "digest": replay.digest,
        "replay": replay.data,
        "isolation": result.isolation,
        "finished": finished,
        "round": ticket.round,
        "block_key": ticket.block_key,
        "link": link,
    }


def _seat_rows(result: MatchResult, versions: Mapping[str, int]) -> Iterator[dict[str, object]]:
    """Yield the rows of a match's seats, in the order of the table's columns; ``versions`` has the id of each bot's version, by name."""
    for number, seat in enumerate(result.seats):
        kind, index, detail = (seat.fault.kind.value, seat.fault.index, seat.fault.detail) if seat.fault else (None, None, None)
        yield {
            "match_id": result.ticket.id,
            "seat": number,
            "bot_version_id": versions[seat.bot],
            "score": seat.score,
            "rank": seat.rank,
            "fault": kind,
            "fault_index": index,
            "fault_detail": detail,
            "decisions": seat.decisions,
            "seconds": seat.seconds,
            "cpu_seconds": seat.cpu_seconds,
            "charged_seconds": seat.charged_seconds,
            "peak_memory": seat.peak_memory,
        }


_MATCH: Final = ("block", "rotation", "seed", "end", "decisions", "seconds", "digest", "isolation", "round", "block_key")
_SEAT: Final = (
    "score",
    "rank",
    "fault",
    "fault_index",
    "fault_detail",
    "decisions",
    "seconds",
    "cpu_seconds",
    "charged_seconds",
    "peak_memory",
)


def _log_rows(result: MatchResult) -> Iterator[dict[str, object]]:
    for number, seat in enumerate(result.seats):
        messages = list(seat.messages) if seat.fault is not None else []
        if seat.log or messages or seat.traceback:
            data = {"log": seat.log, "messages": messages} | ({"traceback": seat.traceback} if seat.traceback else {})
            kept = json.dumps(data, ensure_ascii=True).encode()
            yield {"match_id": result.ticket.id, "seat": number, "kept": zlib.compress(kept, 6)}


# Reading only these columns of 50 matches takes 2.0 ms; reading whole rows takes 4.3 ms.
_COLUMNS: Final = [
    *(Match.id, Tournament.name, *(getattr(Match, key) for key in _MATCH)),
    *(Bot.name, *(getattr(SeatRow, key) for key in _SEAT)),
]
_MATCHES: Final[Executable] = (
    select(*_COLUMNS)
    .select_from(Match)
    .join(SeatRow)
    .join(Version)
    .join(Bot)
    .join(Tournament, col(Tournament.id) == Match.tournament_id)
    .where(col(Match.id).in_(_IDS_OF_SOME))
    .order_by(col(Match.id), col(SeatRow.seat))
)


def _read_matches(connection: Connection, ids: list[str]) -> Iterator[StoredMatch]:
    rows = connection.execute(_MATCHES, {"ids": ids}).all()
    for (match, tournament, *columns), seats in groupby(rows, lambda row: row[: 2 + len(_MATCH)]):
        fields = dict(zip(_MATCH, columns, strict=True))
        yield StoredMatch(id=match, tournament=tournament, seats=tuple(_seat(*row[2 + len(_MATCH) :]) for row in seats), **fields)


def _seat(bot: str, score: Score, rank: int, kind: str | None, index: int, detail: str, *measured: Any) -> SeatResult:
    return SeatResult(bot, score, rank, None if kind is None else Fault(FaultKind(kind), index, detail), *measured)


# Reading only these columns of 500 matches takes 13 ms; reading whole rows takes 31 ms.
_ENTRY_SEAT_KEYS: Final = ("match_id", "bot_version_id", "score", "rank", "fault", "fault_index", "decisions", "seconds", "charged_seconds")
_ENTRY_SEATS: Final[Executable] = (
    select(*[getattr(SeatRow, key) for key in _ENTRY_SEAT_KEYS])
    .where(col(SeatRow.match_id).in_(_IDS_OF_SOME))
    .order_by(col(SeatRow.match_id), col(SeatRow.seat))
)
_ENTRY_MATCHES: Final = select(Match.id, Match.block, Match.end, Match.digest).where(col(Match.id).in_(_IDS_OF_SOME))


def _read_entries(connection: Connection, ids: list[str], names: Mapping[int, str]) -> Iterator[Entry]:
    matches = connection.execute(_ENTRY_MATCHES, {"ids": ids}).all()  # matches first, since their seats are stored with them
    seats: dict[str, list[Row[Any]]] = {}
    for row in connection.execute(_ENTRY_SEATS, {"ids": ids}):
        seats.setdefault(row[0], []).append(row)
    for match, block, end, digest in matches:
        _, versions, scores, ranks, kinds, indexes, decisions, seconds, charged = zip(*seats[match], strict=True)
        faults = tuple(None if kind is None else (kind, index) for kind, index in zip(kinds, indexes, strict=True))
        bots = tuple(names[version] for version in versions)
        yield Entry(match, block, bots, scores, ranks, faults, decisions, seconds, end, digest, charged)


def _insert(connection: Connection, model: type[SQLModel], rows: Sequence[Mapping[str, object]], *, replace: bool = False) -> None:
    """Insert rows whose keys are in the order of the table's columns; if ``replace``, overwrite rows that have the same primary key.

    SQLAlchemy compiles the statement once and doesn't convert values, so they must have types that the database's driver accepts, such as
    numbers, text and bytes; ``_storing`` converts other types.
    """
    if not rows:
        return
    # 50 matches of 4 seats take 6 ms like this, 8 ms with SQLAlchemy's insert, and 31 ms with a session
    statement, is_positional = _statement(connection.dialect, model, tuple(rows[0]), replace)
    connection.exec_driver_sql(statement, [tuple(row.values()) if is_positional else dict(row) for row in rows])


def _storing(connection: Connection, column: Column[Any]) -> Callable[[Any], object]:
    """Return a function that converts a value of the column to a type that the database's driver accepts."""
    return column.type.dialect_impl(connection.dialect).bind_processor(connection.dialect) or (lambda value: value)


@lru_cache(maxsize=16)
def _statement(dialect: Dialect, model: type[SQLModel], keys: tuple[str, ...], replace: bool) -> tuple[str, bool]:
    """Return the statement, and whether its parameters are positional (in the order of the keys) instead of named."""
    table = table_of(model)
    compiled = (_replacing(dialect.name, table) if replace else insert(table)).compile(dialect=dialect, column_keys=list(keys))
    assert not dialect.positional or compiled.positiontup == list(keys)
    return str(compiled), dialect.positional


@lru_cache(maxsize=16)
def _replacing(dialect: str, table: Table) -> sqlite.Insert | postgresql.Insert:
    match dialect:
        case "sqlite":
            from sqlalchemy.dialects import sqlite  # noqa: PLC0415  # a dialect is imported only when it is used

            statement: sqlite.Insert | postgresql.Insert = sqlite.insert(table)
        case "postgresql":
            from sqlalchemy.dialects import postgresql  # noqa: PLC0415  # as above

            statement = postgresql.insert(table)
        case other:
            raise TypeError(f"upserts are not supported on {other}")
    key = table.primary_key.columns.keys()
    return statement.on_conflict_do_update(
        index_elements=key, set_={column.name: statement.excluded[column.name] for column in table.columns if column.name not in key}
    )
