"""What encoders share: named arrays with bounds, and the spaces made of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
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

    def observation_space(self) -> Dict:
        """Return the space of all observations: ``{"observation": {...}, "action_mask": ...}``."""
        low, high = [column.low for column in self.columns], [column.high for column in self.columns]
        moves = Field((self.actions, len(self.columns)), self.row_type, low, high)
        arrays: dict[str, Space[Any]] = {name: field.box() for name, field in self.fields.items()}
        return Dict({"observation": Dict(arrays | {"moves": moves.box()}), "action_mask": Box(0, 1, (self.actions,), np.int8)})

    def action_space(self) -> Discrete:
        """Return the space of actions: indices of legal moves, in the order of the rules."""
        return Discrete(self.actions)

    def observe(self, view: View[State], moves: Sequence[Move]) -> Observation:
        """Return the observation of the view's seat; ``moves`` are its legal moves, none if another seat has to decide."""
        offered = moves[: self.actions]
        arrays = self.position(view)
        rows: Array = np.zeros((self.actions, len(self.columns)), self.row_type)
        mask: Array = np.zeros(self.actions, np.int8)
        if offered:
            rows[: len(offered)] = self.rows(view, offered)
            mask[: len(offered)] = 1
        arrays["moves"] = rows
        return {"observation": arrays, "action_mask": mask}


MOST: Final = 127
"""The limit of counts that have no bound in the rules."""
