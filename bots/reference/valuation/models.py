"""Models that compute each seat's strength: a sum of features, weighted according to the game's progress, plus a small network.

Strengths are converted to chances with the Plackett-Luce model (``base.from_strengths``), so only their differences are meaningful. The
numbers come from training (``benchmarks.train``). This module is compiled with the engine.
"""

from __future__ import annotations

from math import exp
from typing import final


@final
class Model:
    """Computes the strengths of seats from their rows of features.

    ``linear`` has a list of weights, one per feature, for each of the ``knots``; these are ascending values of the feature with the index
    ``phase``. Between two knots, the weights are interpolated. Each hidden unit computes the positive part of its ``bias`` plus a weighted
    sum of all features, and adds this, times its ``out``, to the strength. A model without hidden units is linear.
    """

    __slots__ = ("bias", "hidden", "knots", "linear", "out", "phase")

    def __init__(
        self, phase: int, knots: list[float], linear: list[list[float]], hidden: list[list[float]], bias: list[float], out: list[float]
    ) -> None:
        self.phase = phase
        self.knots = knots
        self.linear = linear
        self.hidden = hidden
        self.bias = bias
        self.out = out

    def strengths(self, rows: list[list[float]]) -> list[float]:
        """Return the strength of each seat."""
        weights = self._weights_at(rows[0][self.phase])
        found: list[float] = []
        for row in rows:
            total = dot(weights, row)
            for unit in range(len(self.out)):
                lit = self.bias[unit] + dot(self.hidden[unit], row)
                if lit > 0.0:
                    total += self.out[unit] * lit
            found.append(total)
        return found

    def _weights_at(self, phase: float) -> list[float]:
        knots = self.knots
        if phase <= knots[0]:
            return self.linear[0]
        for upper in range(1, len(knots)):
            if phase <= knots[upper]:
                share = (phase - knots[upper - 1]) / (knots[upper] - knots[upper - 1])
                low = self.linear[upper - 1]
                high = self.linear[upper]
                return [low[column] + share * (high[column] - low[column]) for column in range(len(low))]
        return self.linear[-1]


def dot(weights: list[float], row: list[float]) -> float:
    """Return the sum of the products of two lists of equal length."""
    total = 0.0
    for column in range(len(weights)):
        total += weights[column] * row[column]
    return total


def first_chances(strengths: list[float]) -> list[float]:
    """Return each seat's chance of first place, in proportion to exp(strength)."""
    top = max(strengths)
    weights = [exp(strength - top) for strength in strengths]
    total = sum(weights)
    return [weight / total for weight in weights]


def shares_beaten(strengths: list[float]) -> list[float]:
    """Return the expected share of rivals that each seat finishes ahead of."""
    seats = len(strengths)
    shares = [0.0] * seats
    for one in range(seats):
        for other in range(one):
            gap = strengths[other] - strengths[one]
            ahead = 1.0 / (1.0 + exp(gap)) if gap < 700.0 else 0.0
            shares[one] += ahead
            shares[other] += 1.0 - ahead
    return [share / (seats - 1) for share in shares]
