"""``State``: a position of a game, which can be queried and on which moves are played."""

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
    """A position of a game. It is mutable: moves are played in place.

    ``events`` holds the events of the last move (a tile drawn, dice rolled) in the order in which they happened, in the game's notation.
    The lists that a state returns belong to it and must not be changed.
    """

    __slots__ = ("events", "players", "read_only")

    def __init__(self, players: int) -> None:
        self.players = players
        self.events: tuple[str, ...] = ()
        self.read_only = False

    @property
    @abstractmethod
    def game(self) -> Game:
        """The game, with its options, to which this position belongs."""

    @property
    @abstractmethod
    def actor(self) -> int | None:
        """The seat that has to decide, or None when the game is over."""

    @property
    @abstractmethod
    def outcome(self) -> Outcome | None:
        """The outcome, or None while the game goes on."""

    @property
    @abstractmethod
    def text(self) -> str:
        """The whole position as text: ``state.game.position(state.text)`` is an equal state."""

    @property
    def key(self) -> int:
        """A 64-bit hash of the position: equal positions have equal hashes, and different positions almost certainly don't.

        It covers everything in ``text``: the actor, the options and, for a full state, the order of the deck or the coming dice
        (``View.key`` leaves out hidden information). It is the same in every process. Both games that come with this program compute it in
        less than a microsecond when compiled; this default implementation hashes the text.
        """
        return int.from_bytes(blake2b(repr(self).encode(), digest_size=8).digest(), "big", signed=True)

    @abstractmethod
    def play(self, move: Move) -> None:
        """Play a legal move in place.

        Raises IllegalMoveError (the state is unchanged), InvalidMoveError for a move of a different game, and ReadOnlyError on a view's
        position.
        """

    @abstractmethod
    def copy(self) -> State:
        """Return an independent copy of the state; the same moves lead to the same positions in both."""

    @abstractmethod
    def list_moves(self) -> Sequence[Move]:
        """Return all legal moves in the order fixed by the rules; empty if the game is over."""

    @abstractmethod
    def is_legal(self, move: Move) -> bool:
        """Return whether the move may be played now, without listing the moves."""

    @abstractmethod
    def redact(self, seat: int) -> None:
        """Remove everything that the seat must not know, so that states that differ only in hidden information become equal."""

    @abstractmethod
    def determinize(self, rng: Random) -> None:
        """Fill in everything that ``redact`` removed, at random but consistently with the rest."""

    @abstractmethod
    def tally(self) -> dict[str, tuple[int, ...]]:
        """Return the figures that players watch (points so far, supply, ...): a dict from a figure's name to one number per seat."""

    def observation(self, seat: int) -> Sequence[float] | None:
        """Return what the seat may know, for a learning agent: a fixed-length list of numbers, or None to use a default encoding.

        It is computed from the position of the seat's view, so it contains nothing that ``redact`` removes (docs/environments.md).
        """
        return None

    # Hooks for following a match (engine.core.observer). A game without chance and hidden choices need not override them.

    def events_for(self, seat: int) -> tuple[str, ...]:
        """Return those of the last move's events that the seat (-1: a spectator) may know; by default, all of them."""
        return self.events

    @property
    def opening(self) -> str:
        """The public part of what the seed decided before the first move, in the form that ``Game.follow`` accepts."""
        return ""

    def has_hidden_choice(self, seat: int) -> bool:
        """Return whether the seat's last choice is still hidden from the other seats."""
        return False

    def hide_choice(self) -> None:
        """Advance as if the seat that has to decide had made a hidden choice. Raises PositionError if the choice would be open."""
        raise PositionError("the choice in this position is open, so it can't be hidden")

    def reveal_choice(self, seat: int, move: Move) -> None:
        """Replace the seat's hidden choice with the move that was revealed. Raises PositionError if the seat has no hidden choice."""
        raise PositionError(f"seat {seat} has no hidden choice")

    # Chance

    def chance(self, move: Move, given: Sequence[str] = ()) -> Sequence[ChanceOutcome]:
        """Return the outcomes of the next chance event after this legal move and the ``given`` events; empty if none follows.

        Only the seed and the order of a deck count as unknown: samples of a view that differ in nothing else have the same outcomes. A hand
        that was dealt in a sample counts as known. Outcomes that the rules don't distinguish are merged. Probabilities are above 0 and add
        up to 1. ``resolve`` forces outcomes, and ``worlds_after`` lists all positions that a move may lead to.

        Raises the errors of ``play``, including ReadOnlyError on a view's position, and PositionError if the game can't list its outcomes.
        """
        raise PositionError(f"{self.game!r} can't list its chance events")

    def resolve(self, events: Sequence[str]) -> None:  # noqa: B027  # a game without chance has nothing to force
        """Force these chance events, in order, in the next move; any further events are decided as usual.

        ``events`` are outcomes of ``chance``, or all events of a move as a seat saw them. The next move must be the one they belong to.
        Raises PositionError, here or in ``play``, for events that contradict the position. Events that the move doesn't need may be
        ignored here, but ``chance(move, events)`` raises PositionError for any event that can't happen.
        """

    def count_moves(self) -> int:
        """Return the number of legal moves."""
        return len(self.list_moves())

    def move_at(self, index: SupportsIndex) -> Move:
        """Return the legal move with this index in ``list_moves()``; many games find it without listing all moves. Raises IndexError."""
        return self.list_moves()[whole(index)]

    def random_move(self, rng: Random) -> Move:
        """Return a legal move drawn uniformly at random. The game must not be over.

        Equal positions and generators give the same move: by default, the one that ``rng.randrange`` picks from the list.
        """
        moves = self.list_moves()
        return moves[below(rng, len(moves))]

    def playout(self, rng: Random) -> Outcome:
        """Play moves from ``random_move`` in place to the end of the game, and return the outcome. Raises ReadOnlyError."""
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
        """Return what the seat may know now: a snapshot that later moves don't change."""
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
        """Return the position for people, in any number of lines; it is shown if the game has no drawings. By default, it is ``text``."""
        return self.text

    def __repr__(self) -> str:
        return f"{self.game!r}.position({self.text!r})"

    __hash__ = None  # type: ignore[assignment]  # a state changes with every move

    def __reduce__(self) -> tuple[Callable[[Game, str, tuple[str, ...], bool], State], tuple[Game, str, tuple[str, ...], bool]]:
        return _restored, (self.game, self.text, self.events, self.read_only)


def _restored(game: Game, text: str, events: tuple[str, ...], read_only: bool) -> State:  # restores a pickled state
    state = game.position(text)
    state.events = events
    state.read_only = read_only
    return state


def playout(state: State, rng: Random) -> Outcome:
    """Play legal moves drawn uniformly at random, on the state itself, until the game ends; return the outcome.

    To keep the state, pass ``state.copy()``. Raises ReadOnlyError on a view's position.
    """
    return state.playout(rng)
