"""What points are worth to each seat, for bots that search: how many of its rivals it leads, and by how much. It knows no game."""

from __future__ import annotations

from collections.abc import Sequence
from math import tanh
from typing import Final

from engine.core import Outcome

PART: Final = 0.3
"""A lead by this share of what the two have together is as good as most of a win."""
LEAST: Final = 4.0
"""The same in points, where there are few."""
NARROW: Final = 0.2
"""What the points count beside the ranks, when the game is over."""
ALONE: Final = 100.0
"""Points of a table alone that are worth 1."""


def point_values(points: Sequence[float]) -> list[float]:
    """For each seat, from 0 to 1, the share of its rivals that it is ahead of; a narrow lead counts for little more than a tie.

    With one seat, its points in hundreds. Every two seats share 1 between them, so that a table's values add up to half its seats.
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
    """The same when the game is over: now a lead is a win, however narrow, and only of wins the clearer one is better."""
    seats = len(outcome.scores)
    by_points = point_values(outcome.scores)
    if seats == 1:
        return by_points
    ranks = outcome.ranks
    wins = [sum(rank < other for other in ranks) + (ranks.count(rank) - 1) / 2 for rank in ranks]
    return [(1 - NARROW) * won / (seats - 1) + NARROW * points for won, points in zip(wins, by_points, strict=True)]
