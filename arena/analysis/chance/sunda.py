"""The possible results of the dice in a move of Sunda to Sahul: every order of the seats that rolled, or winning and losing a challenge."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from arena.analysis.worlds import forget
from engine.core import Move, State, World
from engine.sunda.rules.challenges import possible_rolls
from engine.sunda.rules.pots import Dice
from engine.sunda.state import SundaState


def worlds(before: State, move: Move, after: State, chosen: Mapping[int, Move], rng: Random) -> list[World]:
    """Return a world (a possible position) for each result that the roll of dice could have had; an empty list if nobody rolled."""
    possible = []
    for event, share in possible_rolls(after.events):
        world = before.copy()
        forget(world, chosen)
        world.resolve([event])
        world.play(move)
        _forget_dice(world, rng)
        possible.append(World(share, world))
    return possible


def _forget_dice(world: State, rng: Random) -> None:
    """Set random dice for rolls that are not expected yet, since a continuation may roll again."""
    assert isinstance(world, SundaState), "this is a separate game"
    position = world.inside
    position.dice = Dice(rng.getrandbits(62), after_deal=position.private)
