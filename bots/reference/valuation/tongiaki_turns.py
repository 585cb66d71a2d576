"""Chooses the Tongiaki move whose turn ends in the best position, according to a model. After each move tried, the turn is
played to its end with the moves that have the best move scores."""

from __future__ import annotations

import random
from typing import Final, final

from bots.reference.heuristics.tongiaki_move_scores import move_scores
from bots.reference.valuation.models import Model, first_chances, shares_beaten
from bots.reference.valuation.tongiaki_features import rows
from engine.core import Move
from engine.tongiaki import TongiakiState
from engine.tongiaki.position import OVER, SETUP, TURN

LONGEST_CHAIN: Final = 40
"""After a move, at most this many decisions per turn are played before the position is evaluated."""


@final
class Breadth:
    """How much is tried for a decision.

    The ``width`` moves with the best scores are tried with ``few`` decks. Then the best ``last`` moves are tried with ``more`` decks.
    After the seat's turn, ``turns`` turns of other seats are played using move scores before the position is evaluated.
    """

    __slots__ = ("few", "last", "more", "turns", "width")

    def __init__(self, width: int, few: int, last: int, more: int, turns: int) -> None:
        self.width = width
        self.few = few
        self.last = last
        self.more = more
        self.turns = turns


def best_move(position: TongiakiState, seat: int, model: Model, first: float, breadth: Breadth, rng: random.Random) -> Move:
    """Return the best move found for ``seat``, which is to move. ``position`` may belong to a view; it is not changed.

    ``first`` is the weight of first place; the rest is the weight of the share of rivals beaten. All moves are tried with the same decks,
    so that luck cancels out. If no tile is drawn before the position is evaluated, a move is tried only once.
    """
    moves = list(position.list_moves())
    scores = move_scores(position, moves)
    keys = [(scores[index], rng.random(), index) for index in range(len(moves))]
    keys.sort(reverse=True)
    tried = [moves[key[2]] for key in keys[: breadth.width]]
    totals = [0.0] * len(tried)
    counts = [0] * len(tried)
    is_sure = [False] * len(tried)
    left = list(range(len(tried)))
    for number in range(breadth.few + breadth.more):
        if number == breadth.few:
            left.sort(key=lambda index: totals[index] / counts[index], reverse=True)
            left = left[: breadth.last]
        open_ones = [index for index in left if not is_sure[index]]
        if not open_ones:
            break
        world = position.copy()
        world.read_only = False
        world.determinize(rng)
        for index in open_ones:
            after = world.copy()
            after.play(tried[index])
            _play_on(after, breadth.turns)
            totals[index] += worth(after, seat, model, first)
            counts[index] += 1
            is_sure[index] = len(after.deck) == len(position.deck)
    best = left[0]
    for index in left:
        if totals[index] / counts[index] > totals[best] / counts[best]:
            best = index
    return tried[best]


def _play_on(state: TongiakiState, turns: int) -> None:
    for _ in range(LONGEST_CHAIN * (turns + 1)):
        if state.phase is OVER:
            return
        if state.phase is TURN or state.phase is SETUP:
            if turns <= 0:
                return
            turns -= 1
        state.play(_best_looking(state))


def _best_looking(state: TongiakiState) -> Move:
    moves = state.list_moves()
    best = moves[0]
    if len(moves) > 1:
        scores = move_scores(state, moves)
        top = scores[0]
        for index in range(1, len(moves)):
            if scores[index] > top:
                best, top = moves[index], scores[index]
    return best


def worth(state: TongiakiState, seat: int, model: Model, first: float) -> float:
    """Return the value of the position for ``seat``, from 0 to 1. ``first`` is the weight of first place, as in `best_move`."""
    outcome = state.outcome
    if outcome is not None:
        return _final_worth(outcome.ranks, seat, first)
    strengths = model.strengths(rows(state))
    if len(strengths) == 2:
        return first_chances(strengths)[seat]
    return first * first_chances(strengths)[seat] + (1.0 - first) * shares_beaten(strengths)[seat]


def _final_worth(ranks: tuple[int, ...], seat: int, first: float) -> float:
    own = ranks[seat]
    beaten = 0.0
    shared = 0
    for rank in ranks:
        if rank > own:
            beaten += 1.0
        elif rank == own:
            beaten += 0.5
            shared += 1
    won = 1.0 / shared if own == 1 else 0.0
    return first * won + (1.0 - first) * (beaten - 0.5) / (len(ranks) - 1)
