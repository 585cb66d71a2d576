"""The positions that a module accesses through handles: what its seat knows (handle 0), and full positions for trying moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from engine.core import EngineError, InvalidMoveError, Move, State, View

MOST: Final = 1024
"""The most positions that a module may hold at a time, not counting handle 0. In Sunda, a position takes up to 170 KiB of memory."""
_MASK: Final = (1 << 64) - 1


class CallError(Exception):
    """A module made an invalid call; the message completes "it called ..., but"."""


class Positions:
    """The positions of one turn, by handle; 0 is what the seat knows. ``known`` returns the seat's view and is called at most once.

    Methods raise CallError for a handle, seat or index that does not exist, and for playing, copying, scoring or dropping position 0.
    """

    __slots__ = ("_known", "_listed", "_next", "_states", "_view")

    def __init__(self, known: Callable[[], View[State]]) -> None:
        self._known = known
        self._view: View[State] | None = None
        self._states: dict[int, State] = {}
        self._listed: dict[int, Sequence[Move]] = {}
        self._next = 1

    @property
    def view(self) -> View[State]:
        """The seat's current view."""
        if self._view is None:
            self._view = self._known()
        return self._view

    def state(self, handle: int) -> State:
        """Return a position, which must not be changed."""
        state = self._states.get(handle)
        if state is not None:
            return state
        if handle == 0:
            return self.view.position
        raise CallError(f"there is no position {handle}")

    def full(self, handle: int) -> State:
        """Return a position in which moves can be played. Raises CallError for position 0, which is what the seat knows."""
        if handle == 0:
            raise CallError("position 0 is what the seat knows, so it can't be played, copied, scored or dropped; use a sample of it")
        return self.state(handle)

    def is_listed(self, handle: int) -> bool:
        """Return whether the moves of the position have been listed since it was last changed."""
        return handle in self._listed

    def moves(self, handle: int) -> Sequence[Move]:
        """Return the legal moves of the position."""
        moves = self._listed.get(handle)
        if moves is None:
            moves = self._listed[handle] = self.state(handle).list_moves()
        return moves

    def move(self, handle: int, index: int) -> Move:
        """Return one of the legal moves."""
        moves = self.moves(handle)
        if not 0 <= index < len(moves):
            raise CallError(f"there is no move {index} in position {handle}, which has {len(moves)} legal moves")
        return moves[index]

    def find(self, handle: int, text: str) -> int:
        """Return the index of the legal move with this notation, or -1 if there is none."""
        moves = self.moves(handle)
        try:
            return moves.index(self.state(handle).game.parse(text))
        except (InvalidMoveError, ValueError):
            return -1

    def sample(self, seed: int) -> int:
        """Add a sample, a full position that agrees with what the seat knows, and return its handle."""
        self._check_room()
        try:
            state = self.view.sample(Random(seed & _MASK))
        except (EngineError, NotImplementedError) as error:
            raise CallError(f"{self.view.game.name} can't be sampled: {error}") from None
        return self._add(state)

    def copy(self, handle: int) -> int:
        """Add a copy of a position, and return its handle."""
        state = self.full(handle)
        self._check_room()
        return self._add(state.copy())

    def play(self, handle: int, index: int) -> int:
        """Play a legal move and return the seat to move, or -1 if the game is over."""
        state = self.full(handle)
        state.play(self.move(handle, index))
        self._listed.pop(handle, None)
        return _seat(state.actor)

    def playout(self, handle: int, seed: int, charge: Callable[[], None]) -> int:
        """Play random moves to the end of the game and return their number. ``charge`` is called before each move and may raise."""
        state = self.full(handle)
        self._listed.pop(handle, None)
        rng = Random(seed & _MASK)
        played = 0
        while state.actor is not None:
            charge()
            state.play(state.random_move(rng))
            played += 1
        return played

    def actor(self, handle: int) -> int:
        """Return the seat to move, or -1 if the game is over."""
        return _seat(self.state(handle).actor)

    def score(self, handle: int, seat: int) -> float:
        """Return a seat's score in a game that is over."""
        return float(self._final(handle, seat)[0][seat])

    def rank(self, handle: int, seat: int) -> int:
        """Return the rank of a seat in a game that is over, from 1."""
        return self._final(handle, seat)[1][seat]

    def drop(self, handle: int) -> None:
        """Remove a position."""
        self.full(handle)
        del self._states[handle]
        self._listed.pop(handle, None)

    def _final(self, handle: int, seat: int) -> tuple[Sequence[float], Sequence[int]]:
        state = self.full(handle)
        outcome = state.outcome
        if outcome is None:
            raise CallError(f"the game is not over in position {handle}")
        if not 0 <= seat < state.players:
            raise CallError(f"there is no seat {seat}; seats are numbered from 0 to {state.players - 1}")
        return outcome.scores, outcome.ranks

    def _check_room(self) -> None:
        if len(self._states) >= MOST:
            raise CallError(f"it already holds {MOST:,} positions, which is the limit; drop positions that are no longer needed")

    def _add(self, state: State) -> int:
        handle = self._next
        self._next += 1
        self._states[handle] = state
        return handle


def _seat(actor: int | None) -> int:
    return -1 if actor is None else actor
