"""The learned value function of Tongiaki, for two to six players."""

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
"""The ``Breadth`` for two and for three seats. A decision takes 2 or 3 ms with two seats, and 1 ms with more."""
BREADTH_OF_MANY: Final = Breadth(width=16, few=3, last=4, more=9, turns=0)
"""The ``Breadth`` for four to six seats, which are not in ``BREADTH``."""
BREADTH_OF_TRAINING: Final = BREADTH | {2: Breadth(width=16, few=4, last=5, more=16, turns=0)}
"""``BREADTH`` for training games, whose decisions must be fast."""


def key(state: State) -> str:
    """Return the key of a position's model: the number of seats."""
    return str(state.players)


SIGHT: Final = Sight("tongiaki", NAMES, PHASE, rows, key)


@final
class TongiakiValue(LearnedValue):
    """Estimates rank chances in Tongiaki, and chooses moves by them."""

    share_in_leaves = 0.0
    """``mcts`` does not evaluate leaves with this value function: it would win more with the same number of nodes, but less in the same
    time, since evaluating takes twice as long."""

    def __init__(self, read: Callable[[], Mapping[str, Any]], breadth: Mapping[int, Breadth] = BREADTH) -> None:
        super().__init__(SIGHT, read)
        self._breadth = breadth

    def quick_move(self, view: View[State], rng: random.Random) -> Move:
        """Return the best move that was found; see ``tongiaki_turns``."""
        position = view.position
        assert isinstance(position, TongiakiState)
        return best_move(position, view.seat, self.model(position), FIRST, self._breadth.get(position.players, BREADTH_OF_MANY), rng)


VALUE: Final = TongiakiValue(partial(shipped, "tongiaki.json"))
"""The value function that the game's plug-in names."""
