"""The worlds of a move: the positions that it could have led to with other draws or dice. Hidden choices stay the same.

``possible_worlds`` returns all worlds if the game lists them, and else a random sample, so that their mean is the expectation over chance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import TypeAlias

from engine.core import Game, Move, State, World
from engine.registry import find_part, find_plugin

Worlds: TypeAlias = Callable[[State, Move, State, Mapping[int, Move], Random], list[World]]
"""``worlds`` in a plug-in: called like ``possible_worlds`` but without ``samples``. Each world must agree with all that seats know."""


def possible_worlds(before: State, move: Move, after: State, chosen: Mapping[int, Move], rng: Random, samples: int) -> list[World]:
    """Return the positions that ``move`` could have led to from ``before``, with their probabilities; ``after`` is the actual one.

    ``chosen`` has the secret choices that are still hidden, by seat; they stay the same. If the game's plug-in has ``worlds``, it lists the
    positions, or none if nothing was drawn; a move must draw in all possible worlds or in none. In other games, all that
    ``State.redact`` hides, except ``chosen``, is sampled ``samples`` times. These samples are fair (``is_luck_known``) if they redraw
    only future chance, such as dice or the order of a deck: earlier moves can't depend on that.
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
    """Return whether ``possible_worlds`` is fair: in this game, all luck is public at once, or worlds are listed instead of sampled.

    Otherwise, seats may have secret hands. Their moves reveal something about these hands, but samples ignore that.
    """
    said = find_part(game.name, "public_luck")
    return bool(said(game) if callable(said) else said) or find_plugin(game.name).worlds is not None


def forget(world: State, chosen: Mapping[int, Move]) -> None:
    """Hide what the seat to move must not know, such as future chance, but not the secret choices in ``chosen`` (by seat)."""
    actor = world.actor
    assert actor is not None, "a move was played here"
    world.redact(actor)
    for seat, choice in chosen.items():
        if seat != actor:
            world.reveal_choice(seat, choice)
