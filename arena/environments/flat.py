"""Observations of one level, which libraries take that know no nested ones: one array of numbers instead of named arrays."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
from gymnasium.spaces import Box, Dict, Space
from numpy.typing import NDArray

from arena.environments.encoding import Array, Encoder
from engine.core import State

FlatObservation: TypeAlias = NDArray[np.float32] | dict[str, NDArray[np.float32] | Array]

_TYPE: Final = np.dtype(np.float32)
"""What networks compute with; it holds every number of the narrower dtypes that fields have."""


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
        low = np.concatenate([box.low.ravel() for box in boxes], dtype=_TYPE)
        high = np.concatenate([box.high.ravel() for box in boxes], dtype=_TYPE)
        spaces: dict[str, Space[Any]] = {"observation": Box(low, high, low.shape, np.float32)}
        if self._moves:
            spaces["moves"] = self._encoder.rows_space()
        if self._mask:
            spaces["action_mask"] = self._encoder.mask_space()
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
        """Return what ``Encoder.pack`` wrote as one array."""
        if self._only_type is not None:
            return np.frombuffer(packed, self._only_type).astype(np.float32)
        record: Any = np.ndarray((), self._encoder.layout, packed)
        return np.concatenate([record[name].ravel() for name in self._encoder.fields], dtype=_TYPE)
