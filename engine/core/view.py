"""What one seat may know of a position."""

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
    """A seat's read-only knowledge of a position: everything except the seed, the order of the deck, and information hidden by others.

    ``position`` answers every question a state answers; to try moves, take ``sample``. ``history`` has the decisions that led to it, if
    known. Views are equal if their seats and positions are; the history makes no difference.
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
    def history(self) -> tuple[News, ...]:
        """Every decision of the match so far, from the first on, as the seat may know it: forced ones and its own included.

        A state does not store its past, so a view made by ``State.view`` has an empty history; a match, an environment and
        ``Chronicle.view`` make views that have one. It is made on first use.
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
        """None while the game goes on."""
        return self._known.outcome

    @property
    def key(self) -> int:
        """A 64-bit hash of the seat and its knowledge; see ``State.key``. It does not depend on information hidden from the seat."""
        return hash((self.seat, self._known.key))

    def sample(self, rng: Random) -> StateT_co:
        """A full state that agrees with this view, with unknown information filled in at random. It may be played on freely."""
        state = self._known.copy()
        state.read_only = False
        state.determinize(usable(rng))
        return state  # type: ignore[return-value]  # copy() gives the very class it was called on

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
