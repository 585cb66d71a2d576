"""What visitors may read about a fault: its kind, and after the last match of its block what the host says of it.

What a bot has written itself (in an exception, a move, a line that is no message) is for its author and the host: it may tell tiles of a
deck that other matches are still played on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from engine.records import FaultKind, SeatResult
from leaderboard.storage.faults import LedgerEntry
from leaderboard.storage.store import StoredMatch

HOST_WORDS: Final = frozenset({FaultKind.INIT_TIMEOUT, FaultKind.MOVE_TIMEOUT, FaultKind.OUTPUT_FLOOD, FaultKind.RESIGNED})
"""The kinds whose detail is the host's alone, whatever the bot has sent."""


def is_failed(match: StoredMatch) -> bool:
    """Whether a seat of the match has a fault."""
    return any(seat.fault is not None for seat in match.seats)


def published_match(match: StoredMatch, *, is_block_over: bool) -> StoredMatch:
    """Return the match without the details of faults that visitors may not read."""
    return replace(match, seats=tuple(_published_seat(seat, is_block_over=is_block_over) for seat in match.seats))


def _published_seat(seat: SeatResult, *, is_block_over: bool) -> SeatResult:
    if seat.fault is None or (is_block_over and seat.fault.kind in HOST_WORDS):
        return seat
    return replace(seat, fault=replace(seat.fault, detail=""))


def published_entry(entry: LedgerEntry, *, is_block_over: bool) -> LedgerEntry:
    """Return a fault without its detail if visitors may not read it."""
    return entry if is_block_over and entry.kind in HOST_WORDS else replace(entry, detail="")
