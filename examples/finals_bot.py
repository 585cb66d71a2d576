"""Tries many moves with few decks, then the best of them (the finalists) with more decks, and compares the chances of winning."""

import random

from bots.values import rank_moves, utilities

TRIES = 48
"""How many turns are played out in each of the two rounds of a decision."""


class Finals:
    params = {"width": 8, "finalists": 3}

    def start(self, info):
        self.rng = random.Random(info.seed)

    def choose(self, view, clock):
        moves = [move for _, move in rank_moves(view, self.rng)[: self.params["width"]]]
        finalists = self.best_first(view, moves)[: self.params["finalists"]]
        return self.best_first(view, finalists)[0]

    def best_first(self, view, moves):
        totals = dict.fromkeys(moves, 0.0)
        for _ in range(max(1, TRIES // len(moves))):
            world = view.sample(self.rng)
            for move in moves:
                totals[move] += self.value(world.copy(), move, view.seat)
        return sorted(moves, key=totals.get, reverse=True)

    def value(self, state, move, seat):
        state.play(move)
        while state.actor == seat:
            state.play(rank_moves(state)[0][1])
        return utilities(state)[seat]
