"""Counting move sequences, the standard check of a move generator."""

from __future__ import annotations

from random import Random

from engine.core.state import State


def perft(state: State, depth: int) -> int:
    """The number of sequences of exactly ``depth`` legal moves from the state; a game that is over has none."""
    if depth == 0:
        return 1
    if depth == 1:
        return state.count_moves()
    count = 0
    for move in state.list_moves():
        child = state.copy()
        child.play(move)
        count += perft(child, depth - 1)
    return count


def advance(state: State, moves: int, rng: Random) -> None:
    """Play ``moves`` moves, each ``legal_moves[rng.randrange(len(legal_moves))]``; stops early when the game ends."""
    for _ in range(moves):
        count = state.count_moves()
        if not count:
            return
        state.play(state.list_moves()[rng.randrange(count)])
