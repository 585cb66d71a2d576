"""What points are worth to each seat of any game, for bots that search, and how far such values spread."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt, tanh
from typing import Final

from engine.core import Outcome

PART: Final = 0.3
"""A lead of this share of the two seats' points together is worth most of a win (tanh of 1)."""
LEAST: Final = 4.0
"""What is added to that in points, for positions with few of them."""
NARROW: Final = 0.2
"""The weight of the points against the ranks once the game is over."""
FEW: Final = 8
"""With fewer values than this their spread is unknown."""
LEAST_SPREAD: Final = 1e-4
"""The spread that is assumed where all values are equal."""
ALONE: Final = 100.0
"""Points that are worth 1 to a seat alone at the table."""


class Spread:
    """The standard deviation of the values that a search has for the seat at its root; ``unknown`` is taken for it at first."""

    __slots__ = ("_count", "_squares", "_sum", "_unknown")

    def __init__(self, unknown: float) -> None:
        self._unknown = unknown
        self._count = 0
        self._sum = self._squares = 0.0

    def add(self, value: float) -> None:
        """Count one more value."""
        self._count += 1
        self._sum += value
        self._squares += value * value

    def now(self) -> float:
        """Return the standard deviation."""
        if self._count < FEW:
            return self._unknown
        mean = self._sum / self._count
        return max(LEAST_SPREAD, sqrt(max(0.0, self._squares / self._count - mean * mean)))


def point_values(points: Sequence[float]) -> list[float]:
    """Return for each seat, from 0 to 1, the share of its rivals that it leads; a narrow lead counts little more than a tie.

    For one seat, its points in hundreds. Every pair of seats shares 1, so that the values add up to half the number of seats.
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
    """Return the same once the game is over: now any lead is a win, and the margin only distinguishes wins."""
    seats = len(outcome.scores)
    by_points = point_values(outcome.scores)
    if seats == 1:
        return by_points
    ranks = outcome.ranks
    wins = [sum(rank < other for other in ranks) + (ranks.count(rank) - 1) / 2 for rank in ranks]
    return [(1 - NARROW) * won / (seats - 1) + NARROW * points for won, points in zip(wins, by_points, strict=True)]
