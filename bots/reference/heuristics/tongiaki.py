"""An expert of Tongiaki: try the moves with the best scores, play each turn out, and compare the chances to win.

What mattered, as the share of games won at two seats against the same expert without it (95 % intervals):

- Playing for the chance to win instead of the lead in points, so that a seat ahead hurries the end and a seat behind takes risks:
  57.5 % +- 6.4 of 100 blocks.
- Knowing who is locked in (``tongiaki_evaluation.prospects``): 61.3 % +- 5.7 of 150 blocks.
- Better weights for the move scores: 54.5 % +- 6.1 of 100 blocks.

What did not matter: playing one, two or three turns of the others before evaluating won no more games against ``greedy`` and takes two to
four times as long; 192 samples won no more than 96. Valuing ships in supply, or a place on Tonga, made it no better; making a royal
island a point cheaper won 36.3 % +- 5.6 of 150 blocks.
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
"""How many moves are tried for each decision: the best by score."""
SAMPLES: Final = 64
"""Turns played out for each decision, shared among those moves."""
LONGEST_CHAIN: Final = 40
"""The most own decisions played out after a move before the position is evaluated."""
STEEPNESS: Final = 0.08
"""How much one more expected point adds to the chance to win; less while much of the game is left (fitted to 600 games)."""


ISLAND: Final = 0.5
"""What an island held is worth to a bot that counts points, beside its points."""


@final
class TongiakiHeuristic(Heuristic[TongiakiState]):
    """What bots know of Tongiaki."""

    def choose(self, view: View[TongiakiState], rng: random.Random) -> Move:
        """Return the move with the best average chance to win at the end of the seat's turn; ties are broken by ``rng``."""
        moves = _best_looking(view.position, rng)
        values = [0.0] * len(moves)
        for _ in range(max(1, SAMPLES // len(moves))):
            world = view.sample(rng)  # the same for every move, so that luck cancels
            for index, move in enumerate(moves):
                values[index] += _after(world.copy(), move, view.seat)
        return moves[max(range(len(moves)), key=values.__getitem__)]

    def scores(self, state: TongiakiState, moves: Sequence[Move]) -> list[float]:
        """Score each move; see ``tongiaki_move_scores``."""
        return move_scores(state, moves)

    def evaluate(self, state: TongiakiState) -> list[float]:
        """Return the points that each seat may expect; see ``tongiaki_evaluation``."""
        return evaluate(state)

    def assets(self, state: TongiakiState, seat: int) -> float:
        """Return half a point for each island held."""
        return ISLAND * state.board.islands_held(seat)


def winning(state: TongiakiState, seat: int) -> float:
    """Return the chance that the seat finishes ahead of a rival, averaged over its rivals."""
    outcome = state.outcome
    if outcome is not None:
        rank = outcome.ranks[seat]
        beaten = [1.0 if rank < other else 0.5 for other in outcome.ranks if rank <= other]
        return (sum(beaten) - 0.5) / (state.players - 1)  # less the tie with itself
    points = evaluate(state)
    steep = STEEPNESS / sqrt(horizon(state.deck) + 0.05)
    chances = [1.0 / (1.0 + exp(steep * (points[other] - points[seat]))) for other in range(state.players)]
    return (sum(chances) - 0.5) / (state.players - 1)


def _best_looking(state: TongiakiState, rng: random.Random) -> list[Move]:
    """Return the ``WIDTH`` moves with the best scores, best first, ties in random order."""
    moves = list(state.list_moves())
    ranked = sorted(zip(move_scores(state, moves), [rng.random() for _ in moves], range(len(moves)), strict=True), reverse=True)
    return [moves[index] for _, _, index in ranked[:WIDTH]]


def _after(state: TongiakiState, move: Move, seat: int) -> float:
    """Return the seat's chance to win after the move and the rest of its turn, played by move scores."""
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
"""The one that the game's plug-in offers."""
