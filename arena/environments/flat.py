"""Observations of one level, which libraries take that know no nested ones: one array of numbers instead of named arrays."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from gymnasium.spaces import Box, Dict, Space

from arena.environments.encoding import Array, Encoder
from engine.core import State

FlatObservation: TypeAlias = Array | dict[str, Array]


class Flat:
    """The arrays of an encoder's ``fields`` one after the other as one array, in the narrowest dtype that holds them all.

    With ``moves`` an observation is ``{"position": that array, "moves": the rows of the legal moves}``.
    """

    def __init__(self, encoder: Encoder, *, moves: bool) -> None:
        self._encoder = encoder
        self._moves = moves
        types = {np.dtype(field.dtype) for field in encoder.fields.values()}
        self._type: np.dtype[Any] = np.result_type(*types)
        self._is_uniform = len(types) == 1
        self._shape = (sum(int(np.prod(field.shape)) for field in encoder.fields.values()),)

    def space(self) -> Space[Any]:
        """Return the space of observations."""
        boxes = [field.box() for field in self._encoder.fields.values()]
        low = np.concatenate([box.low.ravel() for box in boxes], dtype=self._type)
        high = np.concatenate([box.high.ravel() for box in boxes], dtype=self._type)
        position = Box(low, high, self._shape, self._type.type)
        return Dict({"position": position, "moves": self._encoder.rows_space()}) if self._moves else position

    def observe(self, state: State, seat: int) -> FlatObservation:
        """Return the observation of the seat."""
        position = self.position(self._encoder.pack(state, seat))
        if not self._moves:
            return position
        return {"position": position, "moves": self._encoder.unpack_rows(self._encoder.pack_rows(state, seat))}

    def position(self, packed: bytes) -> Array:
        """Return what ``Encoder.pack`` wrote as one array."""
        if self._is_uniform:
            return np.ndarray(self._shape, self._type, bytearray(packed))
        record: Any = np.frombuffer(packed, self._encoder.layout)[0]
        parts: Array = np.concatenate([record[name].ravel() for name in self._encoder.fields], dtype=self._type)
        return parts
