"""The bot that ``export_policy`` writes: it plays the legal move that the policy in ``policy.npz`` scores highest.

The file is copied beside its weights, so it imports only what a sealed bot has: the standard library, numpy, the engine, its own files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

MoveFacts: TypeAlias = Callable[[NDArray[np.float32], NDArray[Any], NDArray[Any]], NDArray[np.float32]]
"""Returns more facts of rows, of shape ``(len(rows), n)``, from flat observations, the rows, and the number of each row's observation."""
FEW: Final = 20
"""Columns of rows with fewer values than this also get a one-hot encoding."""


class Exported:
    """Plays by the policy in the file, by default the one beside this module; a module with its ``move_facts``, if any, is there, too."""

    def __init__(self, file: Path | None = None, move_facts: MoveFacts | None = None) -> None:
        with np.load(file or Path(__file__).with_name("policy.npz")) as arrays:  # which runs nothing: pickles are refused
            self._arrays = dict(arrays)
        self.facts: dict[str, Any] = json.loads(str(self._arrays["facts"]))
        name = self.facts["move_facts"]
        self._move_facts = move_facts or (getattr(import_module("move_facts"), name) if name else None)
        self._columns = tuple((low, high) for low, high in self.facts["columns"])
        self._layout = np.dtype([(name, kind, tuple(shape)) for name, kind, shape in self.facts["layout"]])
        game = self.facts["game"]
        self._pack = import_module(f"engine.{game}.observation").pack
        self._pack_moves = import_module(f"engine.{game}.{'move_rows' if game == 'sunda' else 'observation'}").pack_moves
        self._ids_of = import_module(f"{__package__}.tongiaki_ids" if __package__ else "tongiaki_ids").ids_of if self.facts["ids"] else None

    def start(self, info: Any) -> None:
        """Raise ValueError for a match that the policy was not trained for."""
        if (info.game.name, info.players) != (self.facts["game"], self.facts["players"]):
            raise ValueError(f"the policy plays {self.facts['game']} with {self.facts['players']} players")

    def choose(self, view: Any, clock: Any) -> Any:
        """Return the move with the highest score."""
        return view.legal_moves[int(self.scores(view).argmax())]

    def scores(self, view: Any) -> NDArray[np.float32]:
        """Return a score, a logit, for each of the first legal moves, as many as the environments offer."""
        record: Any = np.frombuffer(self._pack(view.position, view.seat), self._layout)[0]
        numbers = np.concatenate([record[name].ravel() for name in self._layout.names or ()], dtype=np.float32)
        moves = list(view.legal_moves)[: self.facts["actions"]]
        outputs = self._layers("position", numbers)
        if not self._columns:
            return outputs[: len(moves)] if self._ids_of is None else outputs[self._ids_of(moves)]
        given = (moves, view.seat) if self.facts["game"] == "sunda" else (view.seat, moves)
        rows = np.frombuffer(self._pack_moves(view.position, *given), self.facts["row_type"]).reshape(len(moves), -1)
        hidden, facts = self._activate(outputs), row_facts(rows, self._columns)
        if self._move_facts is not None:
            facts = np.concatenate((facts, self._move_facts(numbers[None], rows, np.zeros(len(rows), int))), 1)
        first = self._layer("moves.0", np.concatenate((np.repeat(hidden[None], len(moves), 0), facts), 1))
        if "gates.0.weight" in self._arrays:
            first += self._layer("gates.0", hidden) * self._layer("gates.1", facts)
        return self._layers("moves", first, 1)[:, 0]

    def _layers(self, part: str, inputs: NDArray[np.float32], number: int = 0) -> NDArray[np.float32]:
        """Return the outputs of the part's layers from this number on; the last one has no activation."""
        while f"{part}.{number}.weight" in self._arrays:
            inputs = self._layer(f"{part}.{number}", self._activate(inputs) if number else inputs)
            number += 1
        return inputs

    def _layer(self, name: str, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        outputs: NDArray[np.float32] = inputs @ self._arrays[f"{name}.weight"].T + self._arrays[f"{name}.bias"]
        return outputs

    def _activate(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.tanh(inputs) if self.facts["activation"] == "tanh" else np.maximum(inputs, 0)


def row_facts(rows: NDArray[Any], columns: Sequence[tuple[int, int]]) -> NDArray[np.float32]:
    """Return what a policy sees of rows of moves, of shape ``(len(rows), n)``; ``columns`` are the least and greatest values of each.

    First come the columns divided by their largest magnitude, then a one-hot encoding of each column with fewer than ``FEW`` values.
    """
    few, shift, size, largest = _plan(tuple(columns))
    places = np.zeros((len(rows), size), np.float32)
    places[np.arange(len(rows))[:, None], rows[:, few] + shift] = 1
    return np.concatenate((rows / largest, places), 1, dtype=np.float32)


@cache
def _plan(columns: tuple[tuple[int, int], ...]) -> tuple[NDArray[Any], NDArray[Any], int, NDArray[np.float32]]:
    """Return the columns with few values, the offsets that turn these into places, the number of places, and the largest magnitudes."""
    low, high = np.array(columns).T
    few = np.nonzero(high - low + 1 < FEW)[0]
    sizes = (high - low + 1)[few]
    largest = np.maximum(np.maximum(abs(low), abs(high)), 1).astype(np.float32)
    return few, np.cumsum(sizes) - sizes - low[few], int(sizes.sum()), largest
