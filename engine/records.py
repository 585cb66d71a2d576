"""Immutable records about matches, shared by all layers (replays, tickets, results, faults), and thread-safe functions that decode records
from JSON, MessagePack or plain values with msgspec.

msgspec stores its analysis of a type on the type before the analysis is complete; if a second thread then reads it, the process crashes
with a segmentation fault (seen with msgspec 0.22). So before a type is first decoded, its decoder is created under a lock.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from threading import Lock
from typing import Annotated, Any, Final, NamedTuple, TypeAlias, TypeVar, cast, overload

import msgspec

from engine.core import OptionValue, Score
from engine.core.errors import InputError

Natural: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
"""A non-negative integer; decoding a record with any other number fails."""


class Decision(NamedTuple):  # a replay has hundreds, and creating a tuple is much faster than a frozen dataclass
    """One decision: who made it, the move in the game's notation, and how many legal moves there were."""

    seat: Natural
    move: str
    legal: Natural


@dataclass(frozen=True, slots=True)
class Chance:
    """A chance event other than a draw from the deck, with the index of the decision that caused it."""

    index: int
    event: str


@dataclass(frozen=True, slots=True)
class Forfeit:
    """A seat that the substitute took over from decision ``index`` on, and the reason."""

    seat: int
    index: int
    reason: str


@dataclass(frozen=True, slots=True)
class Replay:
    """The record of a whole match, from which it can be re-simulated without bots or clocks (docs/replay-format.md)."""

    game: str
    options: Mapping[str, OptionValue]
    players: int
    seed: int
    names: tuple[str, ...]
    decisions: tuple[Decision, ...]
    chance: tuple[Chance, ...]
    forfeits: tuple[Forfeit, ...]
    scores: tuple[Score, ...]
    ranks: tuple[int, ...]
    end: str
    rules_version: int | None = None
    """The version of the game's rules that the match was played under; None if the replay doesn't record it."""
    package: str | None = None
    """The package that provides the game, with its version, such as ``tile-arena-hex 1.2``; None for games that come with this program."""


def ranks_after(ranks: Sequence[int], forfeits: Sequence[Forfeit]) -> tuple[int, ...]:
    """Return the ranks corrected for forfeits: seats that forfeited rank below all others, and later forfeits rank above earlier ones."""
    forfeited = [forfeit.seat for forfeit in forfeits]
    kept = [rank for seat, rank in enumerate(ranks) if seat not in forfeited]
    final = [1 + sum(other < rank for other in kept) for rank in ranks]
    for place, seat in enumerate(reversed(forfeited)):
        final[seat] = len(kept) + 1 + place
    return tuple(final)


LARGEST_PACKED: Final = 8 << 20
"""The largest size in bytes that a packed replay may have when it is unpacked."""


class DamagedError(InputError):
    """Raised for bytes that are not a packed replay."""


@dataclass(frozen=True, slots=True)
class PackedReplay:
    """The compressed text of a replay. ``digest`` is the SHA-256 of the text, in hex; packed replays with the same digest are equal."""

    data: bytes = field(compare=False, repr=False)
    digest: str

    @property
    def text(self) -> str:
        """The replay as JSON text. Raises DamagedError."""
        return unpack_text(self.data)


def pack_replay(text: str) -> PackedReplay:
    """Compress the text of a replay."""
    encoded = text.encode()
    return PackedReplay(zlib.compress(encoded, 6), hashlib.sha256(encoded).hexdigest())


def unpack_text(data: bytes) -> str:
    """Return the text that was packed. Raises DamagedError if ``data`` isn't a packed text or unpacks to more than LARGEST_PACKED bytes."""
    stream = zlib.decompressobj()
    try:
        content = stream.decompress(data, LARGEST_PACKED)
        if not stream.eof:
            raise DamagedError("it is truncated, or too long for a replay")
        return content.decode()
    except (zlib.error, UnicodeDecodeError) as error:
        raise DamagedError(str(error)) from None


class FaultKind(StrEnum):
    """Why the substitute takes over a seat; ``Fault.detail`` gives details. Only people resign."""

    INIT_TIMEOUT = "init timeout"
    MOVE_TIMEOUT = "move timeout"
    CRASH = "crash"
    ILLEGAL_MOVE = "illegal move"
    PROTOCOL_ERROR = "protocol error"
    MEMORY = "memory"
    OUTPUT_FLOOD = "output flood"
    RESIGNED = "resigned"


@dataclass(frozen=True, slots=True)
class Fault:
    """Why the substitute took over a seat; ``index`` is the number of the match's decisions before the takeover."""

    kind: FaultKind
    index: int
    detail: str


@dataclass(frozen=True, slots=True)
class Ticket:
    """One match to be played: its seating and its seed.

    ``block`` is the number of the line-up's block, and ``rotation`` is the number of the seating in the block. Matches have the same
    ``block_key`` if and only if they are in the same block. ``seats`` holds the bots' names by seat. ``seed`` is the game's seed; the bots'
    seeds are derived from ``key`` or, if it is empty, from ``id``. ``round`` is the number of the round from 0, in formats with rounds.
    """

    id: str
    lineup: tuple[str, ...]
    block: int
    rotation: int
    seats: tuple[str, ...]
    seed: int
    round: int = 0
    block_key: int = 0
    key: str = ""


@dataclass(frozen=True, slots=True)
class SeatResult:
    """The result of one seat.

    ``decisions`` is how many decisions the bot was asked for. Its start and these decisions took ``seconds`` (wall time), ``cpu_seconds``
    (CPU time), and ``charged_seconds``: wall time without the time spent waiting for a processor. The last four fields are for the bot's
    author. ``peak_memory`` (in bytes), ``log`` (the end of the log) and, after a fault, ``messages`` (the last ones) are set for a bot in a
    process of its own. ``traceback`` shows the bot's own calls if it failed with an exception.
    """

    bot: str
    score: Score
    rank: int
    fault: Fault | None
    decisions: int
    seconds: float
    cpu_seconds: float = 0.0
    charged_seconds: float = 0.0
    peak_memory: int | None = None
    log: str = ""
    messages: tuple[str, ...] = ()
    traceback: str = ""


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The result of a ticket's match. ``seconds`` is the wall time of the whole match; ``replay`` is its packed replay.

    ``notes`` tell the bots' authors about problems that don't affect the result, such as an error in ``finish``. ``isolation`` is the
    sandbox level at which the bots ran.
    """

    ticket: Ticket
    seats: tuple[SeatResult, ...]
    end: str
    decisions: int
    seconds: float
    replay: PackedReplay
    notes: tuple[str, ...] = ()
    isolation: str = "none"


@dataclass(frozen=True, slots=True)
class VoidMatch:
    """A match that couldn't be played because the machine failed repeatedly, and the reason. No bot is at fault; the match isn't rated."""

    ticket: Ticket
    reason: str


T = TypeVar("T")
_lock = Lock()


@cache
def decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    """Return the JSON decoder for a type."""
    with _lock:
        return msgspec.json.Decoder(kind)


@overload
def decode(data: str | bytes, kind: type[T]) -> T: ...
@overload
def decode(data: str | bytes, kind: Any) -> Any: ...
def decode(data: str | bytes, kind: Any) -> Any:
    """Decode JSON into a record of that type. Raises msgspec.ValidationError and msgspec.DecodeError."""
    return decoder(kind).decode(data)


def unpack(data: bytes, kind: type[T]) -> T:
    """Decode MessagePack into a record of that type. Raises msgspec.ValidationError and msgspec.DecodeError."""
    decoder(cast("Any", kind))
    return msgspec.msgpack.decode(data, type=kind)


def convert(value: object, kind: type[T], *, from_attributes: bool = False) -> T:
    """Convert a plain value (with ``from_attributes``, any object) to a record of that type. Raises msgspec.ValidationError."""
    decoder(cast("Any", kind))
    return msgspec.convert(value, kind, from_attributes=from_attributes)
