"""The expert for Tongiaki. It tries the moves with the best scores, plays each turn to its end, and compares the chances of winning.

These ideas mattered; each figure is the share of two-seat games won against the same expert without the idea (95% intervals):

- Maximise the chance of winning instead of the lead in points, so that a seat that is ahead hurries the end and a seat that is behind takes
  risks: 57.5% +- 6.4 in 100 blocks.
- Recognise locked-in seats (``tongiaki_evaluation.prospects``): 61.3% +- 5.7 in 150 blocks.
- Better weights for the move scores: 54.5% +- 6.1 in 100 blocks.

Other ideas did not help. Playing one, two or three turns of the other seats before evaluating won no more games against ``greedy``, and
took two to four times as long. With 192 samples instead of 96, it won no more games. Values for ships in supply or for a place on
Tonga made no difference. Valuing a royal island one point lower won only 36.3% +- 5.6 in 150 blocks.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import exp, sqrt
from typing import Final, final

from bots.reference.heuristics.base import Heuristic
from bots.reference.heuristics.tongiaki_evaluation import evaluate, horizon
from bots.reference.heuristics.tongiaki_move_scores import move_scores
from engine.core import Move, View
from engine.tongiaki import TongiakiState

WIDTH: Final = 16
"""How many of the best-scoring moves are tried for each decision."""
SAMPLES: Final = 64
"""How often the rest of the turn is played out for each decision, in total over the moves that are tried."""
LONGEST_CHAIN: Final = 40
"""The most decisions of the seat that are played after a move before the position is evaluated."""
STEEPNESS: Final = 0.08
"""How strongly the chance of winning depends on expected points at the start of the game (fitted to 600 games); later, it depends
more."""


ISLAND: Final = 0.5
"""The points that ``assets`` counts for each island that a seat holds."""


@final
class TongiakiHeuristic(Heuristic[TongiakiState]):
    """The heuristic for Tongiaki."""

    def choose(self, view: View[TongiakiState], rng: random.Random) -> Move:
        """Return the move after which the chance of winning, estimated at the end of the turn, is best on average; ``rng`` breaks ties."""
        moves = _best_looking(view.position, rng)
        values = [0.0] * len(moves)
        for _ in range(max(1, SAMPLES // len(moves))):
            world = view.sample(rng)  # the same for every move, so that luck cancels out
            for index, move in enumerate(moves):
                values[index] += _after(world.copy(), move, view.seat)
        return moves[max(range(len(moves)), key=values.__getitem__)]

    def scores(self, state: TongiakiState, moves: Sequence[Move]) -> list[float]:
        """Score each move; see ``tongiaki_move_scores``."""
        return move_scores(state, moves)

    def evaluate(self, state: TongiakiState) -> list[float]:
        """Return the expected points of each seat; see ``tongiaki_evaluation``."""
        return evaluate(state)

    def assets(self, state: TongiakiState, seat: int) -> float:
        """Return half a point for each island that the seat holds."""
        return ISLAND * state.board.islands_held(seat)


def winning(state: TongiakiState, seat: int) -> float:
    """Return the chance that the seat finishes ahead of a rival, averaged over its rivals."""
    outcome = state.outcome
    if outcome is not None:
        rank = outcome.ranks[seat]
        beaten = [1.0 if rank < other else 0.5 for other in outcome.ranks if rank <= other]
        return (sum(beaten) - 0.5) / (state.players - 1)  # minus the tie with itself
    points = evaluate(state)
    steep = STEEPNESS / sqrt(horizon(state.deck) + 0.05)
    chances = [1.0 / (1.0 + exp(steep * (points[other] - points[seat]))) for other in range(state.players)]
    return (sum(chances) - 0.5) / (state.players - 1)


def _best_looking(state: TongiakiState, rng: random.Random) -> list[Move]:
    moves = list(state.list_moves())
    ranked = sorted(zip(move_scores(state, moves), [rng.random() for _ in moves], range(len(moves)), strict=True), reverse=True)
    return [moves[index] for _, _, index in ranked[:WIDTH]]


def _after(state: TongiakiState, move: Move, seat: int) -> float:
    """Play the move and the rest of the turn, using move scores, and return the seat's chance of winning."""
    state.play(move)
    for _ in range(LONGEST_CHAIN):
        if state.actor != seat:
            break
        moves = state.list_moves()
        if len(moves) == 1:
            state.play(moves[0])
        else:
            scores = move_scores(state, moves)
            state.play(moves[max(range(len(moves)), key=scores.__getitem__)])
    return winning(state, seat)


HEURISTIC: Final = TongiakiHeuristic()
"""The heuristic that the game's plug-in names."""
