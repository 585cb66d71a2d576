"""A sequential test of whether the mean of block scores is ``h0`` or ``h1``. Scores are bounded, and their mean is between 0 and 1.

The test is Wald's sequential probability ratio test with the normal likelihood, in which the unknown variance is replaced by an estimate.
To leading order, it equals the generalised test, which allows any distribution of scores. Sources:

- A. Wald, "Sequential Tests of Statistical Hypotheses", Annals of Mathematical Statistics 16 (1945) 117-186, for the bounds.
- X. Li, J. Liu, Z. Ying, "Generalized Sequential Probability Ratio Test for Separate Families of Hypotheses", Sequential Analysis 33
  (2014) 539-563, for replacing parameters by estimates.
- M. Van den Bergh, "A Practical Introduction to the GSPRT" (notes on testing chess engines), for pairs of games as the unit, and for the
  approximation n (h1 - h0) (2 mean - h0 - h1) / (2 variance).

The interval for the mean is a confidence sequence, so it is valid whenever the test is stopped. It uses the hedged capital process of
I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting", Journal of the Royal Statistical Society B 86
(2024) 1-27. Against each possible mean, an imagined gambler bets on every score. The mean is excluded when that gambler's capital has
grown by the factor ``2 / (1 - confidence)``. Bets against the true mean are fair, so the probability that the true mean is ever excluded
is at most ``1 - confidence`` (Ville's inequality), for any distribution and any stopping rule.
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
    """The verdict of a test: it accepts ``h1`` (better) or ``h0`` (not better), or it needs more blocks (undecided)."""

    BETTER = "better"
    NOT_BETTER = "not better"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Hypotheses:
    """The hypotheses of a test (the mean block score is ``h0``, or it is ``h1``, with 0 < h0 < h1 < 1), and its error rates.

    ``alpha`` is the share of tests that may say "better" if the mean is ``h0``; ``beta`` is the share that may say "not better" if the
    mean is ``h1``. There is no verdict before ``min_blocks`` blocks, and the test ends after ``max_blocks``. Raises InputError.
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
                raise InputError(f"{name} must be a mean score, above 0 and below 1, not {value:g}")
        if self.h0 >= self.h1:
            raise InputError(f"h0 ({self.h0:g}) must be less than h1 ({self.h1:g})")
        for name, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < value < 0.5:
                raise InputError(f"{name} must be an error rate above 0 and below 0.5, not {value:g}")
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
    """The state of a test. Add block scores one by one, in an order fixed beforehand, until ``is_over``.

    The variance is estimated from the blocks and some imagined ones (``padding`` with a score of 0 and as many with a score of 1), so that
    equal scores at the start don't look like certainty. Suppose that h0 is 1/2, and that each block is a win with probability 2d and
    otherwise a tie (so h1 = h0 + d is true). The log-likelihood ratio of n ties is about -(n d)^2 / padding. When it reaches the bound
    -b, the probability of n ties is exp(-2 sqrt(b padding)), which is the error rate exp(-b) if ``padding`` is b/4. ``padding`` is set to
    b/3 (about 1 for error rates of 5%), which also covers rare losses among narrow wins. The more blocks, the less ``padding`` matters.

    Scores must be between ``least`` and ``most``, which are 0 and 1, or -1 and 2 for scores adjusted for luck. For an adjusted score,
    also pass the unadjusted one to ``add``: it has the same mean and narrower bounds, and so gives a second interval.
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
        """Add the score of the next block and, if it is adjusted for luck, the unadjusted score ``raw``.

        Raises ValueError unless the score is between ``least`` and ``most``.
        """
        if not self.least <= score <= self.most:
            raise ValueError(f"a block score must be between {self.least:g} and {self.most:g}, not {score}")
        if raw is not None:
            self._raw.append(raw)
        self._scores.append(score)
        self._sum += score
        self._squares += score * score

    def extend(self, scores: Iterable[float]) -> Verdict:
        """Add these scores one by one, but stop as soon as there is a verdict. Return the verdict, which may be undecided."""
        for score in scores:
            if self.verdict is not Verdict.UNDECIDED:
                break
            self.add(score)
        return self.verdict

    @property
    def scores(self) -> tuple[float, ...]:
        """The scores added so far."""
        return tuple(self._scores)

    @property
    def blocks(self) -> int:
        """The number of blocks added so far."""
        return len(self._scores)

    @property
    def mean(self) -> float:
        """The mean score, or 1/2 before the first block."""
        return self._sum / self.blocks if self._scores else 0.5

    @property
    def variance(self) -> float:
        """The variance of a block score, estimated from the blocks and the imagined ones (see the class)."""
        weight = self.blocks + 2 * self._padding
        mean = (self._sum + self._padding) / weight
        return (self._squares + self._padding) / weight - mean * mean

    @property
    def log_ratio(self) -> float:
        """The log-likelihood ratio of ``h1`` to ``h0``; positive values favour ``h1``."""
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
        """Whether the test has ended, with a verdict or after ``max_blocks``."""
        return self.blocks >= self.hypotheses.max_blocks or self.verdict is not Verdict.UNDECIDED

    def interval(self, confidence: float = CONFIDENCE) -> Interval:
        """Return a confidence interval for the mean, which is valid for any stopping rule.

        With adjusted scores, it is the intersection of two intervals, one from the adjusted and one from the unadjusted scores, each with
        half the error rate. So it is never much wider than without the adjustment.
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
"""The largest share of its capital that ``_lowest_kept`` can lose on one bet."""
STEPS: Final = 30
"""The number of bisection steps in the search for a bound of the interval."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval from ``low`` to ``high``."""

    low: float
    high: float


def mean_interval(scores: Sequence[float], confidence: float) -> Interval:
    """Return the confidence interval for the mean of scores from 0 to 1, given in chronological order; without scores, it is 0 to 1."""
    budget = log(2 / (1 - confidence))
    stakes = _stakes(scores, budget)
    low = _lowest_kept(scores, stakes, budget)
    high = 1 - _lowest_kept([1 - score for score in scores], stakes, budget)
    return Interval(low, high)


def _stakes(scores: Sequence[float], budget: float) -> list[float]:
    """Return the stake on each score, computed from the previous scores; a wider spread gives a smaller stake."""
    stakes = []
    total, spread = 0.5, 0.25
    for number, score in enumerate(scores, start=1):
        stakes.append(sqrt(2 * budget / (spread * log(number + 1))))
        total += score
        spread += (score - total / (number + 1)) ** 2
    return stakes


def _lowest_kept(scores: Sequence[float], stakes: Sequence[float], budget: float) -> float:
    """Return the smallest mean that is not excluded by bets on higher scores. The capital falls as the claimed mean rises."""
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
"""The coefficient of a ``RunningAdjustment`` starts as if this many scores had shown it to be 1."""


class RunningAdjustment:
    """Subtracts luck, multiplied by a coefficient, from scores. Scores are from 0 to 1. Luck is from -1 to 1, and zero on average.

    The coefficient is from 0 to 1, and depends only on earlier scores and their luck. So an adjusted score is from -1 to 2 and, given
    everything before it, has the same expectation as the score. Time-uniform bounds on sums of scores thus also hold for adjusted ones.
    """

    def __init__(self) -> None:
        self._number = 0
        self._scores = 0.0
        self._lucks = 0.0
        self._products = 0.0
        self._squares = 0.0

    def adjusted(self, score: float, luck: float) -> float:
        """Return the score minus the coefficient times its luck, and then update the coefficient with this score and luck."""
        less = score - self.coefficient * luck
        self._number += 1
        self._scores += score
        self._lucks += luck
        self._products += score * luck
        self._squares += luck * luck
        return less

    @property
    def coefficient(self) -> float:
        """The share of the next score's luck that will be subtracted. It is 1 before the first score."""
        if not self._squares:
            return 1.0
        mean = (self._scores + 0.5) / (self._number + 1)
        belief = BELIEF * self._squares / self._number
        seen = (self._products - mean * self._lucks) * (self._number + 1) / self._number  # each score is part of the mean
        return min(max((seen + belief) / (self._squares + belief), 0.0), 1.0)
