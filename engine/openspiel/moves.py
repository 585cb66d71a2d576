"""Moves of OpenSpiel's games, which are put into words only when somebody reads them."""

from __future__ import annotations

from typing import Any, final

from engine.core import Move
from engine.openspiel.notation import notations


@final
class SpielMove(Move):
    """A move that is its notation: given as a text, or as an action in a ``pyspiel.State`` that nobody changes any more."""

    __slots__ = ("_text", "action", "bare")

    def __init__(self, text: str | None, bare: Any = None, action: int = -1) -> None:
        self._text = text
        self.bare = bare
        self.action = action

    def __str__(self) -> str:
        if self._text is None:
            named = notations(self.bare, self.bare.legal_actions())
            self._text = next(text for text, action in named.items() if action == self.action)
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SpielMove) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[type[SpielMove], tuple[str]]:
        return SpielMove, (str(self),)

    def __repr__(self) -> str:
        return f"SpielMove({str(self)!r})"
