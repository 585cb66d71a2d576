"""Moves of OpenSpiel's games: its words for actions, made notations of one printable line each, no two alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

from engine.core import Move

_LONGEST: Final = 160


def one_line(text: str) -> str:
    """Return the text on one line, without characters that can't be printed, and no longer than a notation may be."""
    line = " ".join(text.split())
    if not line.isprintable():
        line = "".join(each if each.isprintable() else "?" for each in line)
    return line[:_LONGEST]


def _are_lines(texts: Sequence[str]) -> bool:
    """Return whether ``one_line`` would leave all texts unchanged, by a quick check of all together; False in doubt."""
    joined = "|".join(texts)
    gaps = "  " in joined or " |" in joined or "| " in joined or joined[:1] == " " or joined[-1:] == " "
    return joined.isprintable() and not gaps and max(map(len, texts), default=0) <= _LONGEST


def notations(bare: Any, actions: Sequence[int]) -> dict[str, int]:
    """Return the actions of a ``pyspiel.State`` by notation, in order; equal notations get the action's number, ``Pass #3``."""
    seat = bare.current_player()
    words = bare.action_to_string
    texts = [words(seat, action) for action in actions]
    if not _are_lines(texts):
        texts = [one_line(text) for text in texts]
    named = dict(zip(texts, actions, strict=True))
    if len(named) == len(actions) and "" not in named:
        return named
    counts: dict[str, int] = {}
    for text in texts:
        counts[text] = counts.get(text, 0) + 1
    labels = [f"{text} #{action}".strip() if counts[text] > 1 or not text else text for text, action in zip(texts, actions, strict=True)]
    if len(set(labels)) < len(labels):  # one action's words are another's with a number
        labels = [f"{text} #{action}".strip() for text, action in zip(texts, actions, strict=True)]
    return dict(zip(labels, actions, strict=True))


@final
class SpielMove(Move):
    """A move identified by its notation, given as a text, or as an action in a ``pyspiel.State`` that no longer changes.

    The notation of an action is computed on first use.
    """

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
