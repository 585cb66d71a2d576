"""A bot in ten lines: it looks at every legal move and plays the one that leaves it with the most points."""

import random


class Minimal:
    def start(self, info):
        self.rng = random.Random(info.seed)

    def choose(self, view, clock):
        def points(move):
            state = view.sample(self.rng)
            state.play(move)
            return state.tally()["points"][view.seat], self.rng.random()

        return max(view.legal_moves, key=points)
