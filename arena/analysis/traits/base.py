"""The traits of a move: its effect in a few words, and features that it shares with other moves (``traits_of``)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from engine.core import Move, State
from engine.registry import find_part


@dataclass(frozen=True, slots=True)
class Traits:
    """The description of a move in a position. Seats appear in ``deed`` as ``seat 0``, and not in the other texts, in which the player is
    *it*.

    ``kind`` is what such moves are called (*landings*), ``deed`` what this one does (*landing on Oahu*), empty if there are no words for
    it. ``habits`` are features that moves of many matches share (*passing up a royal island*).
    """

    kind: str
    deed: str = ""
    habits: tuple[str, ...] = ()


Describe: TypeAlias = Callable[[State, Move], Traits]
"""What a game's plug-in offers: the traits of a legal move of a position, by what everybody can see of it."""


def traits_of(state: State, move: Move) -> Traits:
    """Return the traits of a legal move; in a game that offers none, only its kind: the first word of its notation."""
    describe: Describe | None = find_part(state.game.name, "traits")
    if describe is not None:
        return describe(state, move)
    word = str(move).partition(" ")[0]
    return Traits(f"'{word}' decisions" if word.isalpha() else "moves")


def rest_of(deed: str, other: str) -> str:
    """Return the other deed, without its first word if both begin with the same: *laying a cape* instead of *a cove*."""
    verb, _, rest = other.partition(" ")
    return rest if rest and deed.startswith(f"{verb} ") else other
