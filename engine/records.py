"""The frozen records of a match that every layer shares (replays, tickets, results, faults), and records from JSON, MessagePack or plain
values, by msgspec, safely from any thread.

msgspec caches what it learns about a type on the type before the analysis is complete; another thread that reads it then crashes the
process with a segmentation fault (seen with msgspec 0.22). So decoders are made by one thread at a time, each before its first use.
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
"""A non-negative integer; records that are read from JSON refuse others."""


class Decision(NamedTuple):  # a replay has hundreds, and a tuple is made much faster than a frozen dataclass
    """One decision: who made it, the move in the game's notation, and how many legal moves there were."""

    seat: Natural
    move: str
    legal: Natural


@dataclass(frozen=True, slots=True)
class Chance:
    """A chance event other than the deck, with the index of the decision after which it occurred."""

    index: int
    event: str


@dataclass(frozen=True, slots=True)
class Forfeit:
    """A seat that the substitute took over from decision ``index`` on, and why."""

    seat: int
    index: int
    reason: str


@dataclass(frozen=True, slots=True)
class Replay:
    """A whole match, enough to re-simulate it with no bot and no clock (docs/replay-format.md)."""

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
    """The version of the game's rules it was played by; None in replays that don't say."""
    package: str | None = None
    """The package that has the game and its version, as ``tile-arena-hex 1.2``; None for games that come with this program."""


def ranks_after(ranks: Sequence[int], forfeits: Sequence[Forfeit]) -> tuple[int, ...]:
    """Return the ranks after forfeits: seats that forfeited rank below all others, those that forfeited later above earlier ones."""
    forfeited = [forfeit.seat for forfeit in forfeits]
    kept = [rank for seat, rank in enumerate(ranks) if seat not in forfeited]
    final = [1 + sum(other < rank for other in kept) for rank in ranks]
    for place, seat in enumerate(reversed(forfeited)):
        final[seat] = len(kept) + 1 + place
    return tuple(final)


LARGEST_PACKED: Final = 8 << 20
"""The most bytes that the text of a replay is unpacked to."""


class DamagedError(InputError):
    """Raised for bytes that are not a packed replay."""


@dataclass(frozen=True, slots=True)
class PackedReplay:
    """The text of a replay, compressed. ``digest`` is the hex SHA-256 of the text; packed replays with the same digest are equal."""

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
    """Return the text that was packed. Raises DamagedError for other bytes, or for a text longer than LARGEST_PACKED."""
    stream = zlib.decompressobj()
    try:
        content = stream.decompress(data, LARGEST_PACKED)
        if not stream.eof:
            raise DamagedError("it is cut off, or too long for a replay")
        return content.decode()
    except (zlib.error, UnicodeDecodeError) as error:
        raise DamagedError(str(error)) from None


class FaultKind(StrEnum):
    """The kinds of reasons why the substitute takes over a seat; ``Fault.detail`` has details. Only people resign."""

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
    """Why a seat was taken over by the substitute: ``index`` is the number of decisions before that."""

    kind: FaultKind
    index: int
    detail: str


@dataclass(frozen=True, slots=True)
class Ticket:
    """One match to be played: who sits where, on which seed.

    ``block`` counts the blocks of the line-up, ``rotation`` the seatings of the block; the matches of one block, and no others, have the
    same ``block_key``. ``seats`` has the bots' names by seat, ``seed`` is the game's. ``round`` counts from 0, in formats that have rounds.
    The bots' own seeds follow from ``key``, or, where it is empty, from ``id``.
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
    """How one seat did.

    ``decisions`` counts those the bot was asked for, ``seconds`` and ``cpu_seconds`` the time it took for them. ``charged_seconds`` is wall
    time from the start on, less the time spent waiting for a processor. ``peak_memory`` (in bytes), the end of its ``log`` and, after a
    fault, its last ``messages`` are for its author; only a bot in a process of its own has them. ``traceback`` is for the author as well:
    the bot's own calls, if it failed with an exception.
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
    """A ticket that has been played. ``seconds`` is the wall time of the whole match, ``replay`` its packed JSON text.

    ``notes`` are sentences for the bots' authors without effect on the result, such as an error in ``finish``. ``isolation`` is the
    sandbox level of the bots.
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
    """A ticket that could not be played because the machine failed again and again, and why. It is no bot's fault and is not rated."""

    ticket: Ticket
    reason: str


T = TypeVar("T")
_lock = Lock()


@cache
def decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    """Return the decoder of a type."""
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
