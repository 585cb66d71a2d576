"""Converts points in any game into values for each seat, for bots that search, and measures the spread of values."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt, tanh
from typing import Final

from engine.core import Outcome

PART: Final = 0.3
"""A lead of ``LEAST`` points plus this share of both seats' points has a value of (1 + tanh(1)) / 2 = 0.88. A tie has a value of 0.5."""
LEAST: Final = 4.0
"""A constant number of points (see ``PART``), so that a lead of one point does not count too much early in the game."""
NARROW: Final = 0.2
"""The weight of points in the value of a finished game. The rest is the weight of ranks."""
FEW: Final = 8
"""With fewer values than this, the spread is considered unknown."""
LEAST_SPREAD: Final = 1e-4
"""The spread that is assumed if all values are equal."""
ALONE: Final = 100.0
"""The number of points that are worth 1 in solo play."""


class Spread:
    """The standard deviation of the values that a search finds for the seat at its root. With few values, it is ``unknown``."""

    __slots__ = ("_count", "_squares", "_sum", "_unknown")

    def __init__(self, unknown: float) -> None:
        self._unknown = unknown
        self._count = 0
        self._sum = self._squares = 0.0

    def add(self, value: float) -> None:
        """Add a value."""
        self._count += 1
        self._sum += value
        self._squares += value * value

    def now(self) -> float:
        """Return the current standard deviation."""
        if self._count < FEW:
            return self._unknown
        mean = self._sum / self._count
        return max(LEAST_SPREAD, sqrt(max(0.0, self._squares / self._count - mean * mean)))


def point_values(points: Sequence[float]) -> list[float]:
    """Return each seat's value from 0 to 1: the share of its rivals that it leads. A narrow lead counts little more than a tie.

    Each pair of seats divides 1 between them, so all values add up to half the number of seats. In solo play, the value is the points
    divided by 100.
    """
    seats = len(points)
    if seats == 1:
        return [points[0] / ALONE]
    worth = [0.0] * seats
    for one in range(seats):
        for other in range(one):
            lead = points[one] - points[other]
            share = 0.5 * tanh(lead / (LEAST + PART * (abs(points[one]) + abs(points[other]))))
            worth[one] += 0.5 + share
            worth[other] += 0.5 - share
    return [value / (seats - 1) for value in worth]


def outcome_values(outcome: Outcome) -> list[float]:
    """Return each seat's value for a finished game, mostly from the ranks. Leads in points count only a little (``NARROW``)."""
    seats = len(outcome.scores)
    by_points = point_values(outcome.scores)
    if seats == 1:
        return by_points
    ranks = outcome.ranks
    wins = [sum(rank < other for other in ranks) + (ranks.count(rank) - 1) / 2 for rank in ranks]
    return [(1 - NARROW) * won / (seats - 1) + NARROW * points for won, points in zip(wins, by_points, strict=True)]
