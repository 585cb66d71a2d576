"""Actions that mean something: a number for each move, the same in every position and match (docs/environments.md has their numbers).

``find_ids`` makes an ``ActionIds`` of a game. Games themselves don't depend on them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, final

import numpy as np

from arena.environments.encoding import ActionIds, Encoder
from engine.core import Game, PositionError, State


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
