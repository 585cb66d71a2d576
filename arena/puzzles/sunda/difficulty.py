"""The difficulties of puzzles, and the parameters of each difficulty (docs/puzzles.md)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

BOUND: Final = 20
"""Solutions and inner borders of a puzzle are counted up to this number, by default."""


class Difficulty(StrEnum):
    """How hard a puzzle is meant to be."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"
    EXPERT = "expert"


@dataclass(frozen=True, slots=True)
class Recipe:
    """The parameters of a difficulty: the number of tiles, the fraction of vertices whose type is given, and whether tiles are scarce."""

    tiles: int
    given: float
    is_tight: bool


RECIPES: Final = {
    Difficulty.EASY: Recipe(tiles=6, given=1.0, is_tight=False),
    Difficulty.MEDIUM: Recipe(tiles=14, given=1.0, is_tight=False),
    Difficulty.HARD: Recipe(tiles=26, given=1.0, is_tight=True),
    Difficulty.EXPERT: Recipe(tiles=40, given=0.5, is_tight=True),
}
