"""The functions of the module ``arena_v1``, with which a bot can try moves without knowing the rules (docs/wasm.md)."""

from __future__ import annotations

from collections.abc import Callable
from struct import pack, unpack
from typing import Final

from bots.wasm.fuel import PLAYOUT
from bots.wasm.host import Host
from bots.wasm.native import Arguments
from bots.wasm.positions import CallError

MODULE: Final = "arena_v1"
LONGEST_NOTATION: Final = 200
"""The most bytes that the notation of a move may have in the call ``find``."""


def _log(host: Host, args: Arguments) -> None:
    line = host.read(args[0], args[4])
    host.log(line if line.endswith(b"\n") else line + b"\n")


def _fuel(host: Host, args: Arguments) -> None:
    left = host.left()
    args[0], args[1] = left & 0xFFFFFFFF, left >> 32


def _legal(host: Host, args: Arguments) -> None:
    args[0] = _listed(host, args[0])


def _move(host: Host, args: Arguments) -> None:
    _listed(host, args[0])
    args[0] = _give(host, str(host.positions.move(args[0], args[4])), args[8], args[12])


def _find(host: Host, args: Arguments) -> None:
    _listed(host, args[0])
    if args[8] > LONGEST_NOTATION:
        raise CallError(f"{args[8]:,} bytes are too many for a move, which can have at most {LONGEST_NOTATION}")
    host.charge(host.prices.parse)
    args[0] = host.positions.find(args[0], host.read(args[4], args[8]).decode(errors="replace"))


def _actor(host: Host, args: Arguments) -> None:
    args[0] = host.positions.actor(args[0])


def _text(host: Host, args: Arguments) -> None:
    host.charge(host.prices.text)
    args[0] = _give(host, host.positions.state(args[0]).text, args[4], args[8])


def _sample(host: Host, args: Arguments) -> None:
    host.charge(host.prices.sample)
    args[0] = host.positions.sample(_long(args, 0))


def _copy(host: Host, args: Arguments) -> None:
    host.charge(host.prices.copy)
    args[0] = host.positions.copy(args[0])


def _play(host: Host, args: Arguments) -> None:
    host.positions.full(args[0])
    _listed(host, args[0])
    host.charge(host.prices.play)
    args[0] = host.positions.play(args[0], args[4])


def _playout(host: Host, args: Arguments) -> None:
    host.charge(PLAYOUT)
    args[0] = host.positions.playout(args[0], _long(args, 4), lambda: host.charge(host.prices.played))


def _score(host: Host, args: Arguments) -> None:
    args[0], args[1] = unpack("<ii", pack("<d", host.positions.score(args[0], args[4])))


def _rank(host: Host, args: Arguments) -> None:
    args[0] = host.positions.rank(args[0], args[4])


def _drop(host: Host, args: Arguments) -> None:
    host.positions.drop(args[0])


def _long(args: Arguments, place: int) -> int:
    return (args[place] & 0xFFFFFFFF) | (args[place + 1] << 32)  # type: ignore[no-any-return]


def _listed(host: Host, handle: int) -> int:
    """List the moves of a position and return their number. Fuel is charged only if they were not listed yet."""
    positions = host.positions
    if positions.is_listed(handle):
        return len(positions.moves(handle))
    positions.state(handle)
    host.charge(host.prices.list)
    count = len(positions.moves(handle))
    host.charge(host.prices.listed * count)
    return count


def _give(host: Host, text: str, address: int, capacity: int) -> int:
    """Write the text to memory if there is room for it, and return its length in bytes."""
    if capacity < 0:
        raise CallError(f"the capacity of a buffer can't be {capacity:,}")
    data = text.encode()
    if len(data) <= capacity:
        host.write(address, data)
    return len(data)


CALLS: Final[dict[str, tuple[str, str, Callable[[Host, Arguments], None]]]] = {
    "log": ("ii", "", _log),
    "fuel": ("", "I", _fuel),
    "legal": ("i", "i", _legal),
    "move": ("iiii", "i", _move),
    "find": ("iii", "i", _find),
    "actor": ("i", "i", _actor),
    "text": ("iii", "i", _text),
    "sample": ("I", "i", _sample),
    "copy": ("i", "i", _copy),
    "play": ("ii", "i", _play),
    "playout": ("iI", "i", _playout),
    "score": ("ii", "F", _score),
    "rank": ("ii", "i", _rank),
    "drop": ("i", "", _drop),
}
"""By name of a function: the types of its parameters and of its result (i for i32, I for i64, F for f64), and its implementation."""
