"""A bot that, alone at Sunda to Sahul, plans the whole table before it lays a tile; at any other table it plays like ``greedy``."""

from __future__ import annotations

import random

from bots.protocol import Clock, MatchInfo
from bots.reference.greedy import WEIGHTS, lead
from bots.reference.search.one_ply import best_move
from bots.reference.search.planning import plan
from engine.core import Move, State, View
from engine.sunda import SundaMove, SundaState
from engine.sunda.notation.moves import PLACE, START
from engine.sunda.position import BEGIN
from engine.sunda.puzzles.puzzle import Laid


class Planner:
    """Plans its whole table when alone at Sunda to Sahul; otherwise plays like greedy."""

    def start(self, info: MatchInfo) -> None:
        """Seed the random numbers."""
        self.rng = random.Random(info.seed)
        self.plan: list[Laid] = []

    def choose(self, view: View[State], clock: Clock) -> Move:  # the first move takes a second or two, the others next to nothing
        """Return the next tile of the plan, or greedy's move where there is no plan or the table differs from it."""
        state = view.position
        if isinstance(state, SundaState) and state.inside.alone:
            if state.inside.phase == BEGIN:
                self.plan = plan(self.rng)
                return SundaMove(START, self.plan[0][0])
            lies = state.inside.board.lies
            move = next((SundaMove(PLACE, tile, placement) for tile, placement in self.plan if tile not in lies), None)
            if move is not None and move in view.legal_moves:
                return move
        return best_move(view, self.rng, lead, WEIGHTS)
