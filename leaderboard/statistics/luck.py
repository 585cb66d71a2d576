"""Luck: how much of a match's variance the deck and the seat explain, and how much of it remains in a block's mean.

Outcomes are arrays by block, seat and pair of bots: block ``b`` has a match for each seat ``s`` in which the first bot of pair ``p`` sits
there. Three arrays come from the same line-up: two plays of one deck in all the block's seatings (``first`` and ``again``, with other
seeds for the bots), and one in which each match has a deck of its own (``own``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final

import numpy as np
from numpy.typing import NDArray

Outcomes = NDArray[np.float64]

CONFIDENCE: Final = 0.95
DRAWS: Final = 2000
"""The number of bootstrap replicates."""


@dataclass(frozen=True, slots=True)
class Part:
    """An estimate with its interval; NaN where nothing varies."""

    value: float
    low: float
    high: float


class Effect(Enum):
    """The effect of a shared deck on the variance of a block's mean."""

    NONE = "none"
    LESS = "less"
    MORE = "more"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Luck:
    """The effect of blocks on variances, for one kind of pair.

    ``shared`` and ``own`` are var(block mean) * k / var(match), for k matches on one deck and on k decks: 1 if a block of k matches is
    worth k independent matches. ``saved`` is how much smaller ``shared`` is than if the same matches were independent, which is more
    precise than the difference between ``own`` and ``shared``. ``deck`` is the share of a match's variance that its deck explains for given
    seats, ``seat`` the share that the seat explains.
    """

    blocks: int
    matches: int
    shared: Part
    own: Part
    saved: Part
    deck: Part
    seat: Part

    @property
    def effect(self) -> Effect:
        """The effect of a shared deck, if the interval of ``saved`` excludes 0."""
        if np.isnan(self.saved.value):
            return Effect.UNKNOWN
        if self.saved.low > 0:
            return Effect.LESS
        return Effect.MORE if self.saved.high < 0 else Effect.NONE


def measure_luck(first: Outcomes, again: Outcomes, own: Outcomes, *, draws: int = DRAWS, seed: int = 0) -> Luck:
    """Return the estimates over all pairs of a kind, with bootstrap intervals over blocks. Raises ValueError for fewer than two blocks."""
    if first.ndim != 3 or not first.shape == again.shape == own.shape:
        raise ValueError(f"outcomes should be three arrays by block, seat and pair, not {first.shape}, {again.shape}, {own.shape}")
    blocks, seats, _ = first.shape
    if blocks < 2:
        raise ValueError("variances need at least two blocks")
    rng = np.random.default_rng(seed)
    sums = _sums(first, again, own)
    values = _shares(sums.mean(axis=0)[None], blocks, seats, noises=1)[0]
    drawn = np.concatenate([_shares(part, blocks, seats, noises=2) for part in _resampled(sums, draws, rng)])
    with np.errstate(invalid="ignore"):
        low, high = np.quantile(drawn, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2), axis=0)
    parts = [Part(float(value), float(least), float(most)) for value, least, most in zip(values, low, high, strict=True)]
    return Luck(blocks, seats, *parts)


def _sums(first: Outcomes, again: Outcomes, own: Outcomes) -> Outcomes:
    """Return the quantities whose means over blocks are moments, by block, quantity and pair."""
    rows = [first, again, own, first**2, again**2, own**2, first * again]
    means = [(each.mean(axis=1, keepdims=True) ** 2) for each in (first, again, own)]
    return np.concatenate([*rows, *means], axis=1)


def _resampled(sums: Outcomes, draws: int, rng: np.random.Generator) -> Iterator[Outcomes]:
    """Yield the mean quantities of blocks drawn with replacement, a batch of replicates at a time."""
    blocks = len(sums)
    flat = sums.reshape(blocks, -1)
    for done in range(0, draws, 200):
        weights = rng.multinomial(blocks, np.full(blocks, 1 / blocks), size=min(200, draws - done)) / blocks
        yield (weights @ flat).reshape(len(weights), *sums.shape[1:])


def _shares(moments: Outcomes, blocks: int, seats: int, *, noises: int) -> Outcomes:
    """Return shared, own, saved, deck and seat of each replicate, from mean quantities by replicate, quantity and pair.

    ``noises`` is how many times the means of seats include sampling error: once in the data, twice in a bootstrap replicate.
    """
    first, again, own, first_2, again_2, own_2, product = (moments[:, n * seats : (n + 1) * seats] for n in range(7))
    of_block = [moments[:, 7 * seats + n] for n in range(3)]
    scale = blocks / (blocks - 1)  # the variance over blocks is a sample variance

    def within(mean: Outcomes, square: Outcomes) -> Outcomes:
        variance: Outcomes = scale * (square - mean**2).mean(axis=(1, 2))
        return variance

    def between(mean: Outcomes, noise: Outcomes) -> Outcomes:
        spread = mean.var(axis=1).mean(axis=1) - noises * noise / blocks * (seats - 1) / seats
        return spread if seats > 1 else np.zeros(len(mean))

    def of_means(mean: Outcomes, square: Outcomes) -> Outcomes:
        variance: Outcomes = scale * (square - mean.mean(axis=1) ** 2).mean(axis=1)
        return variance

    noise = [within(first, first_2), within(again, again_2), within(own, own_2)]
    seat = [between(mean, each) for mean, each in zip((first, again, own), noise, strict=True)]
    total = [_cleaned(one + other) for one, other in zip(noise, seat, strict=True)]
    means = [of_means(mean, square) for mean, square in zip((first, again, own), of_block, strict=True)]
    alike = scale * (product - first * again).mean(axis=(1, 2))
    both = total[0] + total[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        shared = seats * (means[0] + means[1]) / both
        alone = seats * means[2] / total[2]
        saved = (noise[0] + noise[1]) / both - shared
        parts = [shared, alone, saved, 2 * alike / both, sum(seat) / sum(total)]
    return np.stack(parts, axis=1)


def _cleaned(variance: Outcomes) -> Outcomes:
    """Return the variance with values that are mere rounding errors set to zero."""
    return np.where(variance < 1e-12, 0.0, variance)
