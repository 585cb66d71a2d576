"""Many matches of a game at a time for the environments: played by indices of legal moves and packed as bytes, in one compiled loop."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from librt.strings import BytesWriter, write_i32_le
from mypy_extensions import i32

from engine.core import State


class Packer:
    """Packs states one after the other. A game that is compiled has a subclass that spares calls and copies."""

    def __init__(self, pack: Callable[[State, int], bytes]) -> None:
        self.pack = pack
        self.parts: list[bytes] = []

    def add(self, state: State, seat: int) -> None:
        """Add the result of ``pack(state, seat)``."""
        self.parts.append(self.pack(state, seat))

    def packed(self) -> bytes:
        """Return all that was added."""
        return b"".join(self.parts)


def step(
    states: list[State], actions: list[int], seats: list[int], generators: list[list[Random]], most: int, packer: Packer
) -> tuple[list[int], bytes, bytes]:
    """Play the legal move of that index in each state, let the other seats play at random until the given one decides, and pack the state.

    An index is refused unless it is below ``most`` and below the number of legal moves; then nothing is played. Without ``actions`` no
    move is played first, without ``generators`` the others don't play. The generator of each of a state's seats draws its moves as that of
    the bot ``random`` would; a single legal move is not drawn. A seat of -1 stands for the one to decide, or seat 0 when the game is over.

    Return where an index was refused, all states packed for their seats, and two little-endian integers of 32 bits for each: who decides,
    or -1 when the game is over, and among how many legal moves, at most ``most``, or 0 unless that is the seat. Each state is played and
    packed before the next one, while it is in the processor's cache.
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
