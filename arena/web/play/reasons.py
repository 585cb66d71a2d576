"""What a move does, and does that another one does not, in words for the person who chooses: from the traits of moves."""

from __future__ import annotations

import re
from collections.abc import Sequence

from arena.analysis.traits.base import Traits, rest_of, traits_of
from engine.core import Move, State
from engine.render.drawing import named
from engine.text import listed


def deeds_of(state: State, move: Move) -> str:
    """Return the habits of a legal move, such as ``filling a beach``; empty if the game has no words for them."""
    return _listed(traits_of(state, move).habits)


def difference(state: State, better: Move, other: Move, names: Sequence[str]) -> str:
    """Return what a move does instead of another one, such as ``filling a beach``; empty where the traits of the two don't differ."""
    best, rest = traits_of(state, better), traits_of(state, other)
    gained, missed = _without(best, rest), _without(rest, best)
    deed, instead = named(best.deed, names), named(rest.deed, names)
    if gained:
        return f"{gained} instead of {missed}" if missed else gained
    if missed:
        return f"{deed} instead of {missed}" if deed and deed != instead else f"not {missed}"
    return f"{deed} instead of {rest_of(deed, instead)}" if deed and instead and deed != instead else ""


def _without(traits: Traits, other: Traits) -> str:
    return _listed([habit for habit in traits.habits if habit not in other.habits])


def _listed(habits: Sequence[str]) -> str:
    """Return habits in words, with ``you`` for the player, who is ``it`` in them."""
    return re.sub(r"\bit\b", "you", re.sub(r"\bits\b", "your", listed(habits))) if habits else ""
