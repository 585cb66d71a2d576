"""95% intervals for means over blocks, in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

CONFIDENCE: Final = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its interval. Values are None if there are too few data."""

    value: float | None
    low: float | None
    high: float | None


def share_intervals(
    number: NDArray[np.float64], total: NDArray[np.float64], squares: NDArray[np.float64], prior: float = 0.5
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the bounds of intervals for means of values from 0 to 1, given arrays of their number, sum and sum of squares.

    The bounds come from the posterior of the mean under the Bayesian bootstrap (Rubin 1981) with one prior observation, which counts as 1
    with weight ``prior`` and as 0 with the remaining weight. The posterior's mean and variance are exact; its shape is approximated by a
    Beta distribution. If all values are 0 or 1 and ``prior`` is 1/2, this is the Jeffreys interval (Brown, Cai and DasGupta 2001), which
    has a width above 0 even after ten wins out of ten.
    """
    weight = number + 1
    mean = (total + prior) / weight
    variance = ((squares + prior) / weight - mean**2) / (weight + 1)
    precision = mean * (1 - mean) / variance - 1
    tail = (1 - CONFIDENCE) / 2
    low = np.asarray(special.betaincinv(mean * precision, (1 - mean) * precision, tail), np.float64)
    high = np.asarray(special.betaincinv(mean * precision, (1 - mean) * precision, 1 - tail), np.float64)
    return np.where(total <= 0, 0.0, low), np.where(total >= number, 1.0, high)


def share(values: ArrayLike, prior: float = 0.5) -> Estimate:
    """Return the mean of values from 0 to 1, one per block, with its interval (see ``share_intervals``)."""
    array = np.asarray(values, np.float64)
    if not array.size:
        return Estimate(None, None, None)
    number, total, squares = (np.array([each]) for each in (float(array.size), array.sum(), (array**2).sum()))
    low, high = share_intervals(number, total, squares, prior)
    return Estimate(float(array.mean()), float(low[0]), float(high[0]))


def share_less_luck(values: ArrayLike, prior: float = 0.5) -> Estimate:
    """Return the mean of shares adjusted for luck, one per block, with its interval. Shares may lie outside 0 to 1; the interval does not.

    It uses the same prior observation as ``share``, but a normal distribution. An interval from Student's t would be several times as
    wide with few blocks, and far too narrow if one bot nearly always wins.
    """
    array = np.asarray(values, np.float64)
    if not array.size:
        return Estimate(None, None, None)
    weight = array.size + 1
    middle = (float(array.sum()) + prior) / weight
    variance = ((float((array**2).sum()) + prior) / weight - middle**2) / (weight + 1)
    reach = float(special.ndtri((1 + CONFIDENCE) / 2)) * variance**0.5
    return Estimate(float(array.mean()), min(max(middle - reach, 0.0), 1.0), max(min(middle + reach, 1.0), 0.0))


def mean(values: ArrayLike) -> Estimate:
    """Return the mean of any values, one per block, with Student's t interval; a single value has no interval."""
    array = np.asarray(values, np.float64)
    if not array.size:
        return Estimate(None, None, None)
    middle = float(array.mean())
    if array.size == 1:
        return Estimate(middle, None, None)
    reach = float(special.stdtrit(array.size - 1, (1 + CONFIDENCE) / 2)) * float(array.std(ddof=1)) / array.size**0.5
    return Estimate(middle, middle - reach, middle + reach)


def evenness(values: NDArray[np.float64]) -> float | None:
    """Return the p-value of "all columns have the same mean" for values (blocks x columns), or None if there are too few blocks.

    This is Hotelling's T-squared test on the differences from the last column. Blocks are the observations, so the matches of a block may
    depend on each other in any way.
    """
    differences = values[:, :-1] - values[:, -1:]
    number, columns = differences.shape
    if number <= columns:
        return None
    middle = differences.mean(axis=0)
    if not middle.any():
        return 1.0
    covariance = np.atleast_2d(np.cov(differences, rowvar=False))
    if np.linalg.matrix_rank(covariance) < columns:
        return None
    squared = number * float(middle @ np.linalg.solve(covariance, middle))
    return float(special.fdtrc(columns, number - columns, squared * (number - columns) / (columns * (number - 1))))
