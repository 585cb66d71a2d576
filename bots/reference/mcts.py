"""The bot ``mcts``, which searches a tree over hidden information, guided by its game's heuristic or, if there is none, by playouts.

The trees are defined in ``search.tree`` and ``search.playout_tree``. The bot's play depends only on its seed and its budget, unless a time
limit ends a search early; then it also depends on the machine.

A tree is weak if seats choose in secret at the same time: a few hundred nodes can't cover the choices of all seats and the dice that order
them. In such positions of Sunda to Sahul, the bot plays like ``learned`` instead (see ``outplays_search``).
"""

from __future__ import annotations

import random

from bots.protocol import Clock, MatchInfo
from bots.reference.heuristics.base import Heuristic
from bots.reference.heuristics.registry import find_heuristic
from bots.reference.search.candidate_moves import ranked
from bots.reference.search.deadline import Deadline
from bots.reference.search.playout_tree import PlayoutTree
from bots.reference.search.tree import SearchParams, Tree
from bots.reference.valuation.base import ValueFunction
from bots.reference.valuation.registry import find_value
from engine.core import Move, State, View

LOOKS_AT_CLOCK = 32
"""The number of nodes between checks of the clock. With playouts, which take longer, the clock is checked after every node."""


class Mcts:
    """Searches a game tree, guided by the game's heuristic or, if there is none, by random playouts."""

    budget = 2000
    """The number of nodes for each decision, unless the clock sets it. A node is one walk through the tree, which evaluates one
    position."""
    params = SearchParams()

    def start(self, info: MatchInfo) -> None:
        """Seed the random numbers and look up the game's heuristic and value function, if it has them."""
        self.rng = random.Random(info.seed)
        self.heuristic = find_heuristic(info.game)
        self.value = self.find_value(info)
        self.nodes = 0

    @staticmethod
    def find_value(info: MatchInfo) -> ValueFunction | None:
        """Return the game's learned value function if it should evaluate leaves, or None if the heuristic should."""
        value = find_value(info.game)
        return value if value is not None and value.is_learned and value.share_in_leaves else None

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Return the move that the search tried most often. ``self.nodes`` is how many nodes were searched (0 for a forced move)."""
        legal = view.legal_moves
        self.nodes = 0
        if len(legal) == 1:
            return legal[0]
        if self.heuristic is None:
            tree = PlayoutTree(view, self.rng)
            self._grow(tree, clock, 1)
            return tree.favourite()
        quick = self.value.quick_move(view, self.rng) if self.value is not None and self.value.outplays_search(view.position) else None
        if quick is not None:
            return quick
        return self._guided(view, clock, self.heuristic)

    def _guided(self, view: View[State], clock: Clock, heuristic: Heuristic[State]) -> Move:
        root = view.position.copy()
        root.read_only = False
        heuristic.unveil(root)
        tree = Tree(root, heuristic, self.params, self.rng, self.value)
        self._grow(tree, clock, LOOKS_AT_CLOCK)
        return tree.favourite(view.seat) or ranked(heuristic, view.position, self.rng)[0][1]

    def _grow(self, tree: Tree | PlayoutTree, clock: Clock, looks: int) -> None:
        allowed = self.budget if clock.nodes is None else clock.nodes
        deadline = Deadline(clock)
        while self.nodes < max(1, allowed):
            if self.nodes and (self.nodes - 1) % looks == 0 and deadline.has_passed():
                break
            tree.walk()
            self.nodes += 1
