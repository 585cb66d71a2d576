"""The records that the store returns: tournaments, the host's orders, and matches."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from engine.records import SeatResult

WAITING: Final = -1
"""The round of a bot or an order that waits to take effect when a run begins its next round."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot's version in a tournament; ``digest`` is its content hash, ``origin`` the file or module it came from.

    ``joined`` is the round before which it joined: 0 for those there from the start, or ``WAITING``.
    """

    name: str
    digest: str
    origin: str
    joined: int = 0


@dataclass(frozen=True, slots=True)
class StoredSecret:
    """The secret of a tournament as 64 hex digits, with its commitment and the public value mixed in, if there is one."""

    commitment: str
    secret: str = field(repr=False)
    public_value: str | None = None


class OrderKind(StrEnum):
    """The kinds of orders that a host, or a rule of the ladder's file, may give while a ladder runs (docs/hosting-a-ladder.md)."""

    LEAVE = "leave"
    PACE = "pace"
    PAUSE = "pause"
    RESUME = "resume"
    END = "end"
    EXTEND = "extend"


SCHEDULING: Final = frozenset({OrderKind.LEAVE, OrderKind.PACE, OrderKind.END})
"""The kinds of orders that change the schedule."""


@dataclass(frozen=True, slots=True)
class Order:
    """A decision about a ladder, by the host or by a rule of its file; ``number`` counts a tournament's orders from 1.

    It is in effect from ``round`` on, counted from 0 (``WAITING`` until a run applies it), and not before round ``after`` if that is given.
    ``detail`` is JSON, as ``arena.formats.orders`` describes for each kind. ``given`` is a time in UTC, such as ``2026-11-23T18:00:00Z``.
    """

    number: int
    kind: str
    bot: str | None
    detail: str
    why: str
    by: str
    given: str
    after: int = 0
    round: int = WAITING


@dataclass(frozen=True, slots=True)
class StoredTournament:
    """A tournament, additions included; ``spec`` is canonical JSON.

    It has either an open ``seed`` or a ``secret``. ``total`` is the number of its matches; None while it is unknown, because it depends on
    results or the tournament has no end.
    """

    id: int
    name: str
    game: str
    seed: int | None
    spec: str
    total: int | None
    entrants: tuple[Entrant, ...]
    secret: StoredSecret | None = None
    orders: tuple[Order, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A stored match without its replay; ``digest`` is the hex SHA-256 of the replay's text."""

    id: str
    tournament: str
    block: int
    rotation: int
    seed: int
    seats: tuple[SeatResult, ...]
    end: str
    decisions: int
    seconds: float
    digest: str
    isolation: str
    round: int = 0
    block_key: int = 0

    @property
    def ranks(self) -> tuple[int, ...]:
        """The rank of each seat."""
        return tuple(seat.rank for seat in self.seats)
