"""A confidence sequence: an interval for the mean of scores between 0 and 1 that stays valid whenever one stops to look.

It is the hedged capital confidence sequence of I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting",
Journal of the Royal Statistical Society B 86 (2024) 1-27. A gambler bets on each score against every possible mean, and a mean is excluded
once the capital against it has grown by the factor ``2 / (1 - confidence)``. Bets against the true mean are fair, so it is ever excluded
with a probability of at most ``1 - confidence`` (Ville's inequality), whatever the distribution and the rule for stopping.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, log1p, sqrt
from typing import Final

MOST: Final = 0.5
"""The largest share of the capital that a bet may lose."""
STEPS: Final = 30
"""Bisection steps in the search for a bound of the interval."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval from ``low`` to ``high``."""

    low: float
    high: float


def mean_interval(scores: Sequence[float], confidence: float) -> Interval:
    """Return the interval after these scores, given in the order in which they came; 0 to 1 if there are none."""
    budget = log(2 / (1 - confidence))
    stakes = _stakes(scores, budget)
    low = _lowest_kept(scores, stakes, budget)
    high = 1 - _lowest_kept([1 - score for score in scores], stakes, budget)
    return Interval(low, high)


def _stakes(scores: Sequence[float], budget: float) -> list[float]:
    """Return the stake on each score, computed from the scores before it: the wider their spread, the smaller."""
    stakes = []
    total, spread = 0.5, 0.25
    for number, score in enumerate(scores, start=1):
        stakes.append(sqrt(2 * budget / (spread * log(number + 1))))
        total += score
        spread += (score - total / (number + 1)) ** 2
    return stakes


def _lowest_kept(scores: Sequence[float], stakes: Sequence[float], budget: float) -> float:
    """Return the smallest mean that bets on higher scores don't exclude. The capital falls as the claimed mean rises."""
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        claim = (low + high) / 2
        capital = sum(log1p(min(stake, MOST / claim) * (score - claim)) for score, stake in zip(scores, stakes, strict=True))
        if capital >= budget:
            low = claim
        else:
            high = claim
    return low
