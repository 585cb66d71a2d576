"""The logs kept for a bot's author: writing them to rows of ``seat_log`` and reading them back."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator
from typing import Final

from sqlalchemy import Connection, insert, select

from engine.records import MatchResult
from leaderboard.errors import StoreError
from leaderboard.storage.tables import SEAT_LOG

_LARGEST: Final = 1 << 20
"""The most bytes kept of a seat, uncompressed: a log has up to 8 KiB, and the last messages add some."""


def write_logs(connection: Connection, results: Iterable[MatchResult]) -> None:
    """Store the logs of these matches' seats."""
    rows = [values for result in results for values in _values(result)]
    if rows:
        connection.execute(insert(SEAT_LOG), rows)


def _values(result: MatchResult) -> Iterator[dict[str, object]]:
    for number, seat in enumerate(result.seats):
        messages = list(seat.messages) if seat.fault is not None else []
        if seat.log or messages:
            kept = json.dumps({"log": seat.log, "messages": messages}, ensure_ascii=True).encode()
            yield {"match_id": result.ticket.id, "seat": number, "kept": zlib.compress(kept, 6)}


def read_log(connection: Connection, match: str, seat: int) -> tuple[str, tuple[str, ...]]:
    """Return the end of a seat's log and its last messages, both empty if nothing was kept. Raises StoreError when they are damaged."""
    query = select(SEAT_LOG.c.kept).where(SEAT_LOG.c.match_id == match, SEAT_LOG.c.seat == seat)
    kept: bytes | None = connection.execute(query).scalar_one_or_none()
    if kept is None:
        return "", ()
    try:
        data = json.loads(zlib.decompressobj().decompress(kept, _LARGEST))
        return str(data["log"]), tuple(map(str, data["messages"]))
    except (zlib.error, ValueError, KeyError, TypeError, RecursionError):
        raise StoreError(f"the log of seat {seat} in match {match} is damaged") from None
