"""What is trained for a game: which kinds of matches are played, and which features the value function uses."""

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
    """One kind of match; ``share`` of the games in each cycle are of this kind."""

    players: int
    share: int = 1
    options: tuple[tuple[str, OptionValue], ...] = ()

    def game(self, name: str) -> Game:
        """Return the game with these options."""
        return find_game(name, dict(self.options))


@dataclass(frozen=True, slots=True)
class Course:
    """The training of one game.

    - ``make``: creates the value function; its argument reads the weights when they are needed
    - ``knots``: the phases of the game for which the linear part of a model has separate weights
    - ``hidden``: how many hidden units a model's network has, once there are enough games
    - ``samples``: how many positions of each game are kept
    - ``shipped``: the file with the weights that are shipped with the program
    """

    sight: Sight
    make: Callable[[Callable[[], Mapping[str, Any]]], LearnedValue]
    tables: tuple[Table, ...]
    knots: tuple[float, ...]
    shipped: Path
    hidden: int = 0
    samples: int = 24

    def table(self, number: int) -> Table:
        """Return the kind of match for the game with this number."""
        turn = [table for table in self.tables for _ in range(table.share)]
        return turn[number % len(turn)]
