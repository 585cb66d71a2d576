"""What is learned of a game: which tables are played, and what a value function sees of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bots.reference.valuation.learned_value import LearnedValue, Sight
from engine import Game, find_game
from engine.core import OptionValue


@dataclass(frozen=True, slots=True)
class Table:
    """One kind of match; of every round of games, ``share`` are of this kind."""

    players: int
    share: int = 1
    options: tuple[tuple[str, OptionValue], ...] = ()

    def game(self, name: str) -> Game:
        """Return the game with these options."""
        return find_game(name, dict(self.options))


@dataclass(frozen=True, slots=True)
class Course:
    """The training of one game.

    ``make`` makes the value function of weights that are read when they are needed. ``knots`` are where the linear part of a model has
    weights of its own, by the phase of the game, and ``hidden`` is how many units its network has once there are games enough. Of every
    game ``samples`` positions are kept. ``shipped`` is the file of the weights that come with the program.
    """

    sight: Sight
    make: Callable[[Callable[[], Mapping[str, Any]]], LearnedValue]
    tables: tuple[Table, ...]
    knots: tuple[float, ...]
    shipped: Path
    hidden: int = 0
    samples: int = 24

    def table(self, number: int) -> Table:
        """Return the kind of the game with this number."""
        turn = [table for table in self.tables for _ in range(table.share)]
        return turn[number % len(turn)]
