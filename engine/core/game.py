"""A game with its options: its facts, and the way in to its states, moves and positions."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Mapping
from typing import TypeAlias

from mypy_extensions import mypyc_attr

from engine.core.errors import OptionsError
from engine.core.moves import Move
from engine.core.state import State

OptionValue: TypeAlias = int | str | tuple[int, ...]
"""What an option of a game may hold; a replay writes a tuple as a JSON list."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Game(metaclass=ABCMeta):
    """A game with one set of options: it states the facts and makes states. Games with equal names and options are equal."""

    name: str
    rules_version: int
    min_players: int
    max_players: int
    chance_events: frozenset[str]
    """First words of the events that a replay records as chance; draws from a deck follow from the seed and are not among them."""

    @property
    @abstractmethod
    def options(self) -> Mapping[str, OptionValue]:
        """Every option of the game, defaults written out."""

    @abstractmethod
    def new(self, players: int, seed: int) -> State:
        """The first position. Raises OptionsError for a seat count or a seed the game does not allow."""

    @abstractmethod
    def follow(self, players: int, opening: str = "") -> State:
        """The first position with all that the seed decides unknown, but for the ``opening`` of the true one.

        ``engine.replay.observer.Observer`` plays on it with what it is told. Raises OptionsError and PositionError.
        """

    @abstractmethod
    def parse(self, text: str) -> Move:
        """The move a notation stands for: ``str(parse(t)) == t``. Raises InvalidMoveError."""

    @abstractmethod
    def position(self, text: str) -> State:
        """The state a position text describes. Raises PositionError."""

    @abstractmethod
    def explain(self, move: Move) -> str:
        """The move in plain words, for a spectator."""

    def check_start(self, players: int, seed: int) -> None:
        """Raise OptionsError unless a match of this game may have that many players and that seed."""
        if not self.min_players <= players <= self.max_players:
            which = f"{self.name} with these options" if self.options else self.name
            raise OptionsError(f"{which} is for {self.min_players} to {self.max_players} players, not {players}")
        if seed < 0:
            raise OptionsError(f"a seed is a non-negative integer, not {seed}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self.name == other.name and dict(self.options) == dict(other.options)

    def __hash__(self) -> int:
        return hash((self.name, tuple(self.options.items())))

    def __repr__(self) -> str:
        options = dict(self.options)
        return f"find_game({self.name!r}, {options})" if options else f"find_game({self.name!r})"
