"""A base for games that are quicker written than made fast: the rules in one class, and all that a framework needs made of it.

A position is a ``msgspec.Struct`` whose fields are everything there is to know; its methods are the rules::

    >>> class Race(Position):
    ...     steps: list[int] = []
    ...     def setup(self, options, chance):
    ...         self.steps = [0] * self.players
    ...     def moves(self):
    ...         return ["roll"]
    ...     def play(self, move, chance):
    ...         self.steps[self.actor] += chance.roll(6)
    ...         if self.steps[self.actor] >= 10:
    ...             self.end(self.steps, "home")
    ...         else:
    ...             self.next()
    >>> game = simple_game(Race, "race", title="Race", players=(2, 6)).game("", {})
    >>> state = game.new(2, seed=1)
    >>> state.play(game.parse("roll"))
    >>> state.events, state.actor
    (('roll 3',), 1)

A package registers what ``simple_game`` returns as an entry point (docs/adding-a-game.md). States copy, print, hash, pickle and go through
replays without further code. Override ``hide`` and ``fill`` where players have secrets.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from hashlib import blake2b
from random import Random
from typing import Any, Final, Generic, TypeAlias, TypeVar, final

import msgspec

from engine.core import (
    Game,
    IllegalMoveError,
    InvalidMoveError,
    Move,
    OptionsError,
    OptionValue,
    Outcome,
    PositionError,
    ReadOnlyError,
    State,
    shared_ranks,
)
from engine.plugin import GamePlugin, Part

__all__ = ["Chance", "Position", "SimpleGame", "SimpleState", "TextMove", "simple_game"]

_LONGEST_MOVE: Final = 200
_ROLL: Final = "roll"

OptionRule: TypeAlias = tuple[OptionValue, Container[Any]]
"""The default of an option, and what it may be: ``(7, range(3, 14))``, ``("long", ("long", "short"))``."""


@final
class TextMove(Move):
    """A move that is its notation."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text: Final = text

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TextMove) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __reduce__(self) -> tuple[type[TextMove], tuple[str]]:
        return TextMove, (self.text,)

    def __repr__(self) -> str:
        return f"TextMove({self.text!r})"


@final
class Chance:
    """What the seed decides during one move, and what is said of it."""

    def __init__(self, source: Callable[[], Random], script: Sequence[str] = ()) -> None:
        self._source = source
        self._rng: Random | None = None
        self._script = [int(event.split(" ", 1)[1]) for event in script if event.startswith(f"{_ROLL} ")]
        self.events: list[str] = []
        self.told: dict[int, list[str]] = {}

    @property
    def rng(self) -> Random:
        """A generator for what nobody is told of, such as a shuffled deck. Raises PositionError in a position without a seed."""
        if self._rng is None:
            self._rng = self._source()
        return self._rng

    def roll(self, sides: int = 6) -> int:
        """Roll a die in the open: return 1 to ``sides``; the replay has it as the event ``roll N``."""
        number = self._script.pop(0) if self._script else self.rng.randint(1, sides)
        if not 1 <= number <= sides:
            raise PositionError(f"a die of {sides} sides can't show {number}")
        self.events.append(f"{_ROLL} {number}")
        return number

    def shuffle(self, items: list[Any]) -> None:
        """Shuffle the list in place, and tell nobody."""
        self.rng.shuffle(items)

    def tell(self, event: str, *seats: int) -> None:
        """Say what happened, in one line: to these seats, or to everybody if none is given."""
        if seats:
            for seat in seats:
                self.told.setdefault(seat, []).append(event)
        else:
            self.events.append(event)


class Position(msgspec.Struct):
    """A position and its rules: subclasses add fields, each with a default, and write ``moves`` and ``play``.

    Fields hold what ``msgspec`` can write: numbers, texts, lists, tuples, dicts, None, and structs of them.
    """

    players: int = 0
    actor: int | None = 0
    """The seat that has to decide; None when the game is over."""
    ending: str = ""
    scores: list[int | float] = []

    def setup(self, options: Mapping[str, Any], chance: Chance) -> None:
        """Make this the first position; ``players`` is set."""

    def moves(self) -> Sequence[str]:
        """Return the notations of all legal moves, each once, always in the same order. Not called when the game is over."""
        raise NotImplementedError

    def play(self, move: str, chance: Chance) -> None:
        """Play one of ``moves``, and set ``actor`` to whoever decides next, or call ``end``."""
        raise NotImplementedError

    def next(self) -> None:
        """Pass the turn to the next seat."""
        assert self.actor is not None, "the game is not over"
        self.actor = (self.actor + 1) % self.players

    def end(self, scores: Sequence[float], ending: str) -> None:
        """End the game: whoever has the highest score ranks first. ``ending`` is a word for the reason."""
        self.actor, self.scores, self.ending = None, list(scores), ending

    def hide(self, seat: int) -> None:
        """Forget what the seat (-1: whoever only looks on) may not know, so that positions which differ only in that become equal."""

    def fill(self, chance: Chance) -> None:
        """Put something random, consistent with the rest, in the place of what ``hide`` made this forget."""

    def tally(self) -> dict[str, Sequence[float]]:
        """Return what players keep an eye on: a name and one number for each seat."""
        return {"points": self.scores or [0] * self.players}

    def explain(self, move: str) -> str:
        """Return the move in plain words."""
        return move

    def observation(self, seat: int) -> Sequence[float] | None:
        """Return what the seat may know as numbers for an agent that learns, always equally many; None for a default made of the text."""
        return None

    def show(self) -> str:
        """Return the position for people, in as many lines as it takes; by default, its fields."""
        fields = msgspec.structs.asdict(self)
        return "\n".join(f"{name}: {value}" for name, value in fields.items() if name not in {"players", "actor", "ending", "scores"})

    def has_hidden_choice(self, seat: int) -> bool:
        """Return whether what the seat chose last is hidden from the others for good, or until an event tells them."""
        return False


_P = TypeVar("_P", bound=Position)


@final
class SimpleGame(Game):
    """A game whose rules are a class of positions; ``simple_game`` makes the plug-in of one."""

    def __init__(
        self, name: str, rules: type[Position], players: tuple[int, int], rules_version: int, options: Mapping[str, OptionValue]
    ) -> None:
        self.name = name
        self.rules = rules
        self.min_players, self.max_players = players
        self.rules_version = rules_version
        self.chance_events = frozenset({_ROLL})
        self.sends_positions = rules.hide is not Position.hide
        self._options = dict(options)
        self.decode = msgspec.json.Decoder(_Written[rules]).decode  # type: ignore[valid-type]
        self.decode_copy = msgspec.msgpack.Decoder(rules).decode

    @property
    def options(self) -> Mapping[str, OptionValue]:
        """Every option of the game, defaults written out."""
        return self._options

    def new(self, players: int, seed: int) -> SimpleState:
        """Return the first position. Raises OptionsError for a number of players or a seed that the game does not allow."""
        self.check_start(players, seed)
        position = self.rules(players=players)
        chance = Chance(partial(_random, seed, 0))
        position.setup(self._options, chance)
        return SimpleState(self, position, seed)

    def parse(self, text: str) -> TextMove:
        """Return the text as a move; whether it means anything depends on the position. Raises InvalidMoveError for what is no line."""
        if not text or len(text) > _LONGEST_MOVE or not text.isprintable():
            raise InvalidMoveError(f"{text!r:.60} is no move: a move is one printable line of at most {_LONGEST_MOVE} characters")
        return TextMove(text)

    def position(self, text: str) -> SimpleState:
        """Return the state that a text describes, read-only if it is that of a view, without a seed. Raises PositionError."""
        try:
            written = self.decode(text)
        except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError) as error:
            raise PositionError(f"that is no position of {self.name}: {error}") from None
        state = SimpleState(self, written.position, written.seed, written.turn)
        state.read_only = written.seed is None
        return state

    def __reduce__(self) -> tuple[Callable[..., Game], tuple[str, dict[str, OptionValue]]]:
        return _find_again, (self.name, self._options)


def _find_again(name: str, options: dict[str, OptionValue]) -> Game:
    from engine.registry import find_game  # noqa: PLC0415  # the registry is needed by none but those who unpickle

    return find_game(name, options)


class _Written(msgspec.Struct, Generic[_P], forbid_unknown_fields=True):
    """What the text of a state holds."""

    position: _P
    turn: int
    seed: int | None = None


@final
class SimpleState(State):
    """One position of a ``SimpleGame``: what it hides, and what the seed has in store."""

    __slots__ = ("_game", "_moves", "_script", "_seed", "_told", "_turn", "position")

    def __init__(self, game: SimpleGame, position: Position, seed: int | None, turn: int = 0) -> None:
        super().__init__(position.players)
        self._game = game
        self.position = position
        self._seed = seed
        self._turn = turn
        self._moves: Sequence[str] | None = None
        self._told: dict[int, list[str]] = {}
        self._script: Sequence[str] = ()

    @property
    def game(self) -> SimpleGame:
        """The game, with its options, that this is a position of."""
        return self._game

    @property
    def actor(self) -> int | None:
        """The seat that has to decide, or None when the game is over."""
        return self.position.actor

    @property
    def outcome(self) -> Outcome | None:
        """None while the game goes on."""
        position = self.position
        if position.actor is not None:
            return None
        scores: tuple[Any, ...] = tuple(position.scores)
        return Outcome(scores, shared_ranks([(score,) for score in scores]), position.ending)

    @property
    def text(self) -> str:
        """The whole position as text: ``state.game.position(state.text)`` is an equal state."""
        return msgspec.json.encode(_Written(self.position, self._turn, self._seed)).decode()

    def __str__(self) -> str:
        return self.position.show()

    def play(self, move: Move) -> None:
        """Play a legal move in place. Raises ReadOnlyError, InvalidMoveError and IllegalMoveError, and then leaves the state as it was."""
        if self.read_only:
            raise ReadOnlyError("a view shows a position, it is not played on: take view.sample() or state.copy()")
        if not isinstance(move, TextMove):
            raise InvalidMoveError(f"{move} is not a move of {self._game.name}")
        if not self.is_legal(move):
            raise IllegalMoveError(
                f"'{move}' is not legal here" if self.actor is not None else f"the game is over, so '{move}' comes too late"
            )
        chance = Chance(self._rng, self._script)
        self._turn += 1
        self._moves, self._script = None, ()
        self.position.play(move.text, chance)
        self.events, self._told = tuple(chance.events), chance.told

    def _rng(self) -> Random:
        if self._seed is None:
            raise PositionError("this position knows no seed, so nothing can be drawn in it: take view.sample()")
        return _random(self._seed, self._turn)

    def copy(self) -> SimpleState:
        """Return an independent state that goes on from here in the same way."""
        position = self._game.decode_copy(msgspec.msgpack.encode(self.position))
        other = SimpleState(self._game, position, self._seed, self._turn)
        other.events, other.read_only = self.events, self.read_only
        other._moves, other._told, other._script = self._moves, self._told, self._script
        return other

    def list_moves(self) -> Sequence[TextMove]:
        """Return all legal moves in the order of the rules; none when the game is over."""
        return [TextMove(each) for each in self._notations()]

    def is_legal(self, move: Move) -> bool:
        """Return whether the move may be played now."""
        return isinstance(move, TextMove) and move.text in self._notations()

    def count_moves(self) -> int:
        """Return how many legal moves there are."""
        return len(self._notations())

    def random_move(self, rng: Random) -> TextMove:
        """Return one legal move, each equally likely. Only for a game that is not over."""
        moves = self._notations()
        return TextMove(moves[rng.randrange(len(moves))])

    def _notations(self) -> Sequence[str]:
        if self._moves is None:
            self._moves = () if self.position.actor is None else self.position.moves()
        return self._moves

    def redact(self, seat: int) -> None:
        """Forget what the seat may not know: the seed, and what the rules hide."""
        self._seed = None
        self._told = {seat: self._told[seat]} if seat in self._told else {}
        self.position.hide(seat)
        self._moves = None

    def determinize(self, rng: Random) -> None:
        """Put something random, consistent with the rest, in the place of all that ``redact`` made it forget."""
        self._seed = rng.getrandbits(48)
        self._moves = None
        self.position.fill(Chance(lambda: rng))

    def tally(self) -> dict[str, tuple[int, ...]]:
        """Return what players keep an eye on: a name and one number for each seat."""
        counted: dict[str, tuple[Any, ...]] = {name: tuple(numbers) for name, numbers in self.position.tally().items()}
        return counted

    def observation(self, seat: int) -> Sequence[float] | None:
        """Return what the seat may know as numbers for an agent that learns; None if the rules leave that to a default."""
        return self.position.observation(seat)

    def events_for(self, seat: int) -> tuple[str, ...]:
        """Return the events of the last move that the seat is told (-1: whoever only looks on)."""
        return (*self.events, *self._told.get(seat, ()))

    def has_hidden_choice(self, seat: int) -> bool:
        """Return whether what the seat chose last is hidden from the other seats."""
        return self.position.has_hidden_choice(seat)

    def expect(self, events: Sequence[str]) -> None:
        """Arrange the dice of the next move so that it brings these events to light."""
        self._script = events


def _random(seed: int, turn: int) -> Random:
    return Random(int.from_bytes(blake2b(f"{seed} {turn}".encode(), digest_size=16).digest()))


def simple_game(
    rules: type[Position],
    name: str,
    *,
    title: str,
    players: tuple[int, int],
    rules_version: int = 1,
    options: Mapping[str, OptionRule] | None = None,
    summary: str = "",
    **parts: Part,
) -> GamePlugin:
    """Return the plug-in of a game.

    ``players`` are the least and the most seats. ``options`` has for each option its default and what it may be. ``parts`` are further
    fields of ``GamePlugin``, such as ``heuristic``. Raise ``rules_version`` whenever the same moves lead elsewhere than before.
    """
    known = dict(options or {})

    def make(given: Mapping[str, OptionValue]) -> Game:
        for option, value in given.items():
            if option not in known:
                raise OptionsError(f"{name} has no option {option!r:.60}; it has {', '.join(known) or 'none'}")
            default, allowed = known[option]
            if type(value) is not type(default) or value not in allowed:
                raise OptionsError(f"option '{option}' is {value!r:.60}; it may be {_said(allowed)}")
        return SimpleGame(name, rules, players, rules_version, {option: given.get(option, known[option][0]) for option in known})

    return GamePlugin(title=title, make=make, summary=summary, **parts)  # type: ignore[arg-type]  # fields of the record, by name


def _said(allowed: Container[Any]) -> str:
    if isinstance(allowed, range) and allowed.step == 1:
        return f"{allowed.start} to {allowed.stop - 1}"
    return ", ".join(map(str, allowed)) if isinstance(allowed, Sequence) else str(allowed)
