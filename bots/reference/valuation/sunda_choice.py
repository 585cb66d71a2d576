"""Chooses moves for the bot ``learned`` in Sunda to Sahul: the move with the best value among the moves with the best scores.

Trying many moves is what matters: most placements close nothing, and only trying them shows which of them leaves the least to rivals. The
value function already considers what the next tiles can take, so the second tile of a turn and the rivals' answers are not played. Trying
four second tiles after each of the six best first tiles took twice the time and won no more.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from bots.reference.heuristics.sunda_evaluation import odds
from bots.reference.heuristics.sunda_move_scores import NEVER, move_scores
from bots.reference.search.sampling import sample
from engine.core import Move, State, View
from engine.sunda import SundaMove, SundaState
from engine.sunda.board.claims import controller
from engine.sunda.board.trigrid import lozenge_of
from engine.sunda.notation.moves import AGREE, PLACE, RAID, SKIP, WAIT
from engine.sunda.position import CHOOSE, FIGHT, LAY

Worths: TypeAlias = Callable[[State], list[float]]

WIDTH: Final = 32
"""How many of the best-scoring moves are tried for each decision."""


def best_move(view: View[State], worths: Worths, rng: random.Random) -> Move:
    """Return the move after which the position is worth most to the seat that decides. Ties are broken at random."""
    state = sample(view, rng)
    assert isinstance(state, SundaState)
    p = state.inside
    moves = state.list_moves()
    if len(moves) == 1:
        return moves[0]
    if p.phase == CHOOSE:
        p.choices = [SundaMove(WAIT) if seat < p.chosen else None for seat in range(p.players)]
    after = _worth_of_fight if p.phase == FIGHT else _worth_of_tile if p.phase in {LAY, CHOOSE} else _worth_of_move
    valued = [(after(state, move, view.seat, worths), move) for move in _promising(state, moves, rng)]
    return max(valued, key=_worth)[1]


def _worth(valued: tuple[float, SundaMove]) -> float:
    return valued[0]


def _promising(state: SundaState, moves: Sequence[Move], rng: random.Random) -> list[SundaMove]:
    """Return the moves with the best scores, ties in random order. Of equally good placements on the same lozenge, only one is kept."""
    scores = move_scores(state, moves)
    found: list[SundaMove] = []
    seen: set[tuple[int, float]] = set()
    for _, _, index in sorted(zip(scores, [rng.random() for _ in moves], range(len(moves)), strict=True), reverse=True):
        move = moves[index]
        assert isinstance(move, SundaMove)
        if move.kind == RAID or (move.kind == AGREE and scores[index] <= -NEVER):
            continue
        if move.kind == PLACE:
            key = (lozenge_of(move.second), scores[index])
            if key in seen:
                continue
            seen.add(key)
        if len(found) < WIDTH or move.kind in {AGREE, WAIT}:
            found.append(move)
    return found


def _worth_of_move(state: SundaState, move: SundaMove, seat: int, worths: Worths) -> float:
    after = state.copy()
    after.play(move)
    return worths(after)[seat]


def _worth_of_tile(state: SundaState, move: SundaMove, seat: int, worths: Worths) -> float:
    """Return the value after a tile, assuming in a tick that all other seats wait. If the move is to wait, the position stays the same."""
    after = state.copy()
    p = after.inside
    if move.kind == WAIT:
        p.choices = [None] * p.players  # the game would end if nobody laid a tile, so evaluate it as if it continued
        p.chosen = 0
        return worths(after)[seat]
    after.play(move)
    while after.inside.phase == CHOOSE and after.inside.chosen:
        after.play(SundaMove(WAIT))
    return worths(after)[seat]


def _worth_of_fight(state: SundaState, move: SundaMove, seat: int, worths: Worths) -> float:
    if move.kind == SKIP:
        return _worth_of_move(state, move, seat, worths)
    tribes = state.inside.claims.tribes
    win = odds(len(tribes[move.first]), len(tribes[move.second]))
    worth = 0.0
    for loser, part in ((move.second, win), (move.first, 1 - win)):
        after = state.copy()
        after.inside.claims.take_back(loser, controller(tribes[loser]))
        after.play(SundaMove(SKIP))
        worth += part * worths(after)[seat]
    return worth
