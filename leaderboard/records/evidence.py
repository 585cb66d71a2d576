"""Records of a stored tournament, for verification, seals and exports (docs/verification.md). ``raw_queries`` reads them.

A damaged database may have any value in any column, so fields of a record must be checked before use (``checked``): type checkers see them
as ``object``. Columns that are not published (times, logs, where a host keeps a file) are represented by one digest of them,
``unpublished``.
"""

from __future__ import annotations

import zlib
from types import SimpleNamespace
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import msgspec

from engine.decoding import convert
from leaderboard.records.stored import Order

if TYPE_CHECKING:
    Text: TypeAlias = object
    Integer: TypeAlias = object
    Real: TypeAlias = object
    Number: TypeAlias = object
else:
    Text, Integer, Real, Number = str, int, float, int | float

RecordT = TypeVar("RecordT", bound="Record")


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The base of the records of stored data."""


class EntrantRecord(Record, frozen=True):
    """A bot's version in a tournament, as ``Entrant`` has it. Submitted versions have a ``number`` and an ``author``.

    ``unpublished`` and ``submitted`` are digests of the remaining columns of the version and of its submission.
    """

    name: str
    digest: str
    joined: int = 0
    number: Integer | None = None
    author: Text | None = None
    unpublished: str = ""
    submitted: str | None = None


class SeatRecord(Record, frozen=True):
    """The result of a seat. ``bot`` and ``version`` are the name and the content hash of the bot's version."""

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

    The replay should be text compressed by zlib; it is None if it was not requested.
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


class RatingRecord(Record, frozen=True):
    """A bot's rating after a match."""

    bot: Text
    version: Text
    number: Integer
    match: Text
    mu: Real
    sigma: Real


class StandingRecord(Record, frozen=True):
    """A bot's newest rating, and the totals over its rated matches, without its thinking time, which is a measurement."""

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
    """A link of the chain of seals: its text, the text's digest, and the signature. Files of seals have the same lines."""

    digest: Text
    body: Text
    signature: Text | None = None


class NumberedSeal(SealRecord, frozen=True, kw_only=True):
    """A link with its place in the chain, counted from 1."""

    number: Integer


class ContentRecord(Record, frozen=True):
    """The compressed content of a bot's version; if it ``is_submitted``, with its number and author, and the bot that it names as owner."""

    bot: object
    version: object
    content: object
    is_submitted: bool = False
    number: object = None
    author: object = None
    owner: object = None


class SecretRecord(Record, frozen=True):
    """The secret of a tournament, as ``StoredSecret`` has it; ``secret`` is None in a bundle before it is published."""

    commitment: Text
    secret: Text | None = None
    public_value: Text | None = None


class TournamentRecord(Record, frozen=True):
    """A stored tournament. ``key`` is its id in the tables; ``total`` is 0 while it is not known; ``rated`` is as in the tables."""

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
    """Return a record of that kind with the fields of the row. Raises msgspec.ValidationError unless they have the right types."""
    fields = SimpleNamespace(**msgspec.structs.asdict(row))  # msgspec would accept a record of the same kind unchecked
    return convert(fields, kind, from_attributes=True)


def inflate(packed: object, largest: int) -> bytes:
    """Decompress zlib data of up to ``largest`` bytes. Raises ValueError, which describes any damage."""
    if not isinstance(packed, bytes):
        raise ValueError("it is not compressed content")
    stream = zlib.decompressobj()
    try:
        content = stream.decompress(packed, largest)
    except zlib.error as error:
        raise ValueError(f"it is damaged: {error}") from None
    if stream.unconsumed_tail or not stream.eof or stream.unused_data:
        raise ValueError("it is damaged: it is cut, or too long, or something follows it")
    return content
