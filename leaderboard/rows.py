"""Between records and rows: what a result is in the tables, and how a stored match is read from them."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Row, Select, select

from engine.records import Fault, FaultKind, MatchResult, SeatResult
from leaderboard.models import BOT, MATCH, SEAT, TOURNAMENT, VERSION
from leaderboard.stored import StoredMatch


def replay_digest(replay: str) -> str:
    """The hex SHA-256 of a replay's JSON text."""
    return hashlib.sha256(replay.encode()).hexdigest()


def match_values(tournament: int, result: MatchResult, finished: datetime) -> dict[str, object]:
    """The row of a match."""
    return {
        "id": result.ticket.id,
        "tournament_id": tournament,
        "players": len(result.seats),
        "block": result.ticket.block,
        "rotation": result.ticket.rotation,
        "seed": result.ticket.seed,
        "end": result.end,
        "decisions": result.decisions,
        "seconds": result.seconds,
        "digest": replay_digest(result.replay),
        "replay": zlib.compress(result.replay.encode(), 6),
        "isolation": result.isolation,
        "finished": finished,
    }


def seat_values(result: MatchResult, versions: dict[str, int]) -> Iterator[dict[str, object]]:
    """The rows of its seats; ``versions`` has the ids of the bots' versions."""
    for number, seat in enumerate(result.seats):
        yield {
            "match_id": result.ticket.id,
            "seat": number,
            "bot_version_id": versions[seat.bot],
            "score": seat.score,
            "rank": seat.rank,
            "fault": seat.fault.kind.value if seat.fault else None,
            "fault_index": seat.fault.index if seat.fault else None,
            "fault_detail": seat.fault.detail if seat.fault else None,
            "decisions": seat.decisions,
            "seconds": seat.seconds,
            "cpu_seconds": seat.cpu_seconds,
            "peak_memory": seat.peak_memory,
        }


_SEAT_KEYS: Final = ("score", "rank", "fault", "fault_index", "fault_detail", "decisions", "seconds", "cpu_seconds", "peak_memory")


def select_matches(ids: list[str]) -> Select[Any]:
    """The query for whole matches, to be read by ``read_matches``."""
    match_columns = [MATCH.c[key] for key in ("id", "block", "rotation", "seed", "end", "digest", "isolation")]
    seat_columns = [SEAT.c[key] for key in _SEAT_KEYS]
    return (
        select(
            *match_columns,
            *seat_columns,
            MATCH.c.decisions.label("match_decisions"),
            MATCH.c.seconds.label("match_seconds"),
            TOURNAMENT.c.name.label("tournament"),
            BOT.c.name.label("bot"),
        )
        .join(SEAT, SEAT.c.match_id == MATCH.c.id)
        .join(VERSION, VERSION.c.id == SEAT.c.bot_version_id)
        .join(BOT, BOT.c.id == VERSION.c.bot_id)
        .join(TOURNAMENT, TOURNAMENT.c.id == MATCH.c.tournament_id)
        .where(MATCH.c.id.in_(ids))
        .order_by(MATCH.c.id, SEAT.c.seat)
    )


def read_matches(rows: Iterable[Row[Any]]) -> Iterator[StoredMatch]:
    """The matches in the rows of ``select_matches``."""
    seats: list[SeatResult] = []
    last: Row[Any] | None = None
    for row in rows:
        if last is not None and last.id != row.id:
            yield _stored_match(last, seats)
            seats = []
        fault = Fault(FaultKind(row.fault), row.fault_index, row.fault_detail) if row.fault is not None else None
        seats.append(SeatResult(row.bot, row.score, row.rank, fault, row.decisions, row.seconds, row.cpu_seconds, row.peak_memory))
        last = row
    if last is not None:
        yield _stored_match(last, seats)


def _stored_match(row: Row[Any], seats: list[SeatResult]) -> StoredMatch:
    return StoredMatch(
        id=row.id,
        tournament=row.tournament,
        block=row.block,
        rotation=row.rotation,
        seed=row.seed,
        seats=tuple(seats),
        end=row.end,
        decisions=row.match_decisions,
        seconds=row.match_seconds,
        digest=row.digest,
        isolation=row.isolation,
    )
