"""The possible positions after a move over all draws and dice, for any game, with hidden choices kept.

``possible_worlds`` is a fair sample of them, or all of them where they are few, so that their mean is the expectation over chance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import TypeAlias

from engine.core import Game, Move, State, World
from engine.registry import find_part, find_plugin

Worlds: TypeAlias = Callable[[State, Move, State, Mapping[int, Move], Random], list[World]]
"""The signature of ``worlds`` in a game's plug-in: ``possible_worlds`` without a number of samples. Worlds keep all that any seat knows."""


def possible_worlds(before: State, move: Move, after: State, chosen: Mapping[int, Move], rng: Random, samples: int) -> list[World]:
    """Return positions that the move could have led to with other chance events; none if the move leaves nothing to chance.

    ``after`` is the position that it did lead to; of that it only matters whether anything was drawn, which must not be a matter of chance
    in a game that offers ``worlds`` of its own. ``chosen`` has the choices that seats have made in secret and that are still hidden. Games
    without ``worlds`` get ``samples`` samples of whatever else ``State.redact`` hides. These are fair where that is future chance,
    independent of what seats have chosen so far, such as the order of a deck and dice (``is_luck_known``).
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


def is_luck_known(game: Game) -> bool:
    """Return whether ``possible_worlds`` are fair: whether luck is public when it happens, or the game says what it could have been.

    Elsewhere the moves of seats are evidence about the hands that are sampled, which the samples ignore.
    """
    said = find_part(game.name, "public_luck")
    return bool(said(game) if callable(said) else said) or find_plugin(game.name).worlds is not None


def forget(world: State, chosen: Mapping[int, Move]) -> None:
    """Redraw future chance events, but keep what seats have chosen in secret."""
    actor = world.actor
    assert actor is not None, "a move was played here"
    world.redact(actor)
    for seat, choice in chosen.items():
        if seat != actor:
            world.reveal_choice(seat, choice)
