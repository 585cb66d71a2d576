"""``Game``: a game with its options, which creates states and reads moves and positions."""

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
"""The type of an option's value. Numbers must be finite. In a replay, a tuple is a JSON list."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Game(metaclass=ABCMeta):
    """A game with one set of options: facts about it, and methods that create states. Games with equal names and options are equal.

    A game that uses the base class in ``engine.simple`` takes less code.
    """

    name: str
    rules_version: int
    min_players: int
    max_players: int
    chance_events: frozenset[str]
    """The first words of the events (``State.events``) that replays record. Draws from a deck are not recorded; the seed decides them."""
    sends_positions: bool = False
    """If True, seats don't follow the moves: after each decision, each seat is sent what it may know of the position.

    More data is sent, but the game needs neither ``follow`` nor the hooks of ``State`` for following a match.
    """

    can_sample: bool = True
    """Whether ``View.sample`` works. If False, ``View.sample`` raises PositionError, and bots that search can't play."""

    @property
    @abstractmethod
    def options(self) -> Mapping[str, OptionValue]:
        """Every option of the game, including those that have their default values."""

    @abstractmethod
    def new(self, players: int, seed: int) -> State:
        """Return the first position. Raises OptionsError for a number of players or a seed that the game doesn't allow."""

    def deals(self, players: int, most: int = MOST) -> list[World]:
        """Return every possible first position with its probability; later dice and draws are not included.

        Raises OptionsError, and PositionError if there are more than ``most`` positions. By default, there is only one position.
        """
        return [World(1.0, self.new(players, 0))]

    def follow(self, players: int, opening: str = "") -> State:
        """Return the first position as seats see it: what the seed decides is unknown, except for ``opening`` (see ``State.opening``).

        An ``engine.core.observer.Observer`` starts from this position. In a game that sends positions, ``opening`` is the text of the
        position as the seat knows it. This default only suits such games and games without chance. Raises OptionsError and PositionError.
        """
        facts: Any = self
        return self.position(opening) if facts.sends_positions else self.new(players, 0)

    @abstractmethod
    def parse(self, text: str) -> Move:
        """Return the move that a notation stands for: ``str(parse(t)) == t``. Raises InvalidMoveError.

        If notation can only be interpreted in the context of a position, any line is accepted; ``State.play`` then refuses invalid moves.
        """

    @abstractmethod
    def position(self, text: str) -> State:
        """Return the state that a position text describes. Raises PositionError."""

    def explain(self, move: Move) -> str:
        """Return the move in plain words for a spectator, or its notation if the game doesn't describe its moves."""
        return str(move)

    def check_start(self, players: int, seed: int) -> None:
        """Raise OptionsError unless a match of this game may have this number of players and this seed."""
        facts: Any = self  # if not compiled, a game may define its facts as class attributes
        least, most = facts.min_players, facts.max_players
        if not least <= players <= most:
            which = f"{facts.name} with these options" if self.options else facts.name
            number = f"{least}" if least == most else f"{least} to {most}"
            raise OptionsError(f"{which} is for {number} players, not {players}")
        if seed < 0:
            raise OptionsError(f"a seed must be a non-negative integer, not {seed}")

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
