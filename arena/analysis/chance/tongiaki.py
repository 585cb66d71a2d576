"""The possible outcomes of a move in Tongiaki: every tile that could be drawn first."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from engine.core import Move, State, World
from engine.tongiaki.board.tiles import NAMES
from engine.tongiaki.state import TongiakiState


def worlds(before: State, move: Move, after: State, chosen: Mapping[int, Move], rng: Random) -> list[World]:
    """Return a world for each tile that could have been drawn first, with the rest of the deck shuffled. Empty if no tile was drawn."""
    assert isinstance(before, TongiakiState), "a position of this game"
    if not any(event.startswith("draw ") for event in after.events):
        return []
    shuffled = before.copy()
    shuffled.determinize(rng)  # once: the order below the first tile is as likely as any other in each world
    possible = []
    for tile in sorted(before.deck):
        world = shuffled.copy()
        world.resolve([f"draw {NAMES[tile]}"])
        world.play(move)
        possible.append(World(1 / len(before.deck), world))
    return possible
