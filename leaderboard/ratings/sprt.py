"""A sequential test of block scores, which are bounded numbers with a mean between 0 and 1: is the mean ``h0`` or ``h1``?

The test is Wald's sequential probability ratio test with the normal likelihood, the unknown variance replaced by its estimate, which is
the leading term of the generalised test for any distribution of scores:

- A. Wald, "Sequential Tests of Statistical Hypotheses", Annals of Mathematical Statistics 16 (1945) 117-186: the bounds.
- X. Li, J. Liu, Z. Ying, "Generalized Sequential Probability Ratio Test for Separate Families of Hypotheses", Sequential Analysis 33
  (2014) 539-563: that estimates may replace parameters.
- M. Van den Bergh, "A Practical Introduction to the GSPRT" (notes on testing chess engines): pairs of games as the unit, and the
  approximation n (h1 - h0) (2 mean - h0 - h1) / (2 variance).

The interval for the mean is a confidence sequence, which stays valid whenever one stops to look: the hedged capital one of
I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting", Journal of the Royal Statistical Society B 86
(2024) 1-27. A gambler bets on each score against every possible mean, and a mean is excluded once the capital against it has grown by the
factor ``2 / (1 - confidence)``. Bets against the true mean are fair, so it is ever excluded with a probability of at most
``1 - confidence`` (Ville's inequality), whatever the distribution and the rule for stopping.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import log, log1p, sqrt
from typing import Final

from engine.core.errors import InputError

H0: Final = 0.5
H1: Final = 0.55
ERROR_RATE: Final = 0.05
MIN_BLOCKS: Final = 10
MAX_BLOCKS: Final = 1000
CONFIDENCE: Final = 0.95


class Verdict(StrEnum):
    """The verdict of a test: the mean is closer to ``h1`` (better), closer to ``h0`` (not better), or undecided."""

    BETTER = "better"
    NOT_BETTER = "not better"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """The hypotheses of a test: a mean block score of ``h0`` against one of ``h1``, both in (0, 1), and its error rates.

    ``alpha`` is the share of tests that may say "better" if the mean is ``h0``; ``beta`` is the share that may say "not better" if it is
    ``h1``. Nothing is decided before ``min_blocks``, and the test gives up after ``max_blocks``. Raises InputError.
    """

    h0: float = H0
    h1: float = H1
    alpha: float = ERROR_RATE
    beta: float = ERROR_RATE
    min_blocks: int = MIN_BLOCKS
    max_blocks: int = MAX_BLOCKS

    def __post_init__(self) -> None:
        for name, value in (("h0", self.h0), ("h1", self.h1)):
            if not 0 < value < 1:
                raise InputError(f"{name} is a share of the points, between 0 and 1, not {value:g}")
        if self.h0 >= self.h1:
            raise InputError(f"h0 ({self.h0:g}) must be less than h1 ({self.h1:g})")
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < value < 0.5:
                raise InputError(f"{name} is an error rate, above 0 and below 0.5, not {value:g}")
        if not 1 <= self.min_blocks <= self.max_blocks:
            raise InputError(f"min-blocks ({self.min_blocks}) must be at least 1 and at most max-blocks ({self.max_blocks})")

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which the test says "not better" (Wald's bound)."""
        return log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which the test says "better" (Wald's bound)."""
        return log((1 - self.beta) / self.alpha)


class SequentialTest:
    """The state of a test. Add block scores one by one, in an order fixed beforehand, until ``verdict`` is no longer undecided.

    The variance is estimated from the blocks and some imagined ones, ``padding`` at 0 and as many at 1, so that equal scores at the start
    are not taken as certainty. Suppose that the true mean is h0 + d, but shows only as a win among ties, with a chance of 2d a block. The
    log-likelihood ratio of n ties is -(n d)^2 / padding; when it reaches the bound b, the chance of n ties is exp(-2 sqrt(b padding)),
    and that is the error rate exp(-b) if ``padding`` is b/4. Here it is b/3, about one block of each at 5 %, which also covers a rare
    loss among narrow wins (docs/compare.md has figures). The more blocks, the less it matters.

    Scores lie between ``least`` and ``most``: 0 and 1, or, adjusted for luck, -1 and 2. Adjusted scores are added together with the
    unadjusted ones, which have the same mean and narrower bounds.
    """

    def __init__(self, hypotheses: Hypotheses, least: float = 0.0, most: float = 1.0) -> None:
        self.hypotheses: Final = hypotheses
        self.least: Final = least
        self.most: Final = most
        self._padding = max(-hypotheses.lower, hypotheses.upper) / 3
        self._scores: list[float] = []
        self._raw: list[float] = []
        self._sum = 0.0
        self._squares = 0.0

    def add(self, score: float, raw: float | None = None) -> None:
        """Add the next block's score, and, if it is adjusted for luck, the unadjusted one.

        Raises ValueError unless the score is between ``least`` and ``most``.
        """
        if not self.least <= score <= self.most:
            raise ValueError(f"a block score is between {self.least:g} and {self.most:g}, not {score}")
        if raw is not None:
            self._raw.append(raw)
        self._scores.append(score)
        self._sum += score
        self._squares += score * score

    def extend(self, scores: Iterable[float]) -> Verdict:
        """Add scores until there is a verdict, and return it; later scores are not used."""
        for score in scores:
            if self.verdict is not Verdict.UNDECIDED:
                break
            self.add(score)
        return self.verdict

    @property
    def scores(self) -> tuple[float, ...]:
        """The scores so far."""
        return tuple(self._scores)

    @property
    def blocks(self) -> int:
        """The number of blocks so far."""
        return len(self._scores)

    @property
    def mean(self) -> float:
        """The mean score; 1/2 before the first block."""
        return self._sum / self.blocks if self._scores else 0.5

    @property
    def variance(self) -> float:
        """The variance of a block score, estimated with the padding."""
        weight = self.blocks + 2 * self._padding
        mean = (self._sum + self._padding) / weight
        return (self._squares + self._padding) / weight - mean * mean

    @property
    def log_ratio(self) -> float:
        """The log-likelihood ratio of ``h1`` to ``h0``: positive values favour ``h1``."""
        h0, h1 = self.hypotheses.h0, self.hypotheses.h1
        return self.blocks * (h1 - h0) * (2 * self.mean - h0 - h1) / (2 * self.variance) if self._scores else 0.0

    @property
    def verdict(self) -> Verdict:
        """The verdict after the blocks so far."""
        if self.blocks < self.hypotheses.min_blocks:
            return Verdict.UNDECIDED
        ratio = self.log_ratio
        if ratio >= self.hypotheses.upper:
            return Verdict.BETTER
        return Verdict.NOT_BETTER if ratio <= self.hypotheses.lower else Verdict.UNDECIDED

    @property
    def is_over(self) -> bool:
        """Whether the test needs no further block."""
        return self.blocks >= self.hypotheses.max_blocks or self.verdict is not Verdict.UNDECIDED

    def interval(self, confidence: float = CONFIDENCE) -> Interval:
        """Return an interval for the mean that is valid for any stopping rule.

        For adjusted scores it is the intersection of two intervals, of the adjusted and of the unadjusted scores, each with half the error
        rate. It is therefore never much wider than without the adjustment.
        """
        width = self.most - self.least
        each = (1 + confidence) / 2 if self._raw else confidence
        interval = mean_interval([(score - self.least) / width for score in self._scores], each)
        low, high = (min(max(self.least + width * bound, 0.0), 1.0) for bound in (interval.low, interval.high))
        if self._raw:
            raw = mean_interval(self._raw, each)
            low, high = max(low, raw.low), min(high, raw.high)
        return Interval(min(low, high), max(low, high))


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


BELIEF: Final = 5
"""The number of imagined prior scores that luck fully explains (a coefficient of 1)."""


class RunningAdjustment:
    """Adjusts scores, which lie in 0 to 1, for luck; luck lies in -1 to 1 and is zero on average whatever came before.

    The coefficient lies in 0 to 1 and depends on earlier scores alone. So an adjusted score lies in -1 to 2, and has the same expectation
    as the score, given everything before it: bounds for sums of scores at any time also hold for sums of adjusted ones.
    """

    def __init__(self) -> None:
        self._number = 0
        self._scores = 0.0
        self._lucks = 0.0
        self._products = 0.0
        self._squares = 0.0

    def adjusted(self, score: float, luck: float) -> float:
        """Return the score less its luck, and update the coefficient with both."""
        less = score - self.coefficient * luck
        self._number += 1
        self._scores += score
        self._lucks += luck
        self._products += score * luck
        self._squares += luck * luck
        return less

    @property
    def coefficient(self) -> float:
        """The share of the next score's luck that is subtracted: 1 before there are scores."""
        if not self._squares:
            return 1.0
        mean = (self._scores + 0.5) / (self._number + 1)
        belief = BELIEF * self._squares / self._number
        seen = (self._products - mean * self._lucks) * (self._number + 1) / self._number  # each score is part of the mean
        return min(max((seen + belief) / (self._squares + belief), 0.0), 1.0)
