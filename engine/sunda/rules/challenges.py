"""The dice of challenges and of the order of a tick (RULES 5 and 7). ``rules.apply`` draws the consequences."""

from __future__ import annotations

from collections.abc import Sequence

from engine.core import PositionError
from engine.sunda.position import Position


def _roll(p: Position) -> int:
    assert p.dice is not None, "a position whose dice are hidden can't be played on"
    p.rolled += 1
    return p.dice.roll(p.rolled - 1)


def dice_of(size: int, other: int) -> int:
    """Return how many dice a tribe of one size rolls against one of another."""
    return min(3, max(1, size - other))


def challenger_wins(mine: list[int], theirs: list[int]) -> bool:
    """Return whether the challenger wins: the highest single die counts, and the challenger wins ties."""
    return max(mine) >= max(theirs)


def roll_challenge(p: Position, own: int, other: int) -> tuple[list[int], list[int]]:
    """Roll and return the dice of a challenge between tribes of these sizes, the challenger's first."""
    mine = [_roll(p) for _ in range(dice_of(own, other))]
    return mine, [_roll(p) for _ in range(dice_of(other, own))]


def roll_order(p: Position, seats: list[int]) -> dict[int, list[int]]:
    """Roll for the order and return the rolls of each seat: one each, then, while any are level, another for these in seat order."""
    rolls: dict[int, list[int]] = {seat: [] for seat in seats}
    level = seats
    while level:
        for seat in level:
            rolls[seat].append(_roll(p))
        level = [seat for seat in seats if sum(rolls[other] == rolls[seat] for other in seats) > 1]
    return rolls


def read_rolls(events: Sequence[str]) -> list[int]:
    """Return the rolls that events report, in the order in which they were made. Raises PositionError."""
    rolls: list[int] = []
    for event in events:
        word, *rest = event.split(" ")
        try:
            if word == "dice":
                rolls += [int(roll) for roll in " ".join(rest).replace("|", " ").split(" ")]
            elif word == "order":
                by_seat = [[int(roll) for roll in seat.split(":")[1].split("/")] for seat in rest]
                rolls += [seat[turn] for turn in range(max(map(len, by_seat))) for seat in by_seat if turn < len(seat)]
        except (ValueError, IndexError):
            raise PositionError(f"'{event}' does not report dice") from None
    return rolls
