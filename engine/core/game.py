"""A game with its options: its facts, and the constructors of states, moves and positions."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Mapping
from typing import Any, TypeAlias

from mypy_extensions import mypyc_attr

from engine.core.chance import MOST, World
from engine.core.errors import OptionsError
from engine.core.moves import Move
from engine.core.state import State

OptionValue: TypeAlias = bool | int | float | str | tuple[int, ...]
"""The type of an option's value; a replay writes a tuple as a JSON list. Numbers are finite."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Game(metaclass=ABCMeta):
    """A game with one set of options: its facts, and methods that make states. Games with equal names and options are equal.

    ``engine.simple`` has a base that is shorter to write on.
    """

    name: str
    rules_version: int
    min_players: int
    max_players: int
    chance_events: frozenset[str]
    """First words of the events that a replay records as chance; draws from a deck follow from the seed and are not among them."""
    sends_positions: bool = False
    """Whether seats are sent the position, as far as they may know it, after each decision, instead of following the moves themselves.

    This costs more to send, but the game then needs neither ``follow`` nor the hooks of ``State`` for following a match.
    """

    can_sample: bool = True
    """Whether ``View.sample`` works. If False, it raises PositionError, and bots that search can't play."""

    @property
    @abstractmethod
    def options(self) -> Mapping[str, OptionValue]:
        """Every option of the game, defaults written out."""

    @abstractmethod
    def new(self, players: int, seed: int) -> State:
        """The first position. Raises OptionsError for a seat count or a seed the game does not allow."""

    def deals(self, players: int, most: int = MOST) -> list[World]:
        """Every first position with its probability; later dice and draws are left to chance.

        Raises OptionsError, and PositionError if there are more than ``most``. By default nothing is dealt.
        """
        return [World(1.0, self.new(players, 0))]

    def follow(self, players: int, opening: str = "") -> State:
        """The first position with everything that the seed decides unknown, except for the ``opening`` of the true one.

        ``engine.core.observer.Observer`` advances it by the news of its seat. Raises OptionsError and PositionError. By default nothing
        depends on the seed; in a game that sends positions, the opening is the text of the position as the seat knows it.
        """
        facts: Any = self
        return self.position(opening) if facts.sends_positions else self.new(players, 0)

    @abstractmethod
    def parse(self, text: str) -> Move:
        """The move a notation stands for: ``str(parse(t)) == t``. Raises InvalidMoveError.

        In games whose notation has a meaning only in a position, any text makes a move, and ``State.play`` refuses one without meaning.
        """

    @abstractmethod
    def position(self, text: str) -> State:
        """The state a position text describes. Raises PositionError."""

    def explain(self, move: Move) -> str:
        """The move in plain words, for a spectator; its notation, if the game has no other."""
        return str(move)

    def check_start(self, players: int, seed: int) -> None:
        """Raise OptionsError unless a match of this game may have this number of players and this seed."""
        facts: Any = self  # a class that is not compiled may state its facts on the class
        least, most = facts.min_players, facts.max_players
        if not least <= players <= most:
            which = f"{facts.name} with these options" if self.options else facts.name
            number = f"{least}" if least == most else f"{least} to {most}"
            raise OptionsError(f"{which} is for {number} players, not {players}")
        if seed < 0:
            raise OptionsError(f"a seed is a non-negative integer, not {seed}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        facts: Any = self
        others: Any = other
        return bool(facts.name == others.name) and dict(self.options) == dict(other.options)

    def __hash__(self) -> int:
        facts: Any = self
        return hash((facts.name, tuple(self.options.items())))

    def __repr__(self) -> str:
        facts: Any = self
        options = dict(self.options)
        return f"find_game({facts.name!r}, {options})" if options else f"find_game({facts.name!r})"
