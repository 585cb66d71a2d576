"""What encoders share: named arrays with bounds, and the spaces made of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from numpy.typing import NDArray

from engine.core import Move, State, View

Array: TypeAlias = NDArray[np.integer[Any] | np.floating[Any]]
Observation: TypeAlias = dict[str, dict[str, Array] | Array]


class Field(NamedTuple):
    """One array of an observation: its shape, its dtype, and the least and greatest values (one for all, or one for each last index)."""

    shape: tuple[int, ...]
    dtype: type[np.int8] | type[np.int16] | type[np.float32]
    low: float | Sequence[float]
    high: float | Sequence[float]

    @property
    def size(self) -> int:
        """The number of its entries."""
        return int(np.prod(self.shape))

    def box(self) -> Box:
        """Return the space of the array."""
        low = np.broadcast_to(np.array(self.low, self.dtype), self.shape)
        high = np.broadcast_to(np.array(self.high, self.dtype), self.shape)
        return Box(low.copy(), high.copy(), self.shape, self.dtype)


class Column(NamedTuple):
    """One column of the rows of moves: its name and the range of its values."""

    name: str
    low: int
    high: int


class Encoder(ABC):
    """How a position of one game, with its options and number of players, becomes arrays for one seat.

    ``actions`` is the number of actions, ``fields`` has the arrays of the position and ``columns`` the columns of the rows of moves, which
    have the dtype ``row_type``. Arrays by seat begin with the observer's seat and continue in the order of play.

    Arrays are made of bytes: ``pack`` and ``pack_rows`` write them, ``unpack`` and ``unpack_rows`` make arrays of them. A game that can
    write them faster than numpy overrides the first two.
    """

    actions: int
    columns: tuple[Column, ...]
    fields: Mapping[str, Field]
    row_type: type[np.int8] | type[np.int16]

    @abstractmethod
    def position(self, view: View[State]) -> dict[str, Array]:
        """Return the arrays of ``fields``, made only from what the view shows."""

    @abstractmethod
    def rows(self, view: View[State], moves: Sequence[Move]) -> Array:
        """Return a row for each of the moves, of shape ``(len(moves), len(columns))``."""

    def pack(self, state: State, seat: int) -> bytes:
        """Return the arrays of ``fields`` as ``layout`` has them, made only from what ``state.view(seat)`` shows."""
        arrays = self.position(state.view(seat))
        return b"".join([arrays[name].tobytes() for name in self.fields])

    def pack_rows(self, state: State, seat: int) -> bytes:
        """Return the rows of the seat's legal moves one after the other, at most ``actions`` of them; none if another has to decide."""
        if state.actor != seat:
            return b""
        return self.rows(state.view(seat), state.list_moves()[: self.actions]).tobytes()

    @cached_property
    def layout(self) -> np.dtype[np.void]:
        """The arrays of ``fields`` in their order, C order and native byte order, without padding: what ``pack`` writes."""
        return np.dtype([(name, field.dtype, field.shape) for name, field in self.fields.items()])

    @cached_property
    def row_size(self) -> int:
        """Bytes of the row of one move."""
        return len(self.columns) * np.dtype(self.row_type).itemsize

    @cached_property
    def _steps(self) -> NDArray[np.int8]:
        """As many ones as there are actions, then as many zeros: every mask is a part of it."""
        return np.repeat(np.array([1, 0], np.int8), self.actions)

    def unpack(self, packed: bytes) -> dict[str, Array]:
        """Return what ``pack`` wrote as arrays of their own, which may be changed."""
        record: NDArray[np.void] = np.ndarray((), self.layout, bytearray(packed))
        return {name: record[name] for name in self.fields}

    def unpack_rows(self, packed: bytes) -> Array:
        """Return what ``pack_rows`` wrote, and zeros after it: an array of its own, of shape ``(actions, len(columns))``."""
        rows = bytearray(self.actions * self.row_size)
        rows[: len(packed)] = packed
        return np.ndarray((self.actions, len(self.columns)), self.row_type, rows)

    def mask(self, count: int) -> NDArray[np.int8]:
        """Return the mask of so many legal moves: an array of its own, of shape ``(actions,)``."""
        first = max(self.actions - count, 0)
        return self._steps[first : first + self.actions].copy()

    # Many matches at a time; a game that is compiled does each of these in one call

    def play_many(self, states: list[State], actions: list[int]) -> bytes:
        """Play in each state the legal move of that index, if it is one of the actions; return GOES_ON, ENDED or REFUSED for each."""
        told = bytearray()
        for state, action in zip(states, actions, strict=True):
            if 0 <= action < min(state.count_moves(), self.actions):
                state.play(state.move_at(action))
                told.append(ENDED if state.actor is None else GOES_ON)
            else:
                told.append(REFUSED)
        return bytes(told)

    def play_random(self, states: list[State], seats: list[int], generators: list[list[Random]]) -> None:
        """Let the others play at random in each state until its seat has to decide or the game is over.

        The generator of a state's seat draws its moves as that of the bot ``random`` does; a single legal move is not drawn.
        """
        for state, seat, own in zip(states, seats, generators, strict=True):
            while (actor := state.actor) is not None and actor != seat:
                state.play(state.move_at(0) if state.count_moves() == 1 else state.random_move(own[actor]))

    def pack_many(self, states: list[State], seats: list[int]) -> tuple[bytes, bytes]:
        """Return what ``pack`` returns of each state for its seat, and two numbers of each as little-endian integers of 32 bits.

        They are who has to decide, or -1 when the game is over, and among how many actions, 0 unless that is the seat. A seat of -1 stands
        for whoever has to decide, or seat 0 when the game is over.
        """
        packed = []
        decisions = np.zeros((len(states), 2), "<i4")
        for index, (state, given) in enumerate(zip(states, seats, strict=True)):
            actor = state.actor
            seat = (actor or 0) if given < 0 else given
            packed.append(self.pack(state, seat))
            decisions[index] = -1 if actor is None else actor, min(state.count_moves(), self.actions) if actor == seat else 0
        return b"".join(packed), decisions.tobytes()

    def step_many(
        self, states: list[State], actions: list[int], seats: list[int], generators: list[list[Random]]
    ) -> tuple[bytes, bytes, bytes]:
        """Call ``play_many``, ``play_random`` where the game goes on, and ``pack_many``; return what the first and the last return.

        Nobody else plays if there are no generators.
        """
        told = self.play_many(states, actions)
        if generators:
            going = [index for index, result in enumerate(told) if result == GOES_ON]
            self.play_random(*([every[index] for index in going] for every in (states, seats, generators)))  # type: ignore[arg-type]
        return told, *self.pack_many(states, seats)

    # Observations

    def observe(self, state: State, seat: int, *, moves: bool = True) -> Observation:
        """Return the observation of the seat; its mask is all zeros if another seat has to decide. Without ``moves`` it has no rows."""
        arrays = self.unpack(self.pack(state, seat))
        if moves:
            arrays["moves"] = self.unpack_rows(self.pack_rows(state, seat))
        return {"observation": arrays, "action_mask": self.mask(state.count_moves() if state.actor == seat else 0)}

    def observation_space(self, *, moves: bool = True) -> Dict:
        """Return the space of all observations: ``{"observation": {...}, "action_mask": ...}``."""
        arrays: dict[str, Space[Any]] = {name: field.box() for name, field in self.fields.items()}
        if moves:
            arrays["moves"] = self.rows_space()
        return Dict({"observation": Dict(arrays), "action_mask": self.mask_space()})

    def rows_space(self) -> Box:
        """Return the space of the rows of moves."""
        low, high = [column.low for column in self.columns], [column.high for column in self.columns]
        return Field((self.actions, len(self.columns)), self.row_type, low, high).box()

    def mask_space(self) -> Box:
        """Return the space of masks."""
        return Box(0, 1, (self.actions,), np.int8)

    def action_space(self) -> Discrete:
        """Return the space of actions: indices of legal moves, in the order of the rules."""
        return Discrete(self.actions)


MOST: Final = 127
"""The limit of counts that have no bound in the rules."""
GOES_ON: Final = 0
ENDED: Final = 1
REFUSED: Final = 2
"""What ``Encoder.play_many`` says of a match; REFUSED: there is no such move, and nothing was played."""
