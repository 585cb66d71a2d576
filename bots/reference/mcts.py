"""A bot that searches: a tree over hidden information, guided by the heuristic of its game (see ``search.tree``).

Its play depends on its seed and its budget alone, unless a time limit cuts a search short: then it depends on the machine as well.

It is weak where Sunda to Sahul is played simultaneously: a few hundred nodes are too few to cover the choices of all seats and the dice
that order them, and ``expert`` beats it there.
"""

from __future__ import annotations

import random
from time import thread_time

from bots.protocol import Clock, MatchInfo
from bots.reference.heuristics.registry import heuristic_of
from bots.reference.search.candidate_moves import ranked
from bots.reference.search.tree import SearchParams, Tree
from engine.core import Move, State, View
from engine.sunda import SundaState
from engine.sunda.position import CHOOSE

SHARE = 0.6
"""The share of a decision's CPU time after which a search stops early."""
MOVES_TO_COME = 30
"""How many more decisions a bank of time should last for, at any moment."""
LOOKS_AT_CLOCK = 32
"""Nodes between two looks at the clock."""


class Mcts:
    """Searches a tree of what may happen, guided by the expert's heuristic."""

    budget = 2000
    """Nodes for each decision, unless its clock sets a budget. A node is one walk through the tree, which evaluates one position."""
    params = SearchParams()

    def start(self, info: MatchInfo) -> None:
        """Seed the random numbers and look up the game's heuristic. Raises LookupError for a game without one."""
        self.rng = random.Random(info.seed)
        self.heuristic = heuristic_of(info.game)
        self.nodes = 0

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Return the move that the search tried most. ``self.nodes`` is how many nodes that took, 0 for a forced move."""
        legal = view.legal_moves
        self.nodes = 0
        if len(legal) == 1:
            return legal[0]
        tree = Tree(unveiled(view), self.heuristic, self.params, self.rng)
        allowed = self.budget if clock.nodes is None else clock.nodes
        until = _until(clock)
        while self.nodes < max(1, allowed):
            if until is not None and self.nodes % LOOKS_AT_CLOCK == 1 and thread_time() > until:
                break
            tree.walk()
            self.nodes += 1
        return tree.favourite(view.seat) or ranked(self.heuristic, view.position, self.rng)[0][1]


def unveiled(view: View[State]) -> State:
    """Return the position to search from: the view's, but where others hide what they have chosen, all choose again.

    Nothing has become public since they began to choose, so this is the position that they were in then.
    """
    state = view.position.copy()
    state.read_only = False
    if isinstance(state, SundaState) and state.inside.phase == CHOOSE:
        inside = state.inside
        inside.choices = [None] * inside.players
        inside.chosen = 0
        inside.moves = None
    return state


def _until(clock: Clock) -> float | None:
    """Return the CPU time at which to stop, or None without a limit."""
    limits = [] if clock.seconds is None else [SHARE * clock.seconds]
    if clock.bank is not None:
        limits.append(clock.bank / MOVES_TO_COME)
    return thread_time() + min(limits) if limits else None
