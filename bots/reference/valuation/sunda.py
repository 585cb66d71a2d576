"""The learned value function of Sunda to Sahul, for two to four players, taking turns or simultaneously."""

from __future__ import annotations

import random
from functools import partial
from typing import Final, final

from bots.reference.valuation.base import RankChances
from bots.reference.valuation.learned_value import LearnedValue, Sight, shipped
from bots.reference.valuation.sunda_choice import best_move
from bots.reference.valuation.sunda_features import NAMES, PHASE, rows, settled
from engine.core import Move, State, View
from engine.sunda import SundaState


def key(state: State) -> str:
    """Return the key of a position's model: the number of seats, the mode and the level."""
    assert isinstance(state, SundaState)
    p = state.inside
    return f"{p.players} {'simultaneous' if p.ticks else 'turns'} {p.level}"


SIGHT: Final = Sight("sunda", NAMES, PHASE, rows, key)


@final
class SundaValue(LearnedValue):
    """Estimates rank chances in Sunda to Sahul, and chooses moves by them. In the middle of a step, the step's likely end is evaluated."""

    def rank_chances(self, state: State) -> RankChances:
        """Return each seat's chance of each rank. Raises ValueError in solo play."""
        return super().rank_chances(_end_of_step(state))

    def win_chances(self, state: State) -> list[float]:
        """Return each seat's chance of first place. Raises ValueError in solo play."""
        return super().win_chances(_end_of_step(state))

    def worths(self, state: State) -> list[float]:
        """Return the value that each seat maximises; see ``ValueFunction.worths``."""
        return super().worths(_end_of_step(state))

    def quick_move(self, view: View[State], rng: random.Random) -> Move:
        """Return the best move that was found; see ``sunda_choice``."""
        return best_move(view, self.worths, rng)

    def outplays_search(self, state: State) -> bool:
        """Return whether seats choose simultaneously; their choices then have too many combinations for a tree search."""
        assert isinstance(state, SundaState)
        return state.inside.ticks


def _end_of_step(state: State) -> State:
    assert isinstance(state, SundaState)
    return state if state.players == 1 else settled(state)


VALUE: Final = SundaValue(SIGHT, partial(shipped, "sunda.json"))
"""The value function that the game's plug-in names."""
