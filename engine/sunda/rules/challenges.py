"""The dice for challenges and for the order in a tick (RULES 5 and 7). ``rules.pots`` generates the rolls; ``rules.apply`` uses them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations, product
from typing import Final

from engine.core import ChanceOutcome, PositionError
from engine.sunda.position import Position

_DIE: Final = range(1, 7)


def _roll(p: Position) -> int:
    assert p.dice is not None, "moves can't be played in a position with hidden dice"
    p.rolled += 1
    return p.dice.roll(p.rolled - 1)


def dice_of(size: int, other: int) -> int:
    """Return how many dice a tribe of ``size`` tokens rolls against a tribe of ``other`` tokens."""
    return min(3, max(1, size - other))


def challenger_wins(mine: list[int], theirs: list[int]) -> bool:
    """Return whether the challenger wins: the highest single die decides, and the challenger wins ties."""
    return max(mine) >= max(theirs)


@lru_cache(maxsize=16)
def chance_of_challenger(mine: int, theirs: int) -> float:
    """Return the probability that a challenger with ``mine`` dice wins against ``theirs`` dice."""
    rolls = [challenger_wins(list(own), list(other)) for own, other in product(product(_DIE, repeat=mine), product(_DIE, repeat=theirs))]
    return sum(rolls) / len(rolls)


def possible_rolls(events: Sequence[str]) -> Sequence[ChanceOutcome]:
    """Return how the dice in these events could have fallen: for a challenge, one win and one defeat. Without dice, return nothing."""
    for event in events:
        word, *rest = event.split(" ")
        if word == "order":
            seats = [each.split(":")[0] for each in rest]
            orders = list(permutations(range(1, len(seats) + 1)))  # all equally likely, since the dice are alike
            words = [" ".join([f"{seat}:{roll}" for seat, roll in zip(seats, order, strict=True)]) for order in orders]
            return [ChanceOutcome(f"order {each}", 1 / len(orders)) for each in words]
        if word == "dice":
            mine, theirs = [len(side.split(" ")) for side in " ".join(rest).split("|")]
            won = chance_of_challenger(mine, theirs)
            ends = (("6", "1", won), ("1", "6", 1 - won))
            return [ChanceOutcome(f"dice {' '.join([own] * mine)}|{' '.join([other] * theirs)}", share) for own, other, share in ends]
    return ()


def roll_challenge(p: Position, own: int, other: int) -> tuple[list[int], list[int]]:
    """Roll and return the dice of a challenge between tribes of these sizes, the challenger's first."""
    mine = [_roll(p) for _ in range(dice_of(own, other))]
    return mine, [_roll(p) for _ in range(dice_of(other, own))]


def roll_order(p: Position, seats: list[int]) -> dict[int, list[int]]:
    """Roll for the order and return each seat's rolls: one each, then one more for each tied seat, in seat order, until no ties remain."""
    rolls: dict[int, list[int]] = {seat: [] for seat in seats}
    level = seats
    while level:
        for seat in level:
            rolls[seat].append(_roll(p))
        level = [seat for seat in seats if sum(rolls[other] == rolls[seat] for other in seats) > 1]
    return rolls


def read_rolls(events: Sequence[str]) -> list[int]:
    """Return the rolls that events report, in the order in which they were made. Raises PositionError for an event without dice."""
    rolls: list[int] = []
    for event in events:
        word, *rest = event.split(" ")
        try:
            if word == "dice":
                dice = [int(roll) for roll in " ".join(rest).replace("|", " ").split(" ")]
                if min(dice) < 1 or max(dice) > 6:
                    raise ValueError
                rolls += dice
            elif word == "order":
                by_seat = [[int(roll) for roll in seat.split(":")[1].split("/")] for seat in rest]
                rolls += [seat[turn] for turn in range(max(map(len, by_seat))) for seat in by_seat if turn < len(seat)]
        except (ValueError, IndexError):
            raise PositionError(f"'{event}' does not report dice") from None
    return rolls
