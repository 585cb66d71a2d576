"""The strength of one bot that has played bots of known strengths, on their scale: the model of ``bradley_terry`` with the others fixed.

The interval includes the luck of the bot's own blocks and the uncertainty of the others' strengths, given by their covariance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leaderboard.statistics.bradley_terry import CENTER, POINTS, REPLICATES, SEED, VIRTUAL
from leaderboard.statistics.columns import Floats, Ints
from leaderboard.statistics.intervals import CONFIDENCE

_STEPS = 60
"""The number of bisection steps for a strength, after which the error is far below a thousandth of a point."""
_RANGE = 20.0
"""How far outside the others' strengths a strength is searched, in log-odds; the virtual tie keeps it well inside."""


@dataclass(frozen=True, slots=True)
class AnchoredStrength:
    """A strength in points with its 95 % interval; ``chance_above`` has the chance to be stronger than each of the others."""

    strength: float
    low: float
    high: float
    chance_above: tuple[float, ...]


def anchored_strength(
    known: Floats, covariance: Floats, opponents: Ints, shares: Floats, replicates: int = REPLICATES, seed: int = SEED
) -> AnchoredStrength:
    """Return the strength of a bot from its blocks against bots whose strengths are ``known`` with this covariance, in points.

    ``opponents`` (blocks x opponents at the table) indexes ``known``, and ``shares`` has the part of a block's matches in which the bot
    was placed above each of them, ties counting half. As in ``strengths``, a block counts once, and there is one virtual tied block.
    """
    size = len(known)
    theta = (known - CENTER) / POINTS
    rng = np.random.default_rng(seed)
    weights = np.vstack([np.ones(len(shares)), rng.standard_exponential((replicates, len(shares)))])
    virtual = np.vstack([np.full((2, size), VIRTUAL / size), rng.standard_gamma(VIRTUAL / size, (2 * replicates, size))])
    errors = rng.multivariate_normal(np.zeros(size), covariance / POINTS**2, replicates, method="eigh")
    others = np.vstack([theta, theta + errors])
    won, lost = virtual[::2], virtual[1::2]
    for number, share in zip(opponents.T, shares.T, strict=True):
        by_opponent = np.eye(size)[number] / shares.shape[1]
        won = won + weights @ (by_opponent * share[:, None])
        lost = lost + weights @ (by_opponent * (1 - share)[:, None])
    points = CENTER + POINTS * _fit(others, won, lost)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(points[1:], (tail, 1 - tail))
    above = (points[1:, None] > CENTER + POINTS * others[1:]).mean(axis=0)
    best = float(points[0])
    return AnchoredStrength(best, min(float(low), best), max(float(high), best), tuple(map(float, above)))


def expected_share(strength: float, other: float) -> float:
    """Return the chance of a bot to be placed above another, given the strengths of both in points."""
    return float(1 / (1 + np.exp((other - strength) / POINTS)))


def _fit(others: Floats, won: Floats, lost: Floats) -> Floats:
    """Return the maximum-likelihood strength in each row, in log-odds: the one whose expected wins equal the actual wins."""
    low, high = others.min(axis=1) - _RANGE, others.max(axis=1) + _RANGE
    for _ in range(_STEPS):
        middle = (low + high) / 2
        expected = ((won + lost) / (1 + np.exp(others - middle[:, None]))).sum(axis=1)
        is_above = expected < won.sum(axis=1)
        low, high = np.where(is_above, middle, low), np.where(is_above, high, middle)
    return np.asarray((low + high) / 2, np.float64)
