"""An interval for the mean of scores between 0 and 1 that holds whenever one stops to look. It tests nothing and knows no matches.

It is the hedged capital confidence sequence of I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting",
Journal of the Royal Statistical Society B 86 (2024) 1-27: a gambler bets on each score against every mean that is claimed, and a claim at
which the capital would have grown to ``2 / (1 - confidence)`` times is given up. With the true mean the game is fair, so that this ever
happens has a probability of at most ``1 - confidence`` (Ville's inequality), whatever the distribution and the rule for stopping.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, log1p, sqrt
from typing import Final

MOST: Final = 0.5
"""The largest part of the capital that a bet may lose."""
STEPS: Final = 30
"""Halvings in the search for an end of the interval."""


@dataclass(frozen=True, slots=True)
class Interval:
    """From ``low`` to ``high``."""

    low: float
    high: float


def mean_interval(scores: Sequence[float], confidence: float) -> Interval:
    """The interval after these scores, in the order in which they came; from 0 to 1 if there are none."""
    budget = log(2 / (1 - confidence))
    stakes = _stakes(scores, budget)
    low = _lowest_kept(scores, stakes, budget)
    high = 1 - _lowest_kept([1 - score for score in scores], stakes, budget)
    return Interval(low, high)


def _stakes(scores: Sequence[float], budget: float) -> list[float]:
    """How much to bet on each score, by what the scores before it were like: less where they spread."""
    stakes = []
    total, spread = 0.5, 0.25
    for number, score in enumerate(scores, start=1):
        stakes.append(sqrt(2 * budget / (spread * log(number + 1))))
        total += score
        spread += (score - total / (number + 1)) ** 2
    return stakes


def _lowest_kept(scores: Sequence[float], stakes: Sequence[float], budget: float) -> float:
    """The smallest mean against which betting on higher scores would not have won; the capital falls as the mean claimed rises."""
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        claim = (low + high) / 2
        capital = sum(log1p(min(stake, MOST / claim) * (score - claim)) for score, stake in zip(scores, stakes, strict=True))
        if capital >= budget:
            low = claim
        else:
            high = claim
    return low
