"""``View``: what one seat may know of a position."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from types import GenericAlias
from typing import TYPE_CHECKING, Final, Generic, SupportsIndex, final

from mypy_extensions import mypyc_attr
from typing_extensions import TypeVar

from engine.core.moves import LegalMoves, whole
from engine.core.outcome import Outcome
from engine.core.rng import usable

if TYPE_CHECKING:  # a state imports this module
    from engine.core.game import Game
    from engine.core.observer import News
    from engine.core.state import State

StateT_co = TypeVar("StateT_co", bound="State", covariant=True, default="State")


@final
@mypyc_attr(native_class=False)
class View(Generic[StateT_co]):
    """A seat's read-only knowledge of a position: everything except the seed, the order of the deck, and what others keep secret.

    ``position`` has all the queries of a state; to try moves, call ``sample``. ``history`` lists the decisions that led to the position, if
    they are known. Views are equal if their seats and positions are equal; their histories make no difference.
    """

    __slots__ = ("_history", "_known", "_length", "seat")

    def __init__(self, seat: SupportsIndex, known: StateT_co, history: Sequence[News] = ()) -> None:
        self.seat: Final = whole(seat)
        self._known = known
        self._history = history  # it may grow while the match goes on
        self._length = len(history)

    @classmethod
    def __class_getitem__(cls, item: object) -> GenericAlias:  # mypyc drops Generic, and annotations may be evaluated
        return GenericAlias(cls, item)

    @property
    def position(self) -> StateT_co:
        """The position as far as the seat knows it. Playing a move on it raises ReadOnlyError."""
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
    def history(self) -> tuple[News, ...]:
        """What the seat may know of each decision of the match so far, including forced decisions and its own decisions.

        A state doesn't store its past, so the views that ``State.view`` returns have an empty history; the views of matches, environments
        and ``Chronicle.view`` have a full one. The tuple is created on first use.
        """
        if not isinstance(self._history, tuple):
            self._history = tuple(self._history[: self._length])
        return self._history

    @property
    def legal_moves(self) -> LegalMoves:
        """The legal moves of the seat that has to decide."""
        return LegalMoves(self._known)

    @property
    def outcome(self) -> Outcome | None:
        """The outcome, or None while the game goes on."""
        return self._known.outcome

    @property
    def key(self) -> int:
        """A 64-bit hash of the seat and its knowledge; see ``State.key``. It does not depend on information hidden from the seat."""
        return hash((self.seat, self._known.key))

    def sample(self, rng: Random) -> StateT_co:
        """Return a full state that agrees with this view, with unknown information filled in at random. Moves can be played on it."""
        state = self._known.copy()
        state.read_only = False
        state.determinize(usable(rng))
        return state  # type: ignore[return-value]  # copy() returns the class that it was called on

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, View):
            return NotImplemented
        return self.seat == other.seat and self._known == other._known

    def __hash__(self) -> int:
        return self.key

    def __reduce__(self) -> tuple[type[View[StateT_co]], tuple[int, StateT_co, tuple[News, ...]]]:
        return View, (self.seat, self._known, self.history)

    def __repr__(self) -> str:
        return f"{self._known!r}.view({self.seat})"
