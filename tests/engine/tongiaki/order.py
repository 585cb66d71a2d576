"""RULES 7 on the order of legal moves, spelt out once more from the text of the moves alone."""

from __future__ import annotations

from itertools import pairwise

from engine.core import State

KINDS = ["place", "expand", "take", "pass", "crown", "recolonise", "enter", "lay", "settle", "sail", "land"]

Key = tuple[int, list[object]]


def laid_islands(state: State) -> list[str]:
    """The names of the laid islands in the order they were laid, as a position's text has them."""
    rows = [row.split(" ") for row in state.text.splitlines()]
    return [row[0] for row in rows if len(row) > 2 and "," in row[1] and not (row[0].startswith("W") and row[0][1:].isdigit())]


def key(move: str, islands: list[str]) -> Key:
    """What a move is sorted by: its kind, then its values as numbers, islands by when they were laid."""
    word, *rest = move.split(" ")
    values: list[object] = []
    if word in {"take", "crown", "expand", "enter", "sail"}:
        name, *numbers = rest[0].split(":") + rest[1:]
        values = [islands.index(name), [int(number) for part in numbers for number in part.split(",")]]
    elif word == "land":
        values = [[int(beach), [int(seat) for seat in seats]] for beach, seats in (part.split(":") for part in rest)]
    else:
        values = [int(number) for part in rest for number in part.split(",")]
    return KINDS.index(word), values


def is_ordered(state: State, moves: list[str]) -> bool:
    """Whether the moves ascend strictly, so that each stands there once."""
    islands = laid_islands(state)
    keys = [key(move, islands) for move in moves]
    return all(one < other for one, other in pairwise(keys))
