"""What could have happened after a move: its positions over the draws and dice that were possible, for any game, hidden choices kept.

``possible_worlds`` is a fair sample of them, or all of them where they are few, so that their mean is the expectation over chance. What
chance can do is what ``State.chance`` lists.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import ceil
from random import Random
from typing import TypeAlias

from engine.core import Game, Move, PositionError, State, World, worlds_after
from engine.registry import find_part, find_plugin

Worlds: TypeAlias = Callable[[State, Move, State, Mapping[int, Move], Random], list[World]]
"""What a game's plug-in offers as ``worlds``: ``possible_worlds`` without a number of samples. They keep all that any seat knows."""


def possible_worlds(before: State, move: Move, after: State, chosen: Mapping[int, Move], rng: Random, samples: int) -> list[World]:
    """Return positions that the move could have led to with other chance events; none if the move leaves nothing to chance.

    ``after`` is the position that it did lead to; of that it only matters whether anything was drawn, which must not be a matter of chance
    in a game that offers ``worlds`` of its own. ``chosen`` has the choices that seats have made in secret and that are still hidden. Games
    without ``worlds`` have about ``samples``: what ``State.redact`` hides is sampled, and with each sample there is every result of the
    chance that the game lists, if those are no more than ``samples``, or one. These are fair where what is hidden is chance to come,
    independent of what seats have chosen so far, such as the order of a deck and dice (``is_luck_known``).
    """
    own: Worlds | None = find_part(before.game.name, "worlds")
    if own is not None:
        return own(before, move, after, chosen, rng)
    first = _worlds_of(_sampled(before, chosen, rng), move, samples)
    sampled = [first]
    for _ in range(ceil(samples / len(first)) - 1):
        world = _sampled(before, chosen, rng)
        sampled.append(_worlds_of(world, move, samples) if len(first) > 1 else [_played(world, move)])
    return [World(share / len(sampled), state) for worlds in sampled for share, state in worlds]


def worlds_of_first_event(before: State, move: Move, after: State, chosen: Mapping[int, Move], rng: Random) -> list[World]:
    """Return a world for each result of what chance decides first after the move, with one sample of all the rest.

    This is the ``worlds`` of games that announce what chance decides, if nothing but chance to come and choices of the moment is hidden.
    """
    if not after.events:
        return []
    sample = _sampled(before, chosen, rng)  # once: what comes later is as likely as anything else in each world
    possible = []
    for event, probability in sample.chance(move):
        world = sample.copy()
        world.resolve([event])
        possible.append(World(probability, _played(world, move).state))
    return possible


def _sampled(before: State, chosen: Mapping[int, Move], rng: Random) -> State:
    world = before.copy()
    forget(world, chosen)
    world.determinize(rng)
    return world


def _worlds_of(world: State, move: Move, most: int) -> list[World]:
    """Return all worlds that chance can make of a sample, if the game lists them and they are not too many, or else one of them."""
    try:
        return worlds_after(world, move, most)
    except PositionError:
        return [_played(world, move)]


def _played(world: State, move: Move) -> World:
    world.play(move)
    return World(1.0, world)


def is_luck_known(game: Game) -> bool:
    """Return whether ``possible_worlds`` are fair: whether luck is public when it happens, or the game says what it could have been.

    Elsewhere what seats have played tells something about the hands that are sampled, and the samples don't know that.
    """
    said = find_part(game.name, "public_luck")
    return bool(said(game) if callable(said) else said) or find_plugin(game.name).worlds is not None


def forget(world: State, chosen: Mapping[int, Move]) -> None:
    """Forget the chance to come, but not what seats have chosen in secret."""
    actor = world.actor
    assert actor is not None, "a move was played here"
    world.redact(actor)
    for seat, choice in chosen.items():
        if seat != actor:
            world.reveal_choice(seat, choice)
