"""Records of a stored tournament, for verification, seals and bundles (docs/verification.md). ``raw_queries`` reads them.

A line of a bundle is checked when it is read, and when it is written (``checked``). A damaged database may have any value in any column, so
fields of a record read from it must be checked before use: type checkers see them as ``object``. Columns that a bundle does not show
(times, logs, where a host keeps a file) are represented by one digest of them, ``unpublished``.
"""

from __future__ import annotations

import zlib
from types import SimpleNamespace
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import msgspec

from engine.decoding import convert

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


class EntrantRecord(Record, frozen=True, omit_defaults=True):
    """A bot's version in a tournament, as ``Entrant`` has it. Submitted versions have a ``number`` and an ``author``.

    ``unpublished`` and ``submitted`` are digests of the remaining columns of the version and of its submission.
    """

    name: str
    digest: str = msgspec.field(name="version")
    joined: int = 0
    number: Integer | None = None
    author: Text | None = None
    unpublished: str = ""
    submitted: str | None = None


class OrderRecord(Record, frozen=True):
    """A host's order, as ``Order`` has it."""

    number: Integer
    kind: Text
    bot: Text | None
    detail: Text
    why: Text
    by: Text
    given: Text
    after: Integer
    round: Integer


class SeatResultRecord(Record, frozen=True):
    """The result of a seat. ``bot`` and ``version`` are the name and the content hash of the bot's version."""

    bot: Text
    version: Text
    score: Number
    rank: Integer
    fault: Text | None
    fault_index: Integer | None
    decisions: Integer


class NumberedSeat(SeatResultRecord, frozen=True, kw_only=True):
    """The result of a seat with its number, which is its place in a bundle."""

    seat: Integer


class MatchRecord(Record, frozen=True):
    """The result of a match, as a bundle has it; ``link`` is the number of the first seal that covers it."""

    id: str
    round: Integer
    block: Integer
    rotation: Integer
    seed: Integer
    end: Text
    decisions: Integer
    isolation: Text
    digest: Text
    seats: tuple[SeatResultRecord, ...]
    block_key: Integer
    link: Integer
    unpublished: str = ""


class MatchEvidence(MatchRecord, frozen=True, kw_only=True):
    """A match with its replay.

    The replay is text in a bundle, and should be text compressed by zlib in a database; it is None if it was not requested.
    """

    seats: tuple[NumberedSeat, ...]
    players: Integer
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


class SubmissionRecord(Record, frozen=True):
    """The submission of a version; ``owner`` is the bot that it names."""

    number: object
    author: object
    owner: object


class ContentRecord(Record, frozen=True):
    """The content of a bot's version: text in a bundle, compressed in a database. ``submission`` is None if it was not submitted."""

    bot: object
    version: object
    content: object
    submission: SubmissionRecord | None = None


class SecretRecord(Record, frozen=True):
    """The secret of a tournament, as ``StoredSecret`` has it; a bundle has no ``secret`` that is not published."""

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
    orders: tuple[OrderRecord, ...] = ()
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
