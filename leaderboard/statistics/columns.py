"""Reads stored results as columns (one array per field), which is fast enough for millions of seats."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray
from sqlalchemy import Connection, Select, type_coerce
from sqlalchemy.types import NullType
from sqlmodel import select

from engine.records import FaultKind
from leaderboard.storage.database import StoreError
from leaderboard.storage.store import Store, StoredTournament
from leaderboard.storage.tables import Match, SeatRow
from leaderboard.storage.tournaments import version_ids

Ints = NDArray[np.signedinteger]
Floats = NDArray[np.float64]

ROWS: Final = 2_000
"""The number of rows fetched at a time. With so few rows in memory, the garbage collector rarely traverses them."""
FAULTS: Final = tuple(FaultKind)
"""The kinds of fault in the order of their codes in ``Results.fault``."""


class MatchIds(Sequence[str]):
    """Match ids stored as ASCII in one array, which takes a fifth of the memory of strings."""

    def __init__(self, ids: NDArray[np.bytes_]) -> None:
        self._ids = ids

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> MatchIds: ...
    def __getitem__(self, index: int | slice) -> str | MatchIds:
        return MatchIds(self._ids[index]) if isinstance(index, slice) else str(self._ids[index], "ascii")

    def __len__(self) -> int:
        return len(self._ids)

    def finder(self) -> Callable[[Sequence[str]], Ints]:
        """Return a function that returns the indices of ids (-1 for an unknown id). It raises UnicodeEncodeError if an id is not ASCII."""
        order = np.argsort(self._ids).astype(np.int32)
        ids = self._ids[order]

        def find(wanted: Sequence[str]) -> Ints:
            texts = np.array(wanted, np.bytes_)
            places = np.minimum(np.searchsorted(ids, texts), len(ids) - 1)
            return np.where(ids[places] == texts, order[places], -1) if len(ids) else np.full(len(wanted), -1)

        return find


@dataclass(frozen=True, slots=True)
class Results:
    """The results of all seats in a tournament's stored matches, in any order.

    ``ids``, ``players``, ``block_key`` and ``rotation`` have one item per match; the other arrays have one item per seat. ``match`` is an
    index into the matches, ``bot`` is an index into ``bots``, and ``fault`` is an index into ``FAULTS``, or -1 if there was no fault. Times
    are in seconds, and ``memory`` is in bytes, or NaN if unknown.
    """

    bots: tuple[str, ...]
    players: Ints
    block_key: Ints
    rotation: Ints
    match: Ints
    bot: Ints
    seat: Ints
    score: Floats
    rank: Ints
    fault: Ints
    decisions: Ints
    seconds: Floats
    cpu_seconds: Floats
    memory: Floats
    ids: Sequence[str] = ()


_MATCH_KEYS: Final = ("players", "block_key", "rotation")
_SEAT_KEYS: Final = ("seat", "rank", "decisions")
_REAL_KEYS: Final = ("score", "seconds", "cpu_seconds")
_SEATS: Final[Mapping[str, DTypeLike]] = {
    **dict.fromkeys(("match", "bot", "fault", *_SEAT_KEYS), np.int32),
    **dict.fromkeys(("memory", *_REAL_KEYS), np.float64),
}
"""The columns of seats, with their types. There can be millions of seats in memory, so integers have only 32 bits."""
_GROWTH: Final = 1.2


class _Columns:
    """Columns that grow in place, so that no column is ever in memory twice."""

    def __init__(self, types: Mapping[str, DTypeLike]) -> None:
        self._columns: dict[str, NDArray[Any]] = {key: np.empty(ROWS, kind) for key, kind in types.items()}
        self._length = 0

    def add(self, values: Mapping[str, Sequence[Any] | NDArray[Any]]) -> None:
        """Add a batch of values to every column."""
        end = self._length + len(next(iter(values.values())))
        for key, batch in values.items():
            column = self._columns[key]
            if end > len(column):
                column.resize(int(_GROWTH * end), refcheck=False)
            column[self._length : end] = np.array(batch, column.dtype)
        self._length = end

    def take(self) -> dict[str, Any]:
        """Return all columns by name, and remove them from this object."""
        columns, self._columns = self._columns, {}
        for column in columns.values():
            column.resize(self._length, refcheck=False)
        return columns


def read_results(store: Store, tournament: StoredTournament, *, without_bots: Collection[str] = ()) -> Results:
    """Return the result of every seat in the tournament's stored matches. Matches of bots in ``without_bots``, and of bots that joined
    after ``tournament`` was read, are left out. Raises StoreError.
    """
    bots = tuple(entrant.name for entrant in tournament.entrants)
    with store.reading() as connection:
        ids = version_ids(connection, tournament)
        versions = {ids[name]: number for number, name in enumerate(bots)}
        left_out: set[str] = set()
        for bot in {*without_bots, *(ids.keys() - set(bots))}:
            query = select(SeatRow.match_id).join(Match)
            query = query.where(SeatRow.bot_version_id == ids[bot], Match.tournament_id == tournament.id)
            left_out.update(connection.execute(query).scalars())
        try:
            matches, facts = _read_matches(connection, tournament, left_out)
            seats = _read_seats(connection, tournament, matches.finder(), versions)
        except (KeyError, ValueError, TypeError, OverflowError) as error:
            raise StoreError(f"{store.name} is damaged: a seat of the tournament '{tournament.name}' can't be read: {error}") from None
    return Results(bots=bots, ids=matches, **facts, **seats)


def _fetched(connection: Connection, query: Select[Any]) -> Iterator[Sequence[Any]]:
    """Yield the rows of a query in batches. SQLite's rows come straight from the driver, since SQLAlchemy would double the time."""
    # 36,000 seats take 0.14 s; read through a session, they take 1.1 s
    if connection.dialect.name != "sqlite":
        yield from connection.execute(query.execution_options(yield_per=ROWS)).partitions()
        return
    cursor = connection.execute(query).cursor
    assert cursor is not None
    while rows := cursor.fetchmany(ROWS):
        yield rows


def _read_matches(connection: Connection, tournament: StoredTournament, left_out: Collection[str]) -> tuple[MatchIds, dict[str, Any]]:
    columns = _Columns(dict.fromkeys(_MATCH_KEYS, np.int64))
    query = select(Match.id, *[getattr(Match, key) for key in _MATCH_KEYS]).where(Match.tournament_id == tournament.id)
    parts = [np.empty(0, "S1")]
    for fetched in _fetched(connection, query):
        rows = [row for row in fetched if row[0] not in left_out] if left_out else fetched
        if not rows:
            continue
        ids, *facts = zip(*rows, strict=True)
        parts.append(np.array(ids, np.bytes_))
        columns.add(dict(zip(_MATCH_KEYS, facts, strict=True)))
    return MatchIds(np.concatenate(parts)), columns.take()


def _read_seats(
    connection: Connection, tournament: StoredTournament, find: Callable[[Sequence[str]], Ints], versions: Mapping[int, int]
) -> dict[str, Any]:
    """Return the columns of the seats, without the seats of matches that ``find`` doesn't know (because they were stored later)."""
    codes: dict[str | None, int] = {None: -1} | {kind.value: code for code, kind in enumerate(FAULTS)}
    columns = _Columns(_SEATS)
    # types without conversion, so that stored values go into the arrays unchanged
    stored = [
        type_coerce(getattr(SeatRow, key), NullType()) for key in ("bot_version_id", "fault", "peak_memory", *_SEAT_KEYS, *_REAL_KEYS)
    ]
    query = select(SeatRow.match_id, *stored).join(Match).where(Match.tournament_id == tournament.id)
    for rows in _fetched(connection, query):
        match = find([row[0] for row in rows])
        if (match < 0).any():
            rows = [row for row, at in zip(rows, match.tolist(), strict=True) if at >= 0]  # noqa: PLW2901
            match = match[match >= 0]
        if not rows:
            continue
        _, bot, fault, memory, *others = zip(*rows, strict=True)
        coded = ([*map(of.__getitem__, column)] for of, column in ((versions, bot), (codes, fault)))
        named = zip(("bot", "fault", "memory", *_SEAT_KEYS, *_REAL_KEYS), (*coded, memory, *others), strict=True)
        columns.add({"match": match, **dict(named)})
    return columns.take()


def joined(parts: Sequence[Results]) -> Results:
    """Return the results of several tournaments as if they were one; bots with the same name count as the same bot."""
    bots = tuple(dict.fromkeys(bot for part in parts for bot in part.bots))
    begins = np.cumsum([0, *(len(part.players) for part in parts)])
    places = [np.array([bots.index(bot) for bot in part.bots], np.int64) for part in parts]

    def whole(key: str) -> Any:
        return np.concatenate([getattr(part, key) for part in parts])

    return Results(
        bots=bots,
        match=np.concatenate([part.match + begin for part, begin in zip(parts, begins[:-1], strict=True)]),
        bot=np.concatenate([place[part.bot] for part, place in zip(parts, places, strict=True)]),
        fault=whole("fault"),
        memory=whole("memory"),
        ids=tuple(match for part in parts for match in part.ids),
        **{key: whole(key) for key in (*_MATCH_KEYS, *_SEAT_KEYS, *_REAL_KEYS)},
    )
