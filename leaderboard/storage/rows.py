"""Conversion between records and rows: writing results to the tables, and reading matches and the logs of seats from them."""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, insert, select

from engine.core import Score
from engine.records import Fault, FaultKind, MatchResult, SeatResult
from leaderboard.errors import StoreError
from leaderboard.ratings.results_fold import Entry
from leaderboard.records.stored import StoredMatch
from leaderboard.storage.tables import BOT, ENTRANT, MATCH, SEAT, SEAT_LOG, TOURNAMENT, VERSION


@lru_cache(maxsize=16)
def entrants_of(tournament: int) -> Select[Any]:
    """Return the query for a tournament's entrants, by name."""
    return (
        select(BOT.c.name, VERSION.c.id, VERSION.c.digest, VERSION.c.origin, ENTRANT.c.joined)
        .join(VERSION, VERSION.c.bot_id == BOT.c.id)
        .join(ENTRANT, ENTRANT.c.bot_version_id == VERSION.c.id)
        .where(ENTRANT.c.tournament_id == tournament)
        .order_by(BOT.c.name)
    )


def match_row(tournament: int, result: MatchResult, finished: object, link: int) -> dict[str, object]:
    """Return the row of a match, in the order of the table's columns; ``link`` is the number of the seal that will cover it."""
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


def seat_rows(result: MatchResult, versions: Mapping[str, int]) -> Iterator[dict[str, object]]:
    """Yield the rows of a match's seats, in the order of the table's columns; ``versions`` has the ids of the bots' versions by name."""
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


def select_matches(ids: list[str]) -> Select[Any]:
    """Return the query for whole matches, whose rows ``read_matches`` reads."""
    return (
        select(MATCH.c.id, TOURNAMENT.c.name, *(MATCH.c[key] for key in _MATCH), BOT.c.name, *(SEAT.c[key] for key in _SEAT))
        .join(SEAT, SEAT.c.match_id == MATCH.c.id)
        .join(VERSION, VERSION.c.id == SEAT.c.bot_version_id)
        .join(BOT, BOT.c.id == VERSION.c.bot_id)
        .join(TOURNAMENT, TOURNAMENT.c.id == MATCH.c.tournament_id)
        .where(MATCH.c.id.in_(ids))
        .order_by(MATCH.c.id, SEAT.c.seat)
    )


def read_matches(rows: Iterable[Row[Any]]) -> Iterator[StoredMatch]:
    """Yield the matches in the rows of ``select_matches``."""
    for (match, tournament, *columns), seats in groupby(rows, lambda row: row[: 2 + len(_MATCH)]):
        fields = dict(zip(_MATCH, columns, strict=True))
        yield StoredMatch(id=match, tournament=tournament, seats=tuple(_seat(*row[2 + len(_MATCH) :]) for row in seats), **fields)


def _seat(bot: str, score: Score, rank: int, kind: str | None, index: int, detail: str, *measured: Any) -> SeatResult:
    return SeatResult(bot, score, rank, None if kind is None else Fault(FaultKind(kind), index, detail), *measured)


_ENTRY_SEAT_KEYS: Final = ("match_id", "bot_version_id", "score", "rank", "fault", "fault_index", "decisions", "seconds", "charged_seconds")
_ENTRY_SEAT: Final = [SEAT.c[key] for key in _ENTRY_SEAT_KEYS]
_ENTRY_MATCH: Final = [MATCH.c[key] for key in ("id", "block", "end", "digest")]


def read_entries(connection: Connection, ids: list[str], names: Mapping[int, str]) -> Iterator[Entry]:
    """Yield the fold's entries for these matches; ``names`` has the bots' names by the ids of their versions."""
    matches = connection.execute(select(*_ENTRY_MATCH).where(MATCH.c.id.in_(ids))).all()  # first, since a stored match has its seats
    seats: dict[str, list[Row[Any]]] = {}
    for row in connection.execute(select(*_ENTRY_SEAT).where(SEAT.c.match_id.in_(ids)).order_by(SEAT.c.match_id, SEAT.c.seat)):
        seats.setdefault(row[0], []).append(row)
    for match, block, end, digest in matches:
        _, versions, scores, ranks, kinds, indexes, decisions, seconds, charged = zip(*seats[match], strict=True)
        faults = tuple(None if kind is None else (kind, index) for kind, index in zip(kinds, indexes, strict=True))
        bots = tuple(names[version] for version in versions)
        yield Entry(match, block, bots, scores, ranks, faults, decisions, seconds, end, digest, charged)


_LARGEST: Final = 1 << 20
"""The most bytes kept of a seat, uncompressed: a log and a traceback have up to 8 KiB each, and the last messages add some."""


@dataclass(frozen=True, slots=True)
class SeatLog:
    """The stored log of a seat: the end of its output and, after a fault, its last messages and traceback; empty if there was none."""

    log: str = ""
    messages: tuple[str, ...] = ()
    traceback: str = ""


def write_logs(connection: Connection, results: Iterable[MatchResult]) -> None:
    """Store the logs of these matches' seats."""
    rows = [values for result in results for values in _values(result)]
    if rows:
        connection.execute(insert(SEAT_LOG), rows)


def _values(result: MatchResult) -> Iterator[dict[str, object]]:
    for number, seat in enumerate(result.seats):
        messages = list(seat.messages) if seat.fault is not None else []
        if seat.log or messages or seat.traceback:
            data = {"log": seat.log, "messages": messages} | ({"traceback": seat.traceback} if seat.traceback else {})
            kept = json.dumps(data, ensure_ascii=True).encode()
            yield {"match_id": result.ticket.id, "seat": number, "kept": zlib.compress(kept, 6)}


def read_log(connection: Connection, match: str, seat: int) -> SeatLog:
    """Return the stored log and messages of a seat. Raises StoreError if they are damaged."""
    return read_logs(connection, [(match, seat)])[match, seat]


def read_logs(connection: Connection, seats: Collection[tuple[str, int]]) -> dict[tuple[str, int], SeatLog]:
    """Return the stored logs of these seats, at most a few hundred, by match and seat. Raises StoreError if one is damaged."""
    query = select(SEAT_LOG.c.match_id, SEAT_LOG.c.seat, SEAT_LOG.c.kept).where(SEAT_LOG.c.match_id.in_({match for match, _ in seats}))
    logs = dict.fromkeys(seats, SeatLog())
    for match, seat, kept in connection.execute(query):
        if (match, seat) in logs:
            logs[match, seat] = _unpacked(kept, match, seat)
    return logs


def _unpacked(kept: bytes, match: str, seat: int) -> SeatLog:
    try:
        data = json.loads(zlib.decompressobj().decompress(kept, _LARGEST))
        return SeatLog(str(data["log"]), tuple(map(str, data["messages"])), str(data.get("traceback", "")))
    except (zlib.error, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise StoreError(f"the log of seat {seat} in match {match} is damaged") from None
