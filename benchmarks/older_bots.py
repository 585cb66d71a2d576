"""Bots as they were, to measure what a change is worth: name them in a tournament file as ``benchmarks.older_bots:Class``."""

from __future__ import annotations

from bots.protocol import MatchInfo
from bots.reference.mcts import Mcts
from bots.reference.valuation.base import ValueFunction


class MctsByPoints(Mcts):
    """``mcts`` with leaves that are worth what the heuristic's points say, as it was before there were learned value functions."""

    @staticmethod
    def find_value(info: MatchInfo) -> ValueFunction | None:
        """Return nothing, whatever is known of the game."""
        return None
