"""What every game is made of: games, states, views, moves, outcomes, and the errors they raise. It knows no single game."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from random import Random
from typing import Final, Generic, TypeAlias, TypeVar, final

from mypy_extensions import mypyc_attr

OptionValue: TypeAlias = int | str | tuple[int, ...]
"""What an option of a game may hold; a replay writes a tuple as a JSON list."""


@mypyc_attr(native_class=False)
class EngineError(ValueError):
    """The root of everything the engine refuses; its text is one sentence for a person."""


@mypyc_attr(native_class=False)
class InvalidMoveError(EngineError):
    """A text (or an object) that is no move of this game at all."""


@mypyc_attr(native_class=False)
class IllegalMoveError(EngineError):
    """A well-formed move that is not legal in the position; the state is as it was."""


@mypyc_attr(native_class=False)
class OptionsError(EngineError):
    """An unknown option, a value out of range, options that contradict, or a seat count the game does not allow."""


@mypyc_attr(native_class=False)
class PositionError(EngineError):
    """A position text that cannot be read or describes no position of the game."""


@mypyc_attr(native_class=False)
class ReadOnlyError(EngineError):
    """A move was played on what a view shows; play on ``view.sample(rng)`` or on a copy of that instead."""


@mypyc_attr(allow_interpreted_subclasses=True, acyclic=True)
class Move(metaclass=ABCMeta):
    """One decision: an immutable, hashable value whose ``str`` is the notation of the game's rules."""

    __slots__ = ()

    @abstractmethod
    def __str__(self) -> str: ...

    @abstractmethod
    def __eq__(self, other: object) -> bool: ...

    @abstractmethod
    def __hash__(self) -> int: ...

    def __repr__(self) -> str:
        return f"<{self}>"


@final
class Outcome:
    """How a game ended.

    ``scores`` and ``ranks`` have one entry for each seat; ranks are 1-based and tied seats share the better one;
    ``ending`` says why the game was over. An outcome knows nothing of forfeits: see ``engine.records.ranks_after``.
    """

    __slots__ = ("ending", "ranks", "scores")

    def __init__(self, scores: tuple[int, ...], ranks: tuple[int, ...], ending: StrEnum) -> None:
        self.scores: Final = scores
        self.ranks: Final = ranks
        self.ending: Final = ending

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Outcome):
            return NotImplemented
        return (self.scores, self.ranks, self.ending) == (other.scores, other.ranks, other.ending)

    def __hash__(self) -> int:
        return hash((self.scores, self.ranks, self.ending))

    def __reduce__(self) -> tuple[type[Outcome], tuple[tuple[int, ...], tuple[int, ...], StrEnum]]:
        return Outcome, (self.scores, self.ranks, self.ending)

    def __repr__(self) -> str:
        return f"Outcome(scores={self.scores}, ranks={self.ranks}, ending={self.ending.value!r})"


@final
class LegalMoves:
    """The legal moves of a state, in the order the rules fix: ask only for what you need.

    ``bool`` and ``in`` never list the moves; ``len`` and ``random`` list them only where the game has no faster way. It is bound
    to its state: once a move is played it speaks of the new position.
    """

    __slots__ = ("_state",)

    def __init__(self, state: State) -> None:
        self._state = state

    def __bool__(self) -> bool:
        return self._state.actor is not None

    def __len__(self) -> int:
        return self._state.count_moves()

    def __contains__(self, move: object) -> bool:
        return isinstance(move, Move) and self._state.is_legal(move)

    def __iter__(self) -> Iterator[Move]:
        return iter(self._state.list_moves())

    def __getitem__(self, index: int) -> Move:
        return self._state.list_moves()[index]

    def random(self, rng: Random) -> Move:
        """One legal move, each equally likely."""
        return self._state.random_move(rng)

    def __repr__(self) -> str:
        return f"LegalMoves({', '.join(str(move) for move in self)})"


@mypyc_attr(allow_interpreted_subclasses=True)
class State(metaclass=ABCMeta):
    """One position of a game: mutable and fast.

    ``events`` holds what the last move brought to light besides itself (a drawn tile, rolled dice), in the order it happened, in
    the words of the game's notation. Lists handed out by a state belong to it: read them, don't change them.
    """

    __slots__ = ("events", "players", "read_only")

    def __init__(self, players: int) -> None:
        self.players = players
        self.events: tuple[str, ...] = ()
        self.read_only = False

    @property
    @abstractmethod
    def game(self) -> Game:
        """The game, with its options, that this is a position of."""

    @property
    @abstractmethod
    def actor(self) -> int | None:
        """The seat that has to decide, or None when the game is over."""

    @property
    @abstractmethod
    def outcome(self) -> Outcome | None:
        """None while the game goes on."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The whole position as text: ``state.game.position(state.text)`` is an equal state."""

    @abstractmethod
    def play(self, move: Move) -> None:
        """Play a legal move in place.

        Raises IllegalMoveError (the state stays as it was), InvalidMoveError for another game's move, and ReadOnlyError on what a
        view shows.
        """

    @abstractmethod
    def copy(self) -> State:
        """An independent state that goes on from here in the same way."""

    @abstractmethod
    def list_moves(self) -> Sequence[Move]:
        """All legal moves in the order the rules fix; empty when the game is over."""

    @abstractmethod
    def is_legal(self, move: Move) -> bool:
        """Whether the move may be played now; does not list the moves."""

    @abstractmethod
    def redact(self, seat: int) -> None:
        """Forget what the seat may not know, so that states which differ only in that become equal."""

    @abstractmethod
    def determinize(self, rng: Random) -> None:
        """Put something random, consistent with the rest, in the place of all that ``redact`` made it forget."""

    @abstractmethod
    def tally(self) -> dict[str, tuple[int, ...]]:
        """What players keep an eye on (points so far, supply, ...): a name and one number for each seat."""

    # Following a match from outside (engine.replay.observer). A game with neither chance nor hidden choices keeps these as they are.

    @property
    def opening(self) -> str:
        """What in this first position follows from the seed and is open to all; ``Game.follow`` takes it."""
        return ""

    def has_hidden_choice(self, seat: int) -> bool:
        """Whether what the seat chose last is hidden from the other seats for now."""
        return False

    def hide_choice(self) -> None:
        """Go on as if the seat that has to decide had chosen something hidden. Raises PositionError where nothing is chosen so."""
        raise PositionError("nothing is chosen in secret here")

    def reveal_choice(self, seat: int, move: Move) -> None:
        """Put a choice that has come to light in the place of a hidden one. Raises PositionError if there is none."""
        raise PositionError(f"seat {seat} has chosen nothing in secret")

    def expect(self, events: Sequence[str]) -> None:  # noqa: B027  # most games have nothing to arrange
        """Arrange chance so that the next move brings these events to light. Raises PositionError for what can't happen."""

    def count_moves(self) -> int:
        """How many legal moves there are."""
        return len(self.list_moves())

    def random_move(self, rng: Random) -> Move:
        """One legal move, each equally likely: the one that ``rng.randrange`` picks of the list. Only for a game that is not over."""
        moves = self.list_moves()
        return moves[below(rng, len(moves))]

    def playout(self, rng: Random) -> Outcome:
        """Play random moves in place to the end of the game, as ``random_move`` and ``play`` would; raises ReadOnlyError."""
        while self.actor is not None:
            self.play(self.random_move(rng))
        outcome = self.outcome
        assert outcome is not None, "a game that is over has an outcome"
        return outcome

    @property
    def legal_moves(self) -> LegalMoves:
        """The legal moves, found as far as they are asked for."""
        return LegalMoves(self)

    def view(self, seat: int) -> View[State]:
        """What the seat may know now: a snapshot that later moves don't change."""
        known = self.copy()
        known.redact(seat)
        known.read_only = True
        return View(seat, known)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self.game == other.game and self.text == other.text

    __hash__ = None  # type: ignore[assignment]  # a state changes with every move

    def __reduce__(self) -> tuple[Callable[[Game, str, tuple[str, ...], bool], State], tuple[Game, str, tuple[str, ...], bool]]:
        return _restored, (self.game, self.text, self.events, self.read_only)


def _restored(game: Game, text: str, events: tuple[str, ...], read_only: bool) -> State:  # what a pickle holds
    state = game.position(text)
    state.events = events
    state.read_only = read_only
    return state


StateT_co = TypeVar("StateT_co", bound=State, covariant=True)


@final
@mypyc_attr(native_class=False)
class View(Generic[StateT_co]):
    """What one seat may know of a position, read-only: everything but the seed, the order of the deck, and what others hide.

    ``position`` answers every question a state answers; to try moves, take ``sample``.
    """

    __slots__ = ("_known", "seat")

    def __init__(self, seat: int, known: StateT_co) -> None:
        self.seat: Final = seat
        self._known = known

    @property
    def position(self) -> StateT_co:
        """The position as far as it is known; it refuses to be played on."""
        return self._known

    @property
    def game(self) -> Game:
        """The game, with its options."""
        return self._known.game

    @property
    def players(self) -> int:
        """The number of seats."""
        return self._known.players

    @property
    def actor(self) -> int | None:
        """The seat that has to decide, or None when the game is over."""
        return self._known.actor

    @property
    def legal_moves(self) -> LegalMoves:
        """The legal moves of the seat that has to decide."""
        return LegalMoves(self._known)

    @property
    def outcome(self) -> Outcome | None:
        """None while the game goes on."""
        return self._known.outcome

    def sample(self, rng: Random) -> StateT_co:
        """A full state that agrees with all this view shows, the unknown filled in at random: play on it as you like."""
        state = self._known.copy()
        state.read_only = False
        state.determinize(rng)
        return state  # type: ignore[return-value]  # copy() gives the very class it was called on

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, View):
            return NotImplemented
        return self.seat == other.seat and self._known == other._known

    def __hash__(self) -> int:
        return hash((self.seat, self._known.text))

    def __reduce__(self) -> tuple[type[View[StateT_co]], tuple[int, StateT_co]]:
        return View, (self.seat, self._known)

    def __repr__(self) -> str:
        return f"<view of seat {self.seat} on\n{self._known.text}>"


@mypyc_attr(allow_interpreted_subclasses=True)
class Game(metaclass=ABCMeta):
    """The facts of a game with one set of options; it makes states. Equal games have equal names and options."""

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
        return f"<{self.name} {dict(self.options)}>"


def below(rng: Random, count: int) -> int:
    """The integer that ``rng.randrange(count)`` gives, in less time: from 0, less than ``count``, which is positive."""
    bits = count.bit_length()
    drawn = rng.getrandbits(bits)
    while drawn >= count:
        drawn = rng.getrandbits(bits)
    return drawn


def shuffle(rng: Random, items: list[int]) -> None:
    """Shuffle as ``rng.shuffle(items)`` does, in less time."""
    for index in range(len(items) - 1, 0, -1):
        other = below(rng, index + 1)
        items[index], items[other] = items[other], items[index]


def playout(state: State, rng: Random) -> Outcome:
    """Play random moves on the state itself, each legal one equally likely, to the end of the game; give its outcome.

    Play on ``state.copy()`` to keep the state. Raises ReadOnlyError on what a view shows.
    """
    return state.playout(rng)


def shared_ranks(keys: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The 1-based rank of each key, the largest first; equal keys share the better rank (1, 2, 2, 4)."""
    ordered = sorted(keys, reverse=True)
    return tuple(ordered.index(key) + 1 for key in keys)
