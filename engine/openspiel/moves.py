"""Turns OpenSpiel's names for actions into notations: one printable line each, and all different."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

_LONGEST: Final = 160


def one_line(text: str) -> str:
    """Return the text as one line, with unprintable characters replaced, cut to the maximum length of a notation."""
    line = " ".join(text.split())
    if not line.isprintable():
        line = "".join(each if each.isprintable() else "?" for each in line)
    return line[:_LONGEST]


def notations(bare: Any, actions: Sequence[int]) -> dict[str, int]:
    """Return the actions of a ``pyspiel.State`` by notation. Actions with the same name get their numbers added (``Pass #3``)."""
    seat = bare.current_player()
    texts = [one_line(bare.action_to_string(seat, action)) for action in actions]
    named = dict(zip(texts, actions, strict=True))
    if len(named) == len(actions) and "" not in named:
        return named
    counts: dict[str, int] = {}
    for text in texts:
        counts[text] = counts.get(text, 0) + 1
    labels = [f"{text} #{action}".strip() if counts[text] > 1 or not text else text for text, action in zip(texts, actions, strict=True)]
    if len(set(labels)) < len(labels):  # one action's name equals a different action's name with its number
        labels = [f"{text} #{action}".strip() for text, action in zip(texts, actions, strict=True)]
    return dict(zip(labels, actions, strict=True))
