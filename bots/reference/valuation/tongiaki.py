"""The learned value function of Tongiaki, for tables of two to six."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, final

from bots.reference.valuation.base import FIRST
from bots.reference.valuation.learned_value import LearnedValue, Sight, shipped
from bots.reference.valuation.tongiaki_features import NAMES, PHASE, rows
from bots.reference.valuation.tongiaki_turns import Breadth, best_move
from engine.core import Move, State, View
from engine.tongiaki import TongiakiState

BREADTH: Final = {
    2: Breadth(width=24, few=10, last=8, more=50, turns=0),
    3: Breadth(width=16, few=3, last=5, more=12, turns=0),
}
"""How much is tried for a decision, by the number of seats: it takes two or three milliseconds at two seats, and one at more."""
BREADTH_OF_MANY: Final = Breadth(width=16, few=3, last=4, more=9, turns=0)
"""The same for tables of four to six."""
BREADTH_OF_TRAINING: Final = BREADTH | {2: Breadth(width=16, few=4, last=5, more=16, turns=0)}
"""The same for games of training, of which there have to be many."""


def key(state: State) -> str:
    """Return the number of seats: tables of each size have a model of their own."""
    return str(state.players)


SIGHT: Final = Sight("tongiaki", NAMES, PHASE, rows, key)


@final
class TongiakiValue(LearnedValue):
    """Chances at tables of Tongiaki, and the moves that a bot plays by them."""

    share_in_leaves = 0.0
    """A search of as many nodes wins more by it, but one of as much time wins less: its positions take twice as long (docs/strength.md)."""

    def __init__(self, read: Callable[[], Mapping[str, Any]], breadth: Mapping[int, Breadth] = BREADTH) -> None:
        super().__init__(SIGHT, read)
        self._breadth = breadth

    def quick_move(self, view: View[State], rng: random.Random) -> Move:
        """Return the best move found; see ``tongiaki_turns``."""
        position = view.position
        assert isinstance(position, TongiakiState)
        return best_move(position, view.seat, self.model(position), FIRST, self._breadth.get(position.players, BREADTH_OF_MANY), rng)


VALUE: Final = TongiakiValue(partial(shipped, "tongiaki.json"))
"""The one that the game's plug-in offers."""
