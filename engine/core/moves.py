"""Moves, and the legal ones of a state."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Iterator
from random import Random
from typing import TYPE_CHECKING, final

from mypy_extensions import mypyc_attr

if TYPE_CHECKING:  # a state imports this module
    from engine.core.state import State


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
class LegalMoves:
    """The legal moves of a state in the order fixed by the rules, a sequence that computes only what is needed.

    ``bool`` and ``in`` never list the moves; ``len`` and ``random`` list them only where the game has no faster way. The sequence follows
    its state: after a move it has the legal moves of the new position.
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
        """Return one legal move, each equally likely."""
        return self._state.random_move(rng)

    def __repr__(self) -> str:
        return f"<legal moves: {', '.join(str(move) for move in self) or 'none'}>"
