"""Models that give each seat a strength: sums of features by how far the game is, and a small network of one layer on top.

The strengths become chances by the model of Plackett and Luce (``base.from_strengths``), so only their differences mean anything. What the
numbers of a model are is up to the training (``benchmarks.train``); this is what a model computes, compiled with the engine.
"""

from __future__ import annotations

from math import exp
from typing import final


@final
class Model:
    """Strengths of seats from their rows of features.

    ``linear`` has a list of weights, one for each feature, at each of the ``knots``, which are ascending values of the feature number
    ``phase``; between two knots the weights are interpolated. A hidden unit is the positive part of ``bias`` plus a weighted sum of all
    features, and adds ``out`` times that; a model without hidden units is linear.
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
        """Return the weights of the linear part at one moment of the game."""
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
    """Return each seat's chance of the first place, in proportion to exp(strength)."""
    top = max(strengths)
    weights = [exp(strength - top) for strength in strengths]
    total = sum(weights)
    return [weight / total for weight in weights]


def shares_beaten(strengths: list[float]) -> list[float]:
    """Return the share of its rivals that each seat finishes ahead of, on average."""
    seats = len(strengths)
    shares = [0.0] * seats
    for one in range(seats):
        for other in range(one):
            gap = strengths[other] - strengths[one]
            ahead = 1.0 / (1.0 + exp(gap)) if gap < 700.0 else 0.0
            shares[one] += ahead
            shares[other] += 1.0 - ahead
    return [share / (seats - 1) for share in shares]
