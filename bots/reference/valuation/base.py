"""The base class of value functions (which return each seat's chance of each rank), and helper functions."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import exp
from typing import Final, TypeAlias

from engine.core import Move, Outcome, State, View

FIRST: Final = 0.7
"""The weight of first place in what bots maximise. The rest is for the share of rivals beaten, which matters in lost positions."""

RankChances: TypeAlias = list[list[float]]
"""A row for each seat, with the chance of each rank from first to last. Rows and columns add up to 1."""


class ValueFunction(ABC):
    """Estimates each seat's chance of each rank in matches of one game, with any options and two or more seats. It is stateless.

    Hidden information and secret choices are not used, so a state, its views and their samples have equal chances.
    """

    share_in_leaves: float = 1.0
    """The weight of this function when ``mcts`` evaluates leaves. The rest is the weight of the heuristic's expected points."""

    is_learned: bool = False
    """Whether bots should use this function instead of the heuristic's expected points."""

    @property
    @abstractmethod
    def version(self) -> str:
        """A string, such as the digest of weights and features, that changes whenever results may change."""

    @abstractmethod
    def rank_chances(self, state: State) -> RankChances:
        """Return each seat's chance of each rank or, once the game is over, ``ranks_of`` the outcome. Raises ValueError in solo play."""

    def win_chances(self, state: State) -> list[float]:
        """Return each seat's chance of first place; the chances add up to 1. A game may override this with a faster way."""
        return [chances[0] for chances in self.rank_chances(state)]

    def prepare(self) -> None:  # noqa: B027  # most functions have nothing to load
        """Load the weights. Call this in a process that can't read files later."""

    # For bots that use the function

    def worths(self, state: State) -> list[float]:
        """Return the value that each seat maximises, from 0 to 1: mostly its chance of first place, plus a little for lower ranks."""
        return worths_of(self.rank_chances(state))

    def quick_move(self, view: View[State], rng: random.Random) -> Move | None:
        """Return a move for the bot ``learned``, chosen by the game's own search, or None if the game has none and uses the general one."""
        return None

    def outplays_search(self, state: State) -> bool:
        """Return whether ``quick_move`` is better than a tree search in this state, for instance because seats choose in secret."""
        return False


def ranks_of(outcome: Outcome) -> RankChances:
    """Return each seat's chance of each rank in a finished game: 1 or 0, except that tied seats share their places equally."""
    ranks = outcome.ranks
    shared: RankChances = []
    for rank in ranks:
        tied = ranks.count(rank)
        begin = sum(other < rank for other in ranks)
        shared.append([1 / tied if begin <= place < begin + tied else 0.0 for place in range(len(ranks))])
    return shared


def wins_of(outcome: Outcome) -> list[float]:
    """Return each seat's share of first place in a finished game: 1 for the winner, 1/k for k tied winners, 0 for others."""
    return [chances[0] for chances in ranks_of(outcome)]


def worths_of(chances: RankChances) -> list[float]:
    """Return the value that each seat maximises, computed from the rank chances; see ``ValueFunction.worths``."""
    last = len(chances) - 1
    return [FIRST * row[0] + (1 - FIRST) * sum((last - place) * chance for place, chance in enumerate(row)) / last for row in chances]


def from_strengths(strengths: Sequence[float], sharpness: Sequence[float] = ()) -> RankChances:
    """Return the rank chances if the places are filled in order, each by drawing a remaining seat in proportion to exp(strength).

    This is the model of Luce ("Individual Choice Behavior", 1959) and Plackett ("The Analysis of Permutations", 1975). For each place
    except the last, ``sharpness`` may have a factor for the strengths, since later places are less certain than the first (Benter,
    "Computer Based Horse Race Handicapping and Wagering Systems", 1994). The computation goes through all sets of seats (64 for six seats).
    """
    seats = len(strengths)
    top = max(strengths)
    by_place = [
        [exp((sharpness[place] if sharpness else 1.0) * (strength - top)) for strength in strengths] for place in range(max(1, seats - 1))
    ]
    chances: RankChances = [[0.0] * seats for _ in range(seats)]
    reached = [0.0] * (1 << seats)
    reached[0] = 1.0
    for taken in range((1 << seats) - 1):
        chance = reached[taken]
        if not chance:
            continue
        place = taken.bit_count()
        weights = by_place[min(place, len(by_place) - 1)]
        left = sum(weights[seat] for seat in range(seats) if not taken >> seat & 1)
        for seat in range(seats):
            if not taken >> seat & 1:
                part = chance * weights[seat] / left
                chances[seat][place] += part
                reached[taken | 1 << seat] += part
    return chances
