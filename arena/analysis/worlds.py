"""The positions (worlds) that a move could have led to with other draws and dice, for any game; hidden choices stay the same.

``possible_worlds`` returns all of them if they are few, or else a fair sample, so that their mean is the expectation over chance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import TypeAlias

from engine.core import Game, Move, State, World
from engine.registry import find_part, find_plugin

Worlds: TypeAlias = Callable[[State, Move, State, Mapping[int, Move], Random], list[World]]
"""The signature of ``worlds`` in a game's plug-in: like ``possible_worlds`` without ``samples``. A world keeps all that any seat knows."""


def possible_worlds(before: State, move: Move, after: State, chosen: Mapping[int, Move], rng: Random, samples: int) -> list[World]:
    """Return positions that the move could have led to with other chance events; none if the move leaves nothing to chance.

    ``after`` is the position that the move did lead to. It matters only whether anything was drawn, and in a game with its own ``worlds``,
    that must not depend on chance. ``chosen`` has the seats' secret choices that are still hidden. In other games, everything else that
    ``State.redact`` hides is sampled ``samples`` times. The samples are fair if it is future chance, such as dice or the order of a deck,
    which does not depend on the choices made so far (``is_luck_known``).
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
    """Return whether ``possible_worlds`` are fair: either luck is public when it happens, or the game lists its possible worlds.

    Otherwise, the moves of seats are evidence about the hands that are sampled, and the samples ignore it.
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
