"""What a move has in common with moves of many matches, in a few words: *passing up a royal island* (``traits_of``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from engine.core import Move, State
from engine.registry import find_part

Describe: TypeAlias = Callable[[State, Move], list[str]]
"""What a game's plug-in offers: the traits of a legal move of a position, by what everybody can see of it; the player is *it*."""


def traits_of(state: State, move: Move) -> list[str]:
    """Return the traits of a legal move; none in a game that offers none."""
    describe: Describe | None = find_part(state.game.name, "traits")
    return [] if describe is None else describe(state, move)
