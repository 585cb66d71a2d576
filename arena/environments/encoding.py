"""The common part of encoders: named arrays with bounds, their spaces, numbers of moves, and all arrays as one (``Flat``)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod
from typing import Any, Final, NamedTuple, TypeAlias, final

import numpy as np
from gymnasium.spaces import Box, Dict, Space
from numpy.typing import NDArray

from engine.batch import Packer
from engine.core import Game, Move, PositionError, State, View

Array: TypeAlias = NDArray[np.integer[Any] | np.floating[Any]]
Observation: TypeAlias = dict[str, dict[str, Array] | Array]
FlatObservation: TypeAlias = NDArray[np.float32] | dict[str, NDArray[np.float32] | Array]

DENSE: Final = 1 << 16
"""The most ids for which there are masks."""
_FLAT_TYPE: Final = np.dtype(np.float32)
"""The dtype that networks compute with; it represents every value of the narrower dtypes of fields."""


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


class ActionIds(ABC):
    """The ids of a game's moves, from 0 to ``count - 1``; no two legal moves of a position have the same."""

    name: str
    count: int

    @abstractmethod
    def of(self, state: State) -> list[int]:
        """Return the ids of the legal moves, in their order, as the seat that has to decide counts seats."""

    def move(self, state: State, action: int) -> Move:
        """Return the legal move with that id. Raises ValueError for a number that is out of range or belongs to no legal move."""
        self.check(action)
        try:
            return state.list_moves()[self.of(state).index(action)]
        except ValueError:
            raise ValueError(f"action {action} is not legal here: see the mask, or ActionIds.of(state)") from None

    def check(self, action: int) -> None:
        """Raise ValueError for a number that is not an id."""
        if not 0 <= action < self.count:
            raise ValueError(f"action {action} is out of range: the actions of {self.name} are 0 to {self.count - 1}")

    def mask(self, state: State) -> NDArray[np.int8]:
        """Return 1 for the id of each legal move, 0 for the others; all zeros when the game is over. Raises ValueError above ``DENSE``."""
        self.check_dense()
        mask = np.zeros(self.count, np.int8)
        if state.actor is not None:
            mask[self.of(state)] = 1
        return mask

    def check_dense(self) -> None:
        """Raise ValueError if there are too many ids for masks."""
        if self.count > DENSE:
            raise ValueError(f"{self.name} has {self.count:,} action ids, too many for a mask; score rows of moves, or take ActionIds.of")


class Encoder(ABC):
    """How a position of one game, with its options and number of players, becomes arrays for one seat.

    ``actions`` is the number of actions, ``fields`` has the arrays of the position and ``columns`` the columns of the rows of moves, which
    have the dtype ``row_type``. Arrays by seat begin with the observer's seat and continue in the order of play.

    ``pack`` and ``pack_rows`` write bytes, from which ``unpack`` and ``unpack_rows`` make arrays.
    """

    actions: int
    columns: tuple[Column, ...]
    fields: Mapping[str, Field]
    row_type: type[np.int8] | type[np.int16]

    @abstractmethod
    def pack(self, state: State, seat: int) -> bytes:
        """Return the arrays of ``fields`` in the format of ``layout``, made only from what ``state.view(seat)`` shows."""

    @abstractmethod
    def rows(self, view: View[State], moves: Sequence[Move]) -> Array:
        """Return a row for each of the moves, of shape ``(len(moves), len(columns))``."""

    def action_ids(self) -> ActionIds | None:
        """Return the numbers that moves have in every position; None for a game whose actions are only indices."""
        return None

    def packer(self) -> Packer:
        """Return a packer of many states at once, with the same output as ``pack``."""
        return Packer(self.pack)

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
        """``actions`` ones followed by as many zeros; every mask is a slice of this array."""
        return np.repeat(np.array([1, 0], np.int8), self.actions)

    def unpack(self, packed: bytes) -> dict[str, Array]:
        """Return the arrays that ``pack`` wrote, as copies that may be changed."""
        record: NDArray[np.void] = np.ndarray((), self.layout, bytearray(packed))
        return {name: record[name] for name in self.fields}

    def unpack_rows(self, packed: bytes) -> Array:
        """Return the rows that ``pack_rows`` wrote, padded with zeros: a new array of shape ``(actions, len(columns))``."""
        rows = bytearray(self.actions * self.row_size)
        rows[: len(packed)] = packed
        return np.ndarray((self.actions, len(self.columns)), self.row_type, rows)

    def mask(self, count: int) -> NDArray[np.int8]:
        """Return the mask of ``count`` legal moves: a new array of shape ``(actions,)``."""
        first = max(self.actions - count, 0)
        return self._steps[first : first + self.actions].copy()

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
        return Dict({"observation": Dict(arrays), "action_mask": Box(0, 1, (self.actions,), np.int8)})

    def rows_space(self) -> Box:
        """Return the space of the rows of moves."""
        low, high = [column.low for column in self.columns], [column.high for column in self.columns]
        return Field((self.actions, len(self.columns)), self.row_type, low, high).box()


class Flat:
    """The arrays of an encoder's ``fields`` one after the other as one array of float32.

    With ``moves`` or ``mask`` an observation is a dictionary: that array is ``observation``, the rows of the legal moves are ``moves``, and
    the mask is ``action_mask``.
    """

    def __init__(self, encoder: Encoder, *, moves: bool, mask: bool) -> None:
        self._encoder = encoder
        self._moves = moves
        self._mask = mask
        types = {np.dtype(field.dtype) for field in encoder.fields.values()}
        self._only_type: np.dtype[Any] | None = types.pop() if len(types) == 1 else None

    def space(self) -> Space[Any]:
        """Return the space of observations."""
        boxes = [field.box() for field in self._encoder.fields.values()]
        low = np.concatenate([box.low.ravel() for box in boxes], dtype=_FLAT_TYPE)
        high = np.concatenate([box.high.ravel() for box in boxes], dtype=_FLAT_TYPE)
        spaces: dict[str, Space[Any]] = {"observation": Box(low, high, low.shape, np.float32)}
        if self._moves:
            spaces["moves"] = self._encoder.rows_space()
        if self._mask:
            spaces["action_mask"] = Box(0, 1, (self._encoder.actions,), np.int8)
        return Dict(spaces) if len(spaces) > 1 else spaces["observation"]

    def observe(self, state: State, seat: int) -> FlatObservation:
        """Return the observation of the seat."""
        numbers = self.numbers(self._encoder.pack(state, seat))
        if not self._moves and not self._mask:
            return numbers
        seen: dict[str, NDArray[np.float32] | Array] = {"observation": numbers}
        if self._moves:
            seen["moves"] = self._encoder.unpack_rows(self._encoder.pack_rows(state, seat))
        if self._mask:
            seen["action_mask"] = self._encoder.mask(state.count_moves() if state.actor == seat else 0)
        return seen

    def numbers(self, packed: bytes) -> NDArray[np.float32]:
        """Return the bytes that ``Encoder.pack`` wrote as one array."""
        if self._only_type is not None:
            return np.frombuffer(packed, self._only_type).astype(np.float32)
        record: Any = np.ndarray((), self._encoder.layout, packed)
        return np.concatenate([record[name].ravel() for name in self._encoder.fields], dtype=_FLAT_TYPE)


@final
class ListedIds(ActionIds):
    """A move's id is its place in a list of all moves that can ever be legal, by their notation."""

    def __init__(self, name: str, notations: Sequence[str]) -> None:
        """Raises ValueError for a list that has a move twice."""
        self.name = name
        self.count = len(notations)
        self._id_of = {text: number for number, text in enumerate(notations)}
        if len(self._id_of) < self.count or not self.count:
            raise ValueError(f"the list of all moves of {name} is empty, or has a move twice")

    def of(self, state: State) -> list[int]:
        """Return the ids of the legal moves. Raises PositionError for a move that is not in the list."""
        try:
            return [self._id_of[str(move)] for move in state.list_moves()]
        except KeyError as missing:
            raise PositionError(f"{missing} is legal, but not in the list of all moves of {self.name}") from None


@final
class OwnIds(ActionIds):
    """The numbers that a game gives its moves itself, by ``list_actions`` of its states."""

    def __init__(self, name: str, count: int) -> None:
        self.name = name
        self.count = count

    def of(self, state: State) -> list[int]:
        """Return the ids of the legal moves."""
        known: Any = state
        return list(known.list_actions())


@final
class RowIds(ActionIds):
    """Ids computed from the rows of moves.

    The ids of a kind follow those of earlier kinds; within a kind the columns that count are digits, the first being the most significant.

    ``kinds`` has these columns for each kind of move, which is counted from 1 in the column ``kind``; ``bounds`` are the least and greatest
    values of columns where they differ from the encoder's.
    """

    def __init__(self, name: str, encoder: Encoder, kinds: Sequence[Sequence[str]], bounds: Mapping[str, tuple[int, int]]) -> None:
        self.name = name
        self._encoder = encoder
        names = [column.name for column in encoder.columns]
        limits = {column.name: bounds.get(column.name, (column.low, column.high)) for column in encoder.columns}
        self._parts = [[(names.index(each), *limits[each]) for each in columns] for columns in kinds]
        sizes = [prod(high - low + 1 for _, low, high in parts) for parts in self._parts]
        self._starts = [sum(sizes[:kind]) for kind in range(len(sizes))]
        self.count = sum(sizes)

    def of(self, state: State) -> list[int]:
        """Return the ids of the legal moves."""
        if state.actor is None:
            return []
        rows = self._encoder.rows(state.view(state.actor), state.list_moves()).astype(np.int64)
        ids = np.zeros(len(rows), np.int64)
        for kind, parts in enumerate(self._parts):
            chosen = rows[:, 0] == kind + 1
            if chosen.any():
                number = np.zeros(int(chosen.sum()), np.int64)
                for column, low, high in parts:
                    number = number * (high - low + 1) + rows[chosen, column] - low
                ids[chosen] = self._starts[kind] + number
        return ids.tolist()


def find_ids(game: Game, players: int, encoder: Encoder) -> ActionIds:
    """Return the action ids of a game: its encoder's, its own, or those of a simple game that lists ``every_move``.

    Raises ValueError for a game without ids.
    """
    brought = encoder.action_ids()
    if brought is not None:
        return brought
    facts: Any = game
    if hasattr(facts, "count_actions"):
        return OwnIds(game.name, facts.count_actions())
    first: Any = game.new(players, 0)
    listed = first.inside.every_move() if hasattr(first, "inside") and hasattr(first.inside, "every_move") else None
    if listed is None:
        raise ValueError(f"{game.name} has no action ids: its rules list no 'every_move' and its encoder has none; use indices or rows")
    return ListedIds(game.name, listed)
