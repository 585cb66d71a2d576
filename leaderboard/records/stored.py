"""The records that the store returns: tournaments and matches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from engine.records import SeatResult

WAITING: Final = -1
"""Stands for the round before which a bot joined while it waits for the next round that a run begins."""


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
    """A tournament's secret as 64 hex digits, with its commitment and the public value mixed in, if there is one."""

    commitment: str
    secret: str = field(repr=False)
    public_value: str | None = None


@dataclass(frozen=True, slots=True)
class StoredTournament:
    """A tournament, additions included; ``spec`` is canonical JSON.

    It has either an open ``seed`` or a ``secret``. ``total`` is the number of its matches; None while it is unknown, because it depends
    on results or the tournament has no end.
    """

    id: int
    name: str
    game: str
    seed: int | None
    spec: str
    total: int | None
    entrants: tuple[Entrant, ...]
    secret: StoredSecret | None = None


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
