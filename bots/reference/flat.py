"""The bot ``flat`` (flat Monte Carlo), which plays random games after each move and chooses the move with the best average result.

The games are allocated by sequential halving (Karnin, Koren and Somekh, "Almost Optimal Exploration in Multi-Armed Bandits", 2013): all
rounds cost the same, and after each round only the better half of the moves is kept. The bot needs no knowledge of the game. Its play
depends only on the seed and the budget, unless a time limit ends the games early; then it also depends on the machine.
"""

from __future__ import annotations

import random

from bots.protocol import Clock, MatchInfo
from bots.reference.search.deadline import Deadline
from bots.reference.search.one_ply import candidates
from bots.reference.search.sampling import sample
from bots.reference.search.value import point_values
from engine.core import Move, State, View, playout


class Flat:
    """Plays random games after each move and chooses the move with the best average result."""

    budget = 200
    """The number of random games for each decision, if the clock sets no number (``nodes``)."""

    def start(self, info: MatchInfo) -> None:
        """Seed the random numbers."""
        self.rng = random.Random(info.seed)
        self.nodes = 0

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Return the best of the moves that reached the last round. Set ``self.nodes`` to the number of games played."""
        moves = list(dict.fromkeys(candidates(view, self.rng)))  # if there are many moves, some may be drawn twice
        self.rng.shuffle(moves)  # the sort below is stable, so ties are broken at random
        budget = self.budget if clock.nodes is None else clock.nodes
        deadline = Deadline(clock)
        self.nodes = 0
        rounds = max(1, (len(moves) - 1).bit_length())
        totals = [0.0] * len(moves)
        running = list(range(len(moves)))
        for number in range(rounds):
            if len(running) == 1:
                break
            games = (budget - self.nodes) // ((rounds - number) * len(running))
            for _ in range(games):
                if deadline.has_passed():
                    break
                world = sample(view, self.rng)  # the same for every move, so that luck cancels out
                for index in running:
                    totals[index] += self._after(world.copy(), moves[index], view.seat)
            running.sort(key=lambda index: -totals[index])
            running = running[: (len(running) + 1) // 2]
        return moves[running[0]]

    def _after(self, state: State, move: Move, seat: int) -> float:
        self.nodes += 1
        state.play(move)
        return point_values(playout(state, self.rng).scores)[seat]
