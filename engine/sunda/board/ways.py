"""What tiles meet which demands as machine integers, for loops that run at every decision, and zeros to copy."""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i16, i32, i64

from engine.sunda.board.tiles import DEMAND_BITS, WAYS_FITTING


@final
class Ways:
    """DEMAND_BITS, and WAYS_FITTING in one row: the ways that meet a demand are those from its entry of ``starts`` to the next one."""

    __slots__ = ("bits", "starts", "ways", "zeros")

    def __init__(self) -> None:
        ways: list[int] = []
        starts = [0]
        for fitting in WAYS_FITTING:
            ways += fitting
            starts.append(len(ways))
        self.ways: vec[i16] = vec[i16](ways)
        self.starts: vec[i32] = vec[i32](starts)
        self.bits: vec[i64] = vec[i64](DEMAND_BITS)
        self.zeros: vec[i64] = vec[i64]([0] * 4096)


WAYS: Final = Ways()


def zeros(number: i64) -> vec[i64]:
    """Return so many zeros."""
    known = WAYS.zeros
    return known[:number] if number <= len(known) else vec[i64]([0] * number)
