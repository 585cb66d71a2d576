"""What could have happened after a move: its positions over the draws and dice that were possible, for any game, hidden choices kept.

``possible_worlds`` is a fair sample of them, or all of them where they are few, so that their mean is the expectation over chance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import NamedTuple, TypeAlias

from engine.core import Move, State
from engine.registry import find_part


class World(NamedTuple):
    """A position that was possible, and its share of all of them; the shares of a sample add up to 1."""

    share: float
    state: State


Worlds: TypeAlias = Callable[[State, Move, State, Mapping[int, Move], Random], list[World]]
"""What a game's plug-in offers as ``worlds``: ``possible_worlds`` without a number of samples."""


def possible_worlds(before: State, move: Move, after: State, chosen: Mapping[int, Move], rng: Random, samples: int) -> list[World]:
    """Return positions that the move could have led to with other chance events; none if the move leaves nothing to chance.

    ``after`` is the position that it did lead to; of that it only matters whether anything was drawn, which must not be a matter of chance
    in a game that offers ``worlds`` of its own. ``chosen`` has the choices that seats have made in secret and that are still hidden. What
    ``State.redact`` hides besides them has to be chance to come, independent of what seats have chosen so far: the order of a deck, dice.
    Games without ``worlds`` have ``samples`` of them.
    """
    own: Worlds | None = find_part(before.game.name, "worlds")
    if own is not None:
        return own(before, move, after, chosen, rng)
    worlds = []
    for _ in range(samples):
        world = before.copy()
        forget(world, chosen)
        world.determinize(rng)
        world.play(move)
        worlds.append(World(1 / samples, world))
    return worlds


def forget(world: State, chosen: Mapping[int, Move]) -> None:
    """Forget the chance to come, but not what seats have chosen in secret."""
    actor = world.actor
    assert actor is not None, "a move was played here"
    world.redact(actor)
    for seat, choice in chosen.items():
        if seat != actor:
            world.reveal_choice(seat, choice)
