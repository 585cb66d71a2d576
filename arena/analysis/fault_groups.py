"""Groups the faults of bots by cause, so that a crash that happens in ten thousand matches is reported once, with a count."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arena.entries.check_report import without_numbers
from leaderboard.storage.matches import LedgerEntry

_NAMED: Final = 5
"""The most matches named in a group."""
_CALL: Final = re.compile(r'^  File "([^"]+)", line (\d+), in (.+)$', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FaultGroup:
    """Faults of one bot that have the same cause: the same exception at the same line, or the same kind and message, ignoring numbers.

    ``what`` is the exception's message or, if there is none, the first fault's detail. ``where`` is the line of the bot's source, or empty
    if unknown. ``count`` is the number of faults; ``matches`` has the matches of the first few, each with the bot's seat.
    """

    bot: str
    version: str
    kind: str
    what: str
    where: str
    count: int
    traceback: str
    matches: tuple[tuple[str, int], ...]


def group_faults(entries: Sequence[LedgerEntry]) -> tuple[FaultGroup, ...]:
    """Return faults grouped by cause, in the order of each group's first fault. A group has the detail and the traceback of that fault."""
    groups: dict[tuple[str, ...], list[LedgerEntry]] = {}
    for entry in entries:
        groups.setdefault(_cause(entry), []).append(entry)
    found = []
    for some in groups.values():
        first = some[0]
        error, where = _error_of(first.traceback or "")
        matches = tuple((each.match, each.seat) for each in some[:_NAMED])
        found.append(
            FaultGroup(first.bot, first.version, first.kind, error or first.detail, where, len(some), first.traceback or "", matches)
        )
    return tuple(found)


def _cause(entry: LedgerEntry) -> tuple[str, ...]:
    error, where = _error_of(entry.traceback or "")
    key = (error.partition(":")[0], where) if where else (without_numbers(entry.detail),)
    return (entry.bot, entry.version, entry.kind, *key)


def _error_of(traceback: str) -> tuple[str, str]:
    """Return the first line of the exception that a traceback ends with, and the bot's last line in that traceback; empty where unknown."""
    last = traceback.rpartition("Traceback (most recent call last):\n")[2]
    calls = list(_CALL.finditer(last))
    error = next((line for line in last.splitlines() if line and not line.startswith(" ")), "")
    return error, f"{calls[-1][1]}, line {calls[-1][2]}, in {calls[-1][3]}" if calls else ""
