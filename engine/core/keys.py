"""Random numbers for the hash keys of positions: constant, so that a position has the same key in every process.

A key is mostly a sum of products, one for each thing on the table: a random factor of its own times where it is or how many there are.
Products stay below ``2**60`` and sums are cut to ``KEY_MASK``, so that compiled and plain code compute the same.
"""

from __future__ import annotations

from random import Random
from typing import Final

KEY_MASK: Final = (1 << 61) - 1


def random_factors(count: int, bits: int, seed: int) -> list[int]:
    """That many odd numbers below ``2**bits``, always the same for a seed."""
    rng = Random(seed)
    return [rng.getrandbits(bits) | 1 for _ in range(count)]
