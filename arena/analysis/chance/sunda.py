"""What a move of Sunda to Sahul could have led to: every order of the seats that rolled for it, either end of a challenge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import permutations, product
from random import Random

from arena.analysis.worlds import World, forget
from engine.core import Move, State
from engine.sunda.rules.pots import Dice
from engine.sunda.state import SundaState


def worlds(before: State, move: Move, after: State, chosen: Mapping[int, Move], rng: Random) -> list[World]:
    """Return a world for each order of the seats that rolled for it, or for either end of a challenge; none if nobody rolled."""
    possible = []
    for share, event in _rolls(after.events):
        world = before.copy()
        forget(world, chosen)
        world.expect([event])
        world.play(move)
        _forget_dice(world, rng)
        possible.append(World(share, world))
    return possible


def _forget_dice(world: State, rng: Random) -> None:
    """Give the world dice for what comes after the rolls that were expected: continuations may roll again."""
    assert isinstance(world, SundaState), "this is a game of its own"
    position = world.inside
    position.dice = Dice(rng.getrandbits(62), after_deal=position.private)


def _rolls(events: Sequence[str]) -> Iterator[tuple[float, str]]:
    """Yield the chance of each result that dice could have had, with an event that has it; nothing if none were rolled."""
    for event in events:
        word, *rest = event.split(" ")
        if word == "order":
            seats = [each.split(":")[0] for each in rest]
            orders = list(permutations(range(1, len(seats) + 1)))
            for order in orders:  # every order is as likely, since the dice are alike
                yield 1 / len(orders), " ".join(["order", *(f"{seat}:{roll}" for seat, roll in zip(seats, order, strict=True))])
        elif word == "dice":
            mine, theirs = (len(side.split(" ")) for side in " ".join(rest).split("|"))
            won = _chance_of_challenger(mine, theirs)
            yield won, f"dice {' '.join(['6'] * mine)}|{' '.join(['1'] * theirs)}"
            yield 1 - won, f"dice {' '.join(['1'] * mine)}|{' '.join(['6'] * theirs)}"


@cache
def _chance_of_challenger(mine: int, theirs: int) -> float:
    """Return how often the highest of so many dice is not below the highest of the other's."""
    rolls = [max(own) >= max(other) for own, other in product(product(range(1, 7), repeat=mine), product(range(1, 7), repeat=theirs))]
    return sum(rolls) / len(rolls)
