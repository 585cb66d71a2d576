"""Faster equivalents of methods of ``random.Random``, and the constant factors of hash keys.

A key is mostly a sum of products, one for each piece on the table: its random factor times its place or number. Products stay below
``2**60`` and sums are cut to ``KEY_MASK``, so that compiled and plain code compute the same in every process.
"""

from __future__ import annotations

from random import Random
from typing import Any, Final


def usable(rng: Any) -> Any:  # whatever a bot has
    """Return the generator. Raises TypeError unless it draws as Python's own do."""
    if isinstance(rng, Random) or hasattr(rng, "getrandbits"):
        return rng
    raise TypeError(f"a generator is a random.Random, not a {type(rng).__name__}: take random.Random(seed)")


def below(rng: Random, count: int) -> int:
    """Return the same as ``rng.randrange(count)``: an integer from 0 to ``count - 1``; ``count`` is positive."""
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
    """Return ``count`` odd numbers below ``2**bits``, always the same for a seed."""
    rng = Random(seed)
    return [rng.getrandbits(bits) | 1 for _ in range(count)]
