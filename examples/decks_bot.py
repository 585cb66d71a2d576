"""Tries the eight most promising moves, each with the same twelve decks, and compares its lead after each move."""

import random

from bots.values import rank_moves


class Decks:
    def start(self, info):
        self.rng = random.Random(info.seed)

    def choose(self, view, clock):
        moves = [move for _, move in rank_moves(view, self.rng)[:8]]
        totals = dict.fromkeys(moves, 0.0)
        for _ in range(12):
            world = view.sample(self.rng)
            for move in moves:
                totals[move] += self.value(world.copy(), move, view.seat)
        return max(moves, key=totals.get)

    def value(self, state, move, seat):
        state.play(move)
        while state.actor == seat:
            state.play(rank_moves(state)[0][1])
        points = state.tally()["points"]
        return points[seat] - max(points[:seat] + points[seat + 1 :])
