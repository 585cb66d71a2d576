"""Records of stored data: tournaments and matches as the store returns them, and raw rows for verification, seals and exports.

Raw rows (subclasses of ``Record``) are read by ``leaderboard.storage.raw_queries``. A damaged database may have any value in any column, so
the fields of raw rows must be checked before use (``checked``), and type checkers see them as ``object``. Columns that are not published
(times, logs, paths of files) are represented by a single digest, ``unpublished`` (docs/verification.md).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from types import SimpleNamespace
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

import msgspec

from engine.records import SeatResult, convert

T = TypeVar("T")
RecordT = TypeVar("RecordT", bound="Record")

WAITING: Final = -1
"""The value of ``joined`` for a bot that has not joined yet, and of ``round`` for an order that no run has applied yet."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot's version in a tournament; ``digest`` is its content hash, ``origin`` is the file or module it came from.

    ``joined`` is the round before which it joined (0 if it took part from the start), or ``WAITING`` until it joins.
    """

    name: str
    digest: str
    origin: str
    joined: int = 0


@dataclass(frozen=True, slots=True)
class StoredSecret:
    """The secret of a tournament as 64 hex digits, the commitment to it, and the public value that is mixed into its seeds, if any."""

    commitment: str
    secret: str = field(repr=False)
    public_value: str | None = None


class OrderKind(StrEnum):
    """The kinds of orders that a host, or a rule in the ladder's file, can give while a ladder runs (docs/hosting-a-ladder.md)."""

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
    """A decision about a ladder, made by the host or by a rule in the ladder's file; ``number`` counts a tournament's orders from 1.

    - ``round``: the first round in which it is in effect, counted from 0, or ``WAITING`` until a run applies it
    - ``after``: the earliest round in which it may take effect
    - ``detail``: JSON; ``arena.formats.orders`` describes it for each kind
    - ``given``: when it was given, in UTC, such as ``2026-11-23T18:00:00Z``
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
    """A tournament, with all bots and orders added later. ``spec`` is canonical JSON. There is either a public ``seed`` or a ``secret``.

    ``total`` is the number of its matches, or None if the number is unknown because it depends on results or the tournament has no end.
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


if TYPE_CHECKING:
    Text: TypeAlias = object
    Integer: TypeAlias = object
    Real: TypeAlias = object
    Number: TypeAlias = object
else:
    Text, Integer, Real, Number = str, int, float, int | float


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The base class of raw rows."""


class EntrantRecord(Record, frozen=True):
    """A bot's version in a tournament (see ``Entrant``). Submitted versions have a ``number`` and an ``author``.

    ``unpublished`` is the digest of the version's unpublished columns. ``submitted`` is the same for its submission, if it has one.
    """

    name: str
    digest: str
    joined: int = 0
    number: Integer | None = None
    author: Text | None = None
    unpublished: str = ""
    submitted: str | None = None


class SeatRecord(Record, frozen=True):
    """The result of a seat. ``bot`` is the bot's name; ``version`` is the content hash of its version."""

    seat: Integer
    bot: Text
    version: Text
    score: Number
    rank: Integer
    fault: Text | None
    fault_index: Integer | None
    decisions: Integer


class MatchRecord(Record, frozen=True, kw_only=True, omit_defaults=True):
    """The result of a match; ``link`` is the number of the first seal that covers it.

    The replay should be text compressed with zlib, or None if it was not requested.
    """

    id: str
    players: Integer
    round: Integer
    block: Integer
    rotation: Integer
    seed: Integer
    block_key: Integer
    end: Text
    decisions: Integer
    digest: Text
    isolation: Text
    seats: tuple[SeatRecord, ...]
    link: Integer
    unpublished: str
    replay: object = None


class StandingRecord(Record, frozen=True):
    """A bot's newest rating, and the totals over its rated matches. ``unpublished`` is the digest of its thinking time (not published)."""

    bot: Text
    version: Text
    matches: Integer
    mu: Real
    sigma: Real
    wins: Real
    places: Integer
    points: Number
    faults: Integer
    decisions: Integer
    unpublished: str = ""


class VoidRecord(Record, frozen=True):
    """A match that could not be played."""

    match: str
    seats: Text
    link: Integer = 1
    unpublished: str = ""


class SealRecord(Record, frozen=True, kw_only=True):
    """A seal: its text (``body``), the digest of the text, and the signature. Each line of a seal file is such a record."""

    digest: Text
    body: Text
    signature: Text | None = None


class NumberedSeal(SealRecord, frozen=True, kw_only=True):
    """A seal with its position in the chain, counted from 1."""

    number: Integer


class ContentRecord(Record, frozen=True):
    """The compressed content of a bot's version. A submitted version also has a number, an author and the submission's name (``owner``)."""

    bot: object
    version: object
    content: object
    is_submitted: bool = False
    number: object = None
    author: object = None
    owner: object = None


class SecretRecord(Record, frozen=True):
    """The secret of a tournament (see ``StoredSecret``). In a bundle, ``secret`` is None until it has been published."""

    commitment: Text
    secret: Text | None = None
    public_value: Text | None = None


class TournamentRecord(Record, frozen=True):
    """A stored tournament. ``key`` is its id, ``total`` its number of matches (0: unknown), ``rated`` how many the standings cover."""

    key: int
    name: object
    game: object
    seed: object
    spec: object
    total: object
    rated: object
    entrants: tuple[EntrantRecord, ...]
    created: object = None
    links: tuple[NumberedSeal, ...] = ()
    orders: tuple[Order, ...] = ()
    secret: SecretRecord | None = None


def checked(row: Record, kind: type[RecordT]) -> RecordT:
    """Check the types of a row's fields, and return it as a record of type ``kind``. Raises msgspec.ValidationError if one is wrong."""
    fields = SimpleNamespace(**msgspec.structs.asdict(row))  # a record of the same kind would not be checked
    return convert(fields, kind, from_attributes=True)


def inflate(packed: object, largest: int) -> bytes:
    """Decompress zlib data of up to ``largest`` bytes. Raises ValueError, saying how the data are damaged."""
    if not isinstance(packed, bytes):
        raise ValueError("it is not compressed content")
    stream = zlib.decompressobj()
    try:
        content = stream.decompress(packed, largest)
    except zlib.error as error:
        raise ValueError(f"it is damaged: {error}") from None
    if stream.unconsumed_tail or not stream.eof or stream.unused_data:
        raise ValueError("it is damaged: truncated, too long, or followed by extra data")
    return content


@dataclass(frozen=True, slots=True)
class Space:
    """How many bytes a database takes up, and the free and total bytes of its disk (None for a database server)."""

    used: int
    free: int | None = None
    total: int | None = None


class Ending(StrEnum):
    """How a run ended: every match was played, somebody stopped it, it paused itself, or the machine failed.

    Both a killed run and a run in progress are ``OPEN``, but only a run in progress holds the lock of its database.
    """

    OPEN = ""
    COMPLETE = "complete"
    STOPPED = "stopped"
    PAUSED = "paused"
    FAILED = "failed"


CHUNK: Final = 500
"""The number of items in a chunk, such as the ids in one query."""


def chunks(items: Iterable[T]) -> Iterator[list[T]]:
    """Yield lists of ``CHUNK`` items; the last list may be shorter. Items are consumed lazily, one list at a time."""
    iterator = iter(items)
    while chunk := list(islice(iterator, CHUNK)):
        yield chunk
