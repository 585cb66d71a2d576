"""A bot that searches: a tree over what may be hidden, grown by the heuristic of its game (see ``tree``).

Its play depends on its seed and its budget alone, unless a limit of time cuts a search short: then it depends on the machine as well.

It is weak where Sunda to Sahul is played in ticks: a few hundred nodes spread over the choices of all seats and the dice that order them
are too few, and ``expert`` beats it there.
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
"""Of the CPU time that a decision may take; a search that has used it stops early."""
MOVES_TO_COME = 30
"""A bank of time has to last for so many decisions more, at any moment."""
LOOKS_AT_CLOCK = 32
"""Nodes between two looks at the clock."""


class Mcts:
    """Searches a tree of what may happen, by the expert's heuristic."""

    budget = 2000
    """Nodes for each decision, unless its clock says how many. A node is a walk through the tree, at whose end a position is valued."""
    params = SearchParams()

    def start(self, info: MatchInfo) -> None:
        """Seed the dice, and find the game's heuristic. Raises LookupError for a game without one."""
        self.rng = random.Random(info.seed)
        self.heuristic = heuristic_of(info.game)
        self.nodes = 0

    def choose(self, view: View[State], clock: Clock) -> Move:
        """The move that the search tried most. ``self.nodes`` is how many nodes that took; none where the move is forced."""
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
    """The position to search from: as the view has it, but where others hide what they have chosen, all choose again.

    Nothing has come to light since they began to choose, so they are where they were then.
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
    """The CPU time at which to stop; None if there is no limit."""
    limits = [] if clock.seconds is None else [SHARE * clock.seconds]
    if clock.bank is not None:
        limits.append(clock.bank / MOVES_TO_COME)
    return thread_time() + min(limits) if limits else None
