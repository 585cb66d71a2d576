"""Faster equivalents of methods of ``random.Random``: they return the same values and leave the generator in the same state."""

from __future__ import annotations

from random import Random


def below(rng: Random, count: int) -> int:
    """Return what ``rng.randrange(count)`` would: an integer from 0 to ``count - 1``; ``count`` is positive."""
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
