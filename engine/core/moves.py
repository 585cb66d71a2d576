"""Moves, and the sequence of a state's legal moves."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Iterator, Sequence
from operator import index as exactly
from random import Random
from typing import TYPE_CHECKING, Any, Final, SupportsIndex, final, overload

from mypy_extensions import mypyc_attr

from engine.core.errors import InvalidMoveError
from engine.core.rng import usable

if TYPE_CHECKING:  # a state imports this module
    from engine.core.state import State


_LONGEST_TEXT: Final = 200


def whole(number: SupportsIndex) -> int:
    """Return the number as a Python int, so that compiled code, like plain code, accepts integers such as NumPy's."""
    return number if isinstance(number, int) else exactly(number)


@mypyc_attr(allow_interpreted_subclasses=True, acyclic=True)
class Move(metaclass=ABCMeta):
    """A move: an immutable, hashable value whose ``str`` is the notation defined by the game's rules."""

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
class TextMove(Move):
    """A move stored as its notation, for games whose notation can only be interpreted in the context of a position."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text: Final = text

    @classmethod
    def parse(cls, text: str) -> TextMove:
        """Return the text as a move. Raises InvalidMoveError unless it is one printable line of at most 200 characters."""
        if not text or len(text) > _LONGEST_TEXT or not text.isprintable():
            raise InvalidMoveError(f"{text!r:.60} is not a move: a move must be one printable line of at most {_LONGEST_TEXT} characters")
        return cls(text)

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
class LegalMoves:
    """The legal moves of a state, in the order fixed by the rules: a sequence that computes only what is needed.

    ``bool`` and ``in`` never list the moves; ``len`` and ``random`` list them only if the game has no faster way. The sequence follows its
    state: after a move, it contains the legal moves of the new position.
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

    @overload
    def __getitem__(self, index: SupportsIndex) -> Move: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Move]: ...

    def __getitem__(self, index: Any) -> Any:
        return self._state.list_moves()[index]

    def __reversed__(self) -> Iterator[Move]:
        return reversed(self._state.list_moves())

    def __array__(self, dtype: object = None, copy: object = None) -> object:  # without it, NumPy can't convert the compiled class
        import numpy  # noqa: PLC0415  # only a program that has numpy calls this

        return numpy.fromiter(self, object, len(self))

    def index(self, move: object) -> int:
        """Return the index of the move. Raises ValueError if it is not legal."""
        return list(self).index(move)  # type: ignore[arg-type]  # anything may be looked for

    def count(self, move: object) -> int:
        """Return 1 if the move is legal, else 0."""
        return int(move in self)

    def random(self, rng: Random) -> Move:
        """Return a legal move drawn uniformly at random."""
        return self._state.random_move(usable(rng))

    def __repr__(self) -> str:
        return f"<legal moves: {', '.join(str(move) for move in self) or 'none'}>"


Sequence.register(LegalMoves)  # so that random.sample accepts it; a compiled class can't derive from Sequence
