"""Stored results as columns, one array for each fact, which is fast enough for millions of seats."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, select, type_coerce
from sqlalchemy.types import NullType

from engine.records import FaultKind
from leaderboard.storage.database import StoreError
from leaderboard.storage.store import Store, StoredTournament
from leaderboard.storage.tables import BOT, MATCH, RATING, SEAT, VERSION
from leaderboard.storage.tournaments import version_ids

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

ROWS: Final = 2_000
"""Rows fetched at a time: few enough that the garbage collector seldom goes through them."""
FAULTS: Final = tuple(FaultKind)
"""The kinds of fault in the order of their codes in ``Results.fault``."""


@dataclass(frozen=True, slots=True)
class Results:
    """All stored seats of a tournament, in any order.

    ``players``, ``block_key`` and ``rotation`` have one item for each match, the others one for each seat, where ``match`` and ``bot`` are
    indices into the matches and ``bots``. ``fault`` is an index into ``FAULTS``, -1 for none. Times are in seconds, ``memory`` in bytes,
    NaN where unknown. ``ids`` are those of the matches.
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
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RatingHistory:
    """The course of a bot's TrueSkill rating: after ``number`` rated matches it was ``mu`` with the deviation ``sigma``."""

    bot: str
    number: tuple[int, ...]
    mu: tuple[float, ...]
    sigma: tuple[float, ...]


_MATCH_KEYS: Final = ("players", "block_key", "rotation")
_SEAT_KEYS: Final = ("seat", "rank", "decisions")
_REAL_KEYS: Final = ("score", "seconds", "cpu_seconds")


class _Columns:
    def __init__(self, reals: Sequence[str]) -> None:
        self._reals = reals
        self._batches: dict[str, list[NDArray[Any]]] = {}

    def add(self, keys: Sequence[str], columns: Iterable[Sequence[Any]]) -> None:
        """Add a batch of values to each of these columns."""
        for key, values in zip(keys, columns, strict=True):
            batch = np.array(values, np.float64 if key in self._reals else np.int64)
            self._batches.setdefault(key, []).append(batch)

    def ints(self, key: str) -> Ints:
        """Return a whole column of integers."""
        return np.concatenate(self._batches.pop(key, [np.empty(0, np.int64)]))

    def floats(self, key: str) -> Floats:
        """Return a whole column of floats."""
        return np.concatenate(self._batches.pop(key, [np.empty(0, np.float64)]))


def read_results(
    store: Store, tournament: StoredTournament, *, without: Collection[str] = (), without_bots: Collection[str] = ()
) -> Results:
    """Read every stored seat of the tournament, except in these matches and in those of these bots. Raises StoreError."""
    bots = tuple(entrant.name for entrant in tournament.entrants)
    columns = _Columns((*_REAL_KEYS, "memory"))
    with store.reading() as connection:
        ids = version_ids(connection, tournament)
        versions = {version: bots.index(name) for name, version in ids.items()}
        left_out = set(without)
        for bot in without_bots:
            query = select(SEAT.c.match_id).join(MATCH, MATCH.c.id == SEAT.c.match_id)
            query = query.where(SEAT.c.bot_version_id == ids[bot], MATCH.c.tournament_id == tournament.id)
            left_out.update(connection.execute(query).scalars())
        try:
            matches = _read_matches(connection, tournament, columns, left_out)
            _read_seats(connection, tournament, columns, matches, versions)
        except (KeyError, ValueError, TypeError, OverflowError) as error:
            raise StoreError(f"{store.name} is damaged: a seat of the tournament '{tournament.name}' can't be read: {error}") from None
    return Results(
        bots=bots,
        players=columns.ints("players"),
        block_key=columns.ints("block_key"),
        rotation=columns.ints("rotation"),
        match=columns.ints("match"),
        bot=columns.ints("bot"),
        seat=columns.ints("seat"),
        score=columns.floats("score"),
        rank=columns.ints("rank"),
        fault=columns.ints("fault"),
        decisions=columns.ints("decisions"),
        seconds=columns.floats("seconds"),
        cpu_seconds=columns.floats("cpu_seconds"),
        memory=columns.floats("memory"),
        ids=tuple(matches),
    )


def _read_matches(connection: Connection, tournament: StoredTournament, columns: _Columns, left_out: Collection[str]) -> dict[str, int]:
    """Read the facts of matches into columns; return the index of each match by id."""
    query = select(MATCH.c.id, *(MATCH.c[key] for key in _MATCH_KEYS)).where(MATCH.c.tournament_id == tournament.id)
    matches: dict[str, int] = {}
    for fetched in connection.execute(query.execution_options(yield_per=ROWS)).partitions():
        rows = [row for row in fetched if row[0] not in left_out] if left_out else fetched
        if not rows:
            continue
        ids, *facts = zip(*rows, strict=True)
        matches.update(zip(ids, range(len(matches), len(matches) + len(ids)), strict=True))
        columns.add(_MATCH_KEYS, facts)
    return matches


def _read_seats(
    connection: Connection, tournament: StoredTournament, columns: _Columns, matches: Mapping[str, int], versions: Mapping[int, int]
) -> None:
    """Read the facts of seats into columns, except for matches that have been stored since ``matches`` were read."""
    codes: dict[str | None, int] = {None: -1} | {kind.value: code for code, kind in enumerate(FAULTS)}
    # types that convert nothing: what is stored goes into arrays as it is
    stored = [type_coerce(SEAT.c[key], NullType()) for key in ("bot_version_id", "fault", "peak_memory", *_SEAT_KEYS, *_REAL_KEYS)]
    query = select(SEAT.c.match_id, *stored).join(MATCH, SEAT.c.match_id == MATCH.c.id).where(MATCH.c.tournament_id == tournament.id)
    for rows in connection.execute(query.execution_options(yield_per=ROWS)).partitions():
        known = rows if all(map(matches.__contains__, map(itemgetter(0), rows))) else [row for row in rows if row[0] in matches]
        if not known:
            continue
        ids, bot, fault, memory, *others = zip(*known, strict=True)
        coded = ([*map(of.__getitem__, column)] for of, column in ((matches, ids), (versions, bot), (codes, fault)))
        columns.add(("match", "bot", "fault"), coded)
        columns.add(("memory", *_SEAT_KEYS, *_REAL_KEYS), (memory, *others))


def joined(parts: Sequence[Results]) -> Results:
    """Return the results of several tournaments as those of one; bots of the same name are taken to be the same bot."""
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


def read_history(
    store: Store, tournament: StoredTournament, points: int = 200, *, bots: Collection[str] | None = None
) -> tuple[RatingHistory, ...]:
    """Return the stored ratings of each bot that has one, by name, thinned to at most ``points`` points, the newest always included.

    Of these ``bots`` only, if they are given.
    """
    query = (
        select(BOT.c.name, RATING.c.number, RATING.c.mu, RATING.c.sigma)
        .select_from(RATING)
        .join(VERSION, VERSION.c.id == RATING.c.bot_version_id)
        .join(BOT, BOT.c.id == VERSION.c.bot_id)
        .where(RATING.c.tournament_id == tournament.id)
        .order_by(BOT.c.name, RATING.c.number)
    )
    if bots is not None:
        query = query.where(BOT.c.name.in_(bots))
    ratings: dict[str, list[tuple[int, float, float]]] = {}
    with store.reading() as connection:
        for bot, *rating in connection.execute(query):
            ratings.setdefault(bot, []).append((rating[0], rating[1], rating[2]))
    for total in store.standings(tournament)[1]:
        history = ratings.get(total.bot)
        if history and total.matches > history[-1][0]:
            history.append((total.matches, total.mu, total.sigma))
    histories = []
    for bot, history in sorted(ratings.items()):
        kept = [history[step - 1] for step in thinned(len(history), points)]
        number, mu, sigma = zip(*kept, strict=True)
        histories.append(RatingHistory(bot, number, mu, sigma))
    return tuple(histories)


def thinned(last: int, points: int) -> list[int]:
    """Return at most ``points`` whole numbers from 1 to ``last``, about evenly spaced, including both ends."""
    if last <= points:
        return list(range(1, last + 1))
    return [round(1 + (last - 1) * step / (points - 1)) for step in range(points)]
