"""What is kept for a bot's author: writing it to rows of ``seat_log`` and reading it back."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Connection, insert, select

from engine.records import MatchResult
from leaderboard.errors import StoreError
from leaderboard.storage.tables import SEAT_LOG

_LARGEST: Final = 1 << 20
"""The most bytes kept of a seat, uncompressed: a log and a traceback have up to 8 KiB each, and the last messages add some."""


@dataclass(frozen=True, slots=True)
class SeatLog:
    """What is kept of a seat: the end of its log and, after a fault, its last messages and its own traceback; empty if there was none."""

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
    """Return what was kept of a seat. Raises StoreError when it is damaged."""
    query = select(SEAT_LOG.c.kept).where(SEAT_LOG.c.match_id == match, SEAT_LOG.c.seat == seat)
    kept: bytes | None = connection.execute(query).scalar_one_or_none()
    if kept is None:
        return SeatLog()
    try:
        data = json.loads(zlib.decompressobj().decompress(kept, _LARGEST))
        return SeatLog(str(data["log"]), tuple(map(str, data["messages"])), str(data.get("traceback", "")))
    except (zlib.error, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise StoreError(f"the log of seat {seat} in match {match} is damaged") from None
