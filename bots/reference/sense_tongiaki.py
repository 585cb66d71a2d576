"""The sense of Tongiaki: a few moves that look best at a glance are played to the end of the turn, and what that promises is compared."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final, final

from bots.reference.tongiaki_glance import glance
from bots.reference.tongiaki_outlook import outlook
from engine.core import Move, View
from engine.tongiaki import TongiakiState

WIDTH: Final = 8
"""Moves looked at for each decision: those that score best."""
SAMPLES: Final = 24
"""Turns played out for each decision, shared among those moves."""
LONGEST_CHAIN: Final = 40
"""Own decisions played on after the move, before the position is valued."""


@final
class TongiakiSense:
    """Implements ``Sense[TongiakiState]``."""

    def choose(self, view: View[TongiakiState], rng: random.Random) -> Move:
        """The move after which the seat's lead, at the end of its turn, is largest on average; ties are broken by ``rng``."""
        moves = _best_looking(view.position, rng)
        values = [0.0] * len(moves)
        for _ in range(max(1, SAMPLES // len(moves))):
            world = view.sample(rng)  # the same for every move, so that luck cancels
            for index, move in enumerate(moves):
                values[index] += _after(world.copy(), move, view.seat)
        return moves[max(range(len(moves)), key=values.__getitem__)]

    def scores(self, state: TongiakiState, moves: Sequence[Move]) -> list[float]:
        """How good each move looks; see ``tongiaki_glance``."""
        return glance(state, moves)

    def outlook(self, state: TongiakiState) -> list[float]:
        """The points that each seat may expect; see ``tongiaki_outlook``."""
        return outlook(state)


def lead(points: Sequence[float], seat: int) -> float:
    """The seat's points less a mixture of the strongest and the average rival's."""
    rivals = [*points[:seat], *points[seat + 1 :]]
    return points[seat] - (max(rivals) + sum(rivals) / len(rivals)) / 2


def _best_looking(state: TongiakiState, rng: random.Random) -> list[Move]:
    """The ``WIDTH`` moves with the best scores, best first; equal ones in random order."""
    moves = list(state.list_moves())
    ranked = sorted(zip(glance(state, moves), [rng.random() for _ in moves], range(len(moves)), strict=True), reverse=True)
    return [moves[index] for _, _, index in ranked[:WIDTH]]


def _after(state: TongiakiState, move: Move, seat: int) -> float:
    """The seat's lead when it has played the move, and the rest of its turn at a glance."""
    state.play(move)
    for _ in range(LONGEST_CHAIN):
        if state.actor != seat:
            break
        moves = state.list_moves()
        if len(moves) == 1:
            state.play(moves[0])
        else:
            scores = glance(state, moves)
            state.play(moves[max(range(len(moves)), key=scores.__getitem__)])
    return lead(outlook(state), seat)
