"""Faster equivalents of methods of ``random.Random``, and the constant factors in ``State.key``, a position's hash.

A key is mostly a sum of products, one for each piece on the board: the piece's random factor times its place or number. Products stay
below ``2**60`` and sums are masked with ``KEY_MASK``, so that compiled and plain code compute the same key in every process.
"""

from __future__ import annotations

from random import Random
from typing import Any, Final


def usable(rng: Any) -> Any:  # bots may pass anything
    """Return the generator. Raises TypeError unless it is a ``random.Random`` or has the method ``getrandbits``."""
    if isinstance(rng, Random) or hasattr(rng, "getrandbits"):
        return rng
    raise TypeError(f"a generator must be a random.Random, not {type(rng).__name__}: use random.Random(seed)")


def below(rng: Random, count: int) -> int:
    """Return the same integer from 0 to ``count - 1`` as ``rng.randrange(count)``; ``count`` must be positive."""
    bits = count.bit_length()
    drawn = rng.getrandbits(bits)
    while drawn >= count:
        drawn = rng.getrandbits(bits)
    return drawn


def shuffle(rng: Random, items: list[int]) -> None:
    """Shuffle the list in place as ``rng.shuffle(items)`` would."""
    for index in range(len(items) - 1, 0, -1):
        other = below(rng, index + 1)
        items[index], items[other] = items[other], items[index]


KEY_MASK: Final = (1 << 61) - 1


def random_factors(count: int, bits: int, seed: int) -> list[int]:
    """Return ``count`` random odd numbers below ``2**bits``; equal seeds give equal numbers."""
    rng = Random(seed)
    return [rng.getrandbits(bits) | 1 for _ in range(count)]
