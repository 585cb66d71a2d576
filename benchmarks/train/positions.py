"""Positions of recorded games as arrays: the features of every seat for the value function, and how the game ended."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks.train.course import Course
from benchmarks.train.games import Record, positions_of

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]

HELD_OUT = 10
"""One in this many games of a model is held out: it is not used for learning, but for measuring what was learned."""


@dataclass(frozen=True, slots=True)
class Positions:
    """The positions for a model: ``rows`` (positions, seats, features), ``ranks`` (positions, seats), and the game of each (``games``)."""

    rows: Floats
    ranks: Integers
    games: Integers

    def __len__(self) -> int:
        return len(self.games)

    def take(self, which: NDArray[np.bool_]) -> Positions:
        """Return the selected positions."""
        return Positions(self.rows[which], self.ranks[which], self.games[which])

    def parts(self) -> tuple[Positions, Positions]:
        """Return the positions to learn from and the held-out positions; the positions of a game stay together."""
        is_held_out = np.isin(self.games, np.unique(self.games)[::HELD_OUT])
        return self.take(~is_held_out), self.take(is_held_out)


def collect(course: Course, records: Iterable[Record], first: int) -> dict[str, Positions]:
    """Return random positions of each game, grouped by the key of their model; games are numbered from ``first``."""
    rows: dict[str, list[list[list[float]]]] = {}
    ranks: dict[str, list[list[int]]] = {}
    games: dict[str, list[int]] = {}
    for record in records:
        rng = random.Random(record["seed"])
        chosen = set(rng.sample(range(len(record["moves"])), min(course.samples, len(record["moves"]))))
        for index, state in enumerate(positions_of(record, course.sight.game)):
            if index in chosen:
                key = course.sight.key(state)
                rows.setdefault(key, []).append(course.sight.rows(state))
                ranks.setdefault(key, []).append(record["ranks"])
                games.setdefault(key, []).append(first + record["number"])
    return {key: Positions(np.array(rows[key]), np.array(ranks[key]), np.array(games[key])) for key in sorted(rows)}


def join(parts: Iterable[dict[str, Positions]]) -> dict[str, Positions]:
    """Merge several collections of positions."""
    found: dict[str, list[Positions]] = {}
    for part in parts:
        for key, positions in part.items():
            found.setdefault(key, []).append(positions)
    return {
        key: Positions(*(np.concatenate([getattr(each, name) for each in several]) for name in ("rows", "ranks", "games")))
        for key, several in sorted(found.items())
    }


def save(path: Path, parts: dict[str, Positions]) -> None:
    """Write positions to a file of arrays atomically: the file is complete, or does not exist."""
    arrays = {f"{name} {key}": getattr(each, name) for key, each in parts.items() for name in ("rows", "ranks", "games")}
    unfinished = path.with_suffix(".part")
    with unfinished.open("wb") as file:
        np.savez_compressed(file, **{name: (each.astype(np.float32) if name.startswith("rows") else each) for name, each in arrays.items()})
    unfinished.replace(path)


def load(path: Path) -> dict[str, Positions]:
    """Return the positions in a file written by ``save``."""
    with np.load(path) as arrays:
        keys = sorted(name.removeprefix("games ") for name in arrays.files if name.startswith("games "))
        return {key: Positions(arrays[f"rows {key}"].astype(np.float64), arrays[f"ranks {key}"], arrays[f"games {key}"]) for key in keys}
