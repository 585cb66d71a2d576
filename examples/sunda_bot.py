"""A one-page bot for Sunda to Sahul, for every level and mode: it closes land nodes when it can, and prefers moves that score points.

arena match examples/sunda_bot.py random --game sunda --option level=5 --seed 3
"""

import random

from engine.sunda.board.tiles import HALF_TURN, PATTERN_OF_TILE
from engine.sunda.board.trigrid import WEDGES, corners_of, lozenge_of
from engine.sunda.notation.moves import PLACE


class Closer:
    def start(self, info):
        self.rng = random.Random(info.seed)

    def choose(self, view, clock):
        moves = list(view.legal_moves)
        placements = [move for move in moves if move.kind == PLACE]
        if placements:
            return max(placements, key=lambda move: (self.nodes_closed(view, move), self.rng.random()))
        return max(moves, key=lambda move: (self.points_after(view, move), self.rng.random()))

    def nodes_closed(self, view, move):
        """Return how many land vertices the tile would close: vertices where its angle completes the full 360 degrees."""
        lozenge = lozenge_of(move.placement)  # the two triangles it covers, in either of its two half turns
        pattern = PATTERN_OF_TILE[move.tile]  # eight bits: the corners c0 to c3 (1 is water), then the sides
        if move.placement != lozenge:
            pattern = HALF_TURN[pattern]
        covered = view.position.inside.board.wedges  # sixths of the full angle, by vertex
        closed = 0
        for corner, vertex in enumerate(corners_of(lozenge)):
            is_land = not pattern >> (7 - corner) & 1
            closed += is_land and covered.get(vertex, 0) + WEDGES[corner] == 6
        return closed

    def points_after(self, view, move):
        state = view.sample(self.rng)
        state.play(move)
        return state.tally()["points"][view.seat]
