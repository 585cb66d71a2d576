"""One position of a game: its queries, and playing moves on it."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Sequence
from hashlib import blake2b
from random import Random
from typing import TYPE_CHECKING, SupportsIndex

from mypy_extensions import mypyc_attr

from engine.core.chance import ChanceOutcome
from engine.core.errors import PositionError
from engine.core.moves import LegalMoves, Move, whole
from engine.core.outcome import Outcome
from engine.core.rng import below
from engine.core.view import View

if TYPE_CHECKING:  # a game imports this module
    from engine.core.game import Game


@mypyc_attr(allow_interpreted_subclasses=True)
class State(metaclass=ABCMeta):
    """One position of a game: mutable and fast.

    ``events`` holds what the last move revealed besides itself (a drawn tile, rolled dice), in the order it happened, in
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

    @property
    def key(self) -> int:
        """A 64-bit hash of the position: equal positions have equal hashes, different positions almost certainly different ones.

        It covers everything in ``text``: the actor, the options, and, for a full state, the order of the deck or the coming dice
        (``View.key`` leaves out hidden information). Both games compute it in less than a microsecond when compiled, and it is the same in
        every process. This default hashes the text.
        """
        return int.from_bytes(blake2b(repr(self).encode(), digest_size=8).digest(), "big", signed=True)

    @abstractmethod
    def play(self, move: Move) -> None:
        """Play a legal move in place.

        Raises IllegalMoveError (the state stays as it was), InvalidMoveError for another game's move, and ReadOnlyError on a view's
        position.
        """

    @abstractmethod
    def copy(self) -> State:
        """An independent copy of the state, with the same future for the same moves."""

    @abstractmethod
    def list_moves(self) -> Sequence[Move]:
        """All legal moves in the order the rules fix; empty when the game is over."""

    @abstractmethod
    def is_legal(self, move: Move) -> bool:
        """Whether the move may be played now; does not list the moves."""

    @abstractmethod
    def redact(self, seat: int) -> None:
        """Remove everything that the seat may not know, so that states that differ only in hidden information become equal."""

    @abstractmethod
    def determinize(self, rng: Random) -> None:
        """Fill in, at random but consistently with the rest, everything that ``redact`` removed."""

    @abstractmethod
    def tally(self) -> dict[str, tuple[int, ...]]:
        """The figures that players watch (points so far, supply, ...): a name and one number for each seat."""

    def observation(self, seat: int) -> Sequence[float] | None:
        """What the seat may know as numbers for a learning agent, always the same number of them; None for a default encoding.

        It is computed from the position of the seat's view, so it has nothing that ``redact`` removes (docs/environments.md).
        """
        return None

    # Following a match from outside (engine.core.observer). A game with neither chance nor hidden choices keeps these as they are.

    def events_for(self, seat: int) -> tuple[str, ...]:
        """The events of the last move that the seat (-1: a spectator) may know: all of them, unless the game keeps some secret."""
        return self.events

    @property
    def opening(self) -> str:
        """The public part of this first position that follows from the seed, as taken by ``Game.follow``."""
        return ""

    def has_hidden_choice(self, seat: int) -> bool:
        """Whether what the seat chose last is hidden from the other seats for now."""
        return False

    def hide_choice(self) -> None:
        """Advance as if the seat that has to decide had made a hidden choice. Raises PositionError if the position has no hidden choice."""
        raise PositionError("nothing is chosen in secret here")

    def reveal_choice(self, seat: int, move: Move) -> None:
        """Replace a hidden choice with the one that was revealed. Raises PositionError if there is none."""
        raise PositionError(f"seat {seat} has chosen nothing in secret")

    # Chance

    def chance(self, move: Move, given: Sequence[str] = ()) -> Sequence[ChanceOutcome]:
        """The outcomes of the next chance event after this legal move and the ``given`` events; empty if chance decides nothing more.

        Only the seed and the order of a deck count as unknown: all samples of a view that differ in nothing else give the same answer. A
        hand that a sample was dealt counts as known. Outcomes that the rules don't distinguish are merged. Probabilities are above 0 and
        add up to 1. ``resolve`` forces outcomes, and ``worlds_after`` lists all positions that a move leads to.

        Raises what ``play`` raises, including ReadOnlyError on a view's position, and PositionError in a game that can't list its chance.
        """
        raise PositionError(f"{self.game!r} does not list what chance may do")

    def resolve(self, events: Sequence[str]) -> None:  # noqa: B027  # a game without chance has nothing to arrange
        """Force these chance events in the next move, in order; anything beyond them is decided as usual.

        They are outcomes of ``chance``, or all events of a move as a seat saw them. Play that move next. Raises PositionError, here or in
        ``play``, for events that contradict the position. Events that the move does not need may be ignored; ``chance(move, events)``
        raises PositionError for any that can't happen.
        """

    def count_moves(self) -> int:
        """How many legal moves there are."""
        return len(self.list_moves())

    def move_at(self, index: SupportsIndex) -> Move:
        """The legal move with this index in ``list_moves()``, without listing them where the game can do so. Raises IndexError."""
        return self.list_moves()[whole(index)]

    def random_move(self, rng: Random) -> Move:
        """One legal move, each equally likely, and the same one for equal positions and generators. Only for a game that is not over.

        By default it is the one that ``rng.randrange`` picks from the list.
        """
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
        """The legal moves, computed on demand."""
        return LegalMoves(self)

    def view(self, seat: SupportsIndex) -> View[State]:
        """What the seat may know now: a snapshot that later moves don't change."""
        number = whole(seat)
        known = self.copy()
        known.redact(number)
        known.read_only = True
        return View(number, known)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return self.game == other.game and self.text == other.text

    def __str__(self) -> str:
        """The position for people, in any number of lines, shown where a game has no drawings. By default its text."""
        return self.text

    def __repr__(self) -> str:
        return f"{self.game!r}.position({self.text!r})"

    __hash__ = None  # type: ignore[assignment]  # a state changes with every move

    def __reduce__(self) -> tuple[Callable[[Game, str, tuple[str, ...], bool], State], tuple[Game, str, tuple[str, ...], bool]]:
        return _restored, (self.game, self.text, self.events, self.read_only)


def _restored(game: Game, text: str, events: tuple[str, ...], read_only: bool) -> State:  # what a pickle holds
    state = game.position(text)
    state.events = events
    state.read_only = read_only
    return state


def playout(state: State, rng: Random) -> Outcome:
    """Play random moves on the state itself, each legal one equally likely, to the end of the game; return the outcome.

    Play on ``state.copy()`` to keep the state. Raises ReadOnlyError on a view's position.
    """
    return state.playout(rng)
