"""Moves of games whose notation has a meaning only in a position."""

from __future__ import annotations

from typing import Final, final

from engine.core import InvalidMoveError, Move

_LONGEST: Final = 200


@final
class TextMove(Move):
    """A move that is its notation."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text: Final = text

    @classmethod
    def parse(cls, text: str) -> TextMove:
        """Return the text as a move. Raises InvalidMoveError for what is not one printable line of at most 200 characters."""
        if not text or len(text) > _LONGEST or not text.isprintable():
            raise InvalidMoveError(f"{text!r:.60} is no move: a move is one printable line of at most {_LONGEST} characters")
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
