"""What all encoders share: named arrays and their spaces, action ids, and ``Flat``, which joins all arrays into one."""

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
"""The maximum number of action ids for which a mask can be made."""
_FLAT_TYPE: Final = np.dtype(np.float32)
"""The dtype that networks compute with; it can represent every value of the fields' narrower dtypes."""


class Field(NamedTuple):
    """One array of an observation: its shape, dtype, minimum and maximum (numbers for the whole array, or lists along its last axis)."""

    shape: tuple[int, ...]
    dtype: type[np.int8] | type[np.int16] | type[np.float32]
    low: float | Sequence[float]
    high: float | Sequence[float]

    @property
    def size(self) -> int:
        """The number of entries."""
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
    """The ids of a game's moves, from 0 to ``count - 1``; no two legal moves of a position share an id."""

    name: str
    count: int

    @abstractmethod
    def of(self, state: State) -> list[int]:
        """Return the id of each legal move, in order. In ids, seats are counted from the seat that has to decide."""

    def move(self, state: State, action: int) -> Move:
        """Return the legal move with this id. Raises ValueError for an id that is out of range or isn't legal."""
        self.check(action)
        try:
            return state.list_moves()[self.of(state).index(action)]
        except ValueError:
            raise ValueError(f"action {action} is not legal in this position; ActionIds.of(state) returns the legal ids") from None

    def check(self, action: int) -> None:
        """Raise ValueError unless ``action`` is an id, legal or not."""
        if not 0 <= action < self.count:
            raise ValueError(f"action {action} is out of range: the actions of {self.name} are 0 to {self.count - 1}")

    def mask(self, state: State) -> NDArray[np.int8]:
        """Return an array with a 1 for each legal id, or all zeros when the game is over. Raises ValueError if there are too many ids."""
        self.check_dense()
        mask = np.zeros(self.count, np.int8)
        if state.actor is not None:
            mask[self.of(state)] = 1
        return mask

    def check_dense(self) -> None:
        """Raise ValueError if there are too many ids for masks."""
        if self.count > DENSE:
            raise ValueError(f"{self.name} has {self.count:,} action ids, too many for a mask; use ids=False, or call ActionIds.of")


class Encoder(ABC):
    """Turns a position into the arrays that one seat observes, for one game with fixed options and a fixed number of players.

    ``actions`` is the number of actions. ``fields`` describes the arrays of a position. A legal move is a row of numbers: ``columns``
    describes them, ``row_type`` is their dtype. Arrays with an entry for each seat begin with the observer and continue in seat order.

    ``pack`` and ``pack_rows`` return bytes, which ``unpack`` and ``unpack_rows`` turn into arrays.
    """

    actions: int
    columns: tuple[Column, ...]
    fields: Mapping[str, Field]
    row_type: type[np.int8] | type[np.int16]

    @abstractmethod
    def pack(self, state: State, seat: int) -> bytes:
        """Return the arrays of ``fields`` in the format of ``layout``, using only what ``state.view(seat)`` shows."""

    @abstractmethod
    def rows(self, view: View[State], moves: Sequence[Move]) -> Array:
        """Return an array of shape ``(len(moves), len(columns))``: a row for each move."""

    def action_ids(self) -> ActionIds | None:
        """Return the action ids that this encoder defines, or None if it defines none."""
        return None

    def packer(self) -> Packer:
        """Return a packer, which joins what ``pack`` returns for many states."""
        return Packer(self.pack)

    def pack_rows(self, state: State, seat: int) -> bytes:
        """Return the rows of the seat's first ``actions`` legal moves as bytes; they are empty if it is another seat's turn."""
        if state.actor != seat:
            return b""
        return self.rows(state.view(seat), state.list_moves()[: self.actions]).tobytes()

    @cached_property
    def layout(self) -> np.dtype[np.void]:
        """The format that ``pack`` writes: the arrays of ``fields``, in C order and native byte order, without padding."""
        return np.dtype([(name, field.dtype, field.shape) for name, field in self.fields.items()])

    @cached_property
    def row_size(self) -> int:
        """The size of one move's row in bytes."""
        return len(self.columns) * np.dtype(self.row_type).itemsize

    @cached_property
    def _steps(self) -> NDArray[np.int8]:
        """``actions`` ones followed by as many zeros; every mask is a slice of this array."""
        return np.repeat(np.array([1, 0], np.int8), self.actions)

    def unpack(self, packed: bytes) -> dict[str, Array]:
        """Return the arrays that ``pack`` wrote, as writable copies."""
        record: NDArray[np.void] = np.ndarray((), self.layout, bytearray(packed))
        return {name: record[name] for name in self.fields}

    def unpack_rows(self, packed: bytes) -> Array:
        """Return the rows that ``pack_rows`` wrote, padded with zeros, as a new array of shape ``(actions, len(columns))``."""
        rows = bytearray(self.actions * self.row_size)
        rows[: len(packed)] = packed
        return np.ndarray((self.actions, len(self.columns)), self.row_type, rows)

    def mask(self, count: int) -> NDArray[np.int8]:
        """Return a new mask of shape ``(actions,)`` that begins with a 1 for each of ``count`` legal moves."""
        first = max(self.actions - count, 0)
        return self._steps[first : first + self.actions].copy()

    # Observations

    def observe(self, state: State, seat: int, *, moves: bool = True) -> Observation:
        """Return the seat's observation, with rows of the legal moves if ``moves``. The mask is all zeros if it is another seat's turn."""
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
        """Return the space of the rows of legal moves."""
        low, high = [column.low for column in self.columns], [column.high for column in self.columns]
        return Field((self.actions, len(self.columns)), self.row_type, low, high).box()


class Flat:
    """Concatenates the arrays of an encoder's ``fields`` into one float32 array.

    With ``moves`` or ``mask``, an observation is a dictionary: ``observation`` is that array, ``moves`` the rows of the legal moves, and
    ``action_mask`` the mask.
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
        """Turn the bytes that ``Encoder.pack`` wrote into one array."""
        if self._only_type is not None:
            return np.frombuffer(packed, self._only_type).astype(np.float32)
        record: Any = np.ndarray((), self._encoder.layout, packed)
        return np.concatenate([record[name].ravel() for name in self._encoder.fields], dtype=_FLAT_TYPE)


@final
class ListedIds(ActionIds):
    """Ids for games that list all moves that can ever be legal: the id of a move is the index of its notation in that list."""

    def __init__(self, name: str, notations: Sequence[str]) -> None:
        """Raises ValueError if the list is empty or contains a move twice."""
        self.name = name
        self.count = len(notations)
        self._id_of = {text: number for number, text in enumerate(notations)}
        if len(self._id_of) < self.count or not self.count:
            raise ValueError(f"the list of all moves of {name} is empty or contains a move twice")

    def of(self, state: State) -> list[int]:
        """Return the ids of the legal moves. Raises PositionError if a legal move is not in the list."""
        try:
            return [self._id_of[str(move)] for move in state.list_moves()]
        except KeyError as missing:
            raise PositionError(f"{missing} is legal but not in the list of all moves of {self.name}") from None


@final
class OwnIds(ActionIds):
    """Ids that a game defines itself: the method ``list_actions`` of its states returns the ids of the legal moves."""

    def __init__(self, name: str, count: int) -> None:
        self.name = name
        self.count = count

    def of(self, state: State) -> list[int]:
        """Return the ids of the legal moves."""
        known: Any = state
        return list(known.list_actions())


@final
class RowIds(ActionIds):
    """Ids computed from the encoder's rows of moves: first all ids of the first kind of move, then all ids of the second, and so on.

    ``kinds`` lists, for kind 1, kind 2 and so on, the columns that tell moves of this kind apart. Their values are the digits of an id,
    most significant first. ``bounds`` maps a column to its minimum and maximum in ids; the other columns have the encoder's range.
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
    """Return the action ids of a game: from its encoder, from the game itself, or from ``every_move`` of a simple game.

    Raises ValueError for a game without action ids.
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
        raise ValueError(f"{game.name} has no action ids: neither its rules (by 'every_move') nor its encoder define any; use ids=False")
    return ListedIds(game.name, listed)
