"""Advances many matches of one game at once, for the environments: a compiled loop takes moves as indices and packs states as bytes."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from librt.strings import BytesWriter, write_i32_le
from mypy_extensions import i32

from engine.core import State


class Packer:
    """Packs states as bytes and joins them; compiled games have a subclass that avoids calls and copies."""

    def __init__(self, pack: Callable[[State, int], bytes]) -> None:
        self.pack = pack
        self.parts: list[bytes] = []

    def add(self, state: State, seat: int) -> None:
        """Pack the state as the seat sees it, and append the bytes."""
        self.parts.append(self.pack(state, seat))

    def packed(self) -> bytes:
        """Return the bytes of all states added so far."""
        return b"".join(self.parts)


def step(
    states: list[State], actions: list[int], seats: list[int], generators: list[list[Random]], most: int, packer: Packer
) -> tuple[list[int], bytes, bytes]:
    """Play one legal move in each state, then random moves for the other seats until it is the given seat's turn, and pack the state.

    ``seats`` holds the given seat of each state (-1: the seat whose turn it is, or seat 0 if the game is over). ``actions`` holds the index
    of a legal move for each state; if empty, that move is skipped. An index must be below both ``most`` and the number of legal moves;
    otherwise it is refused, and nothing is played in that state. ``generators`` holds, for each state, one generator per seat, which draws
    the same moves as the bot ``random`` (a single legal move is played without a draw); if empty, the other seats don't play.

    Return the indices of the states whose action was refused, all states packed for their seats, and two little-endian 32-bit integers for
    each state: the seat whose turn it is (-1 if the game is over), and the number of legal moves, at most ``most`` (0 if it isn't the given
    seat's turn). Each state is packed right after it is played, while it is still in the processor's cache.
    """
    refused: list[int] = []
    decisions = BytesWriter()
    for index in range(len(states)):
        state = states[index]
        is_played = True
        if actions:
            action = actions[index]
            is_played = 0 <= action < most and action < state.count_moves()
            if is_played:
                state.play(state.move_at(action))
            else:
                refused.append(index)
        actor = state.actor
        seat = seats[index]
        if generators and is_played:
            own = generators[index]
            while actor is not None and actor != seat:
                state.play(state.move_at(0) if state.count_moves() == 1 else state.random_move(own[actor]))
                actor = state.actor
        if seat < 0:
            seat = 0 if actor is None else actor
        packer.add(state, seat)
        write_i32_le(decisions, -1 if actor is None else i32(actor))
        write_i32_le(decisions, i32(min(state.count_moves(), most)) if actor == seat else 0)
    return refused, packer.packed(), decisions.getvalue()
