"""Chances made of the points that a game's heuristic expects: for a game whose value function is not learned."""

from __future__ import annotations

from bots.reference.heuristics.registry import heuristic_of
from bots.reference.valuation.base import RankChances, ValueFunction, from_strengths, ranks_of
from engine.core import State

PART = 0.15
LEAST = 3.0
"""What makes a lead a sure win: points, and a share of the mean of all points."""


class Outlook(ValueFunction):
    """Chances by the leads in expected points, in proportion to how many points there are."""

    @property
    def version(self) -> str:
        """The form of the formula: the expectations are the expert's."""
        return "outlook-1"

    def rank_chances(self, state: State) -> RankChances:
        """Return each seat's chance of each rank."""
        if state.players == 1:
            raise ValueError("a seat alone has no rank")
        if state.outcome is not None:
            return ranks_of(state.outcome)
        points = heuristic_of(state.game).evaluate(state)
        scale = LEAST + PART * sum(points) / len(points)
        return from_strengths([each / scale for each in points])


VALUE = Outlook()
