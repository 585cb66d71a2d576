"""The base of a game's value function: each seat's chance of each rank, also for a finished game."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import exp
from typing import Final, TypeAlias

from engine.core import Move, Outcome, State, View

FIRST: Final = 0.7
"""The weight of the first place in what bots play for; the rest is the share of rivals beaten, which tells lost positions apart."""

RankChances: TypeAlias = list[list[float]]
"""For each seat, in seat order, the chance of each rank from the first to the last: rows add up to 1, and so do columns."""


class ValueFunction(ABC):
    """Chances of every rank in one game, for every option and number of seats from two on. Stateless: equal questions, equal answers.

    It uses nothing that is hidden, so a state, the views of it and their samples have equal chances; of what seats have chosen in secret
    nothing counts before it is revealed.
    """

    share_in_leaves: float = 1.0
    """The share that it has in what leaves of ``mcts`` are worth; the rest is what the points are worth that the heuristic expects."""

    is_learned: bool = False
    """Whether bots should play by it instead of by the points that the game's heuristic expects."""

    @property
    @abstractmethod
    def version(self) -> str:
        """What changes whenever an answer may change: the digest of weights and features, say."""

    @abstractmethod
    def rank_chances(self, state: State) -> RankChances:
        """Return each seat's chance of each rank; once the game is over, ``ranks_of`` the outcome. Raises ValueError for a seat alone."""

    def win_chances(self, state: State) -> list[float]:
        """Return each seat's chance of the first place; they add up to 1. A game may have a quicker way than by all ranks."""
        return [chances[0] for chances in self.rank_chances(state)]

    def prepare(self) -> None:  # noqa: B027  # most have nothing to read
        """Load the weights, in a process that can read no files later."""

    # For bots that play by it.

    def worths(self, state: State) -> list[float]:
        """Return the objective of each seat, from 0 to 1: its chance of the first place, with a little weight on the ranks below."""
        return worths_of(self.rank_chances(state))

    def quick_move(self, view: View[State], rng: random.Random) -> Move | None:
        """Return the move of the bot ``learned`` if the game has a way of its own to find it, quicker than the general one; else None."""
        return None

    def outplays_search(self, state: State) -> bool:
        """Return whether ``quick_move`` is better here than a search of a tree: where seats choose in secret, say."""
        return False


def ranks_of(outcome: Outcome) -> RankChances:
    """Return the ranks of a finished game as chances: seats that are tied share the places that they take together equally."""
    ranks = outcome.ranks
    shared: RankChances = []
    for rank in ranks:
        tied = ranks.count(rank)
        begin = sum(other < rank for other in ranks)
        shared.append([1 / tied if begin <= place < begin + tied else 0.0 for place in range(len(ranks))])
    return shared


def wins_of(outcome: Outcome) -> list[float]:
    """Return each seat's share of the first place."""
    return [chances[0] for chances in ranks_of(outcome)]


def worths_of(chances: RankChances) -> list[float]:
    """Return the worth of chances of ranks to each seat; see ``ValueFunction.worths``."""
    last = len(chances) - 1
    return [FIRST * row[0] + (1 - FIRST) * sum((last - place) * chance for place, chance in enumerate(row)) / last for row in chances]


def from_strengths(strengths: Sequence[float], sharpness: Sequence[float] = ()) -> RankChances:
    """Return the chances of ranks if places are drawn one by one, in proportion to exp(strength) of who is left.

    That is the model of Luce ("Individual Choice Behavior", 1959) and Plackett ("The Analysis of Permutations", 1975). For each place but
    the last, ``sharpness`` may have a factor of the strengths: later places are less certain than the first (Benter, "Computer Based Horse
    Race Handicapping and Wagering Systems", 1994). It goes through all sets of seats, 64 for six.
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
