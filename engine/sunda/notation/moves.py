"""The moves of Sunda to Sahul as values, and their notation (RULES 9). ``notation.parse`` reads them from text.

A move is a kind and two integers, chosen so that moves sort in the order of RULES 9 by (kind, first, second). Kinds are plain integers
because the compiled engine compares them in its hottest loops.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import mypyc_attr

from engine.core import Move
from engine.sunda.board.tiles import IDS
from engine.sunda.board.trigrid import x_of, y_of

START: Final = 0
PLACE: Final = 1
SHIFT: Final = 2
CLAIM: Final = 3
JOIN: Final = 4
ACCEPT: Final = 5
REFUSE: Final = 6
LAKE: Final = 7
RESOURCE: Final = 8
CHALLENGE: Final = 9
SKIP: Final = 10
AGREE: Final = 11
STOP: Final = 12
RAID: Final = 13
WAIT: Final = 14
SEIZE: Final = 15

KIND_WORDS: Final = (
    "start",
    "place",
    "shift",
    "claim",
    "join",
    "accept",
    "refuse",
    "lake",
    "resource",
    "challenge",
    "skip",
    "agree",
    "stop",
    "raid",
    "wait",
    "seize",
)
"""The first word of the notation, by kind."""

NOTHING: Final = -1
"""Stands for the second tile of a ``seize`` that takes only one."""


def write_vertex(vertex: int) -> str:
    """Return a vertex as ``x,y``."""
    return f"{x_of(vertex)},{y_of(vertex)}"


def write_placement(placement: int) -> str:
    """Return a placement as ``x,y,d``."""
    return f"{write_vertex(placement // 6)},{placement % 6}"


@final
@mypyc_attr(acyclic=True)
class SundaMove(Move):
    """A decision in Sunda to Sahul.

    What ``first`` and ``second`` hold depends on ``kind``: start (tile), place (tile, placement), shift (placement, placement),
    claim, join and lake (vertex), resource (value, vertex), challenge (vertex, vertex), raid (tile, seat), seize (tile, tile or
    NOTHING); they are 0 otherwise. Tiles, vertices and placements are the integers of ``board.tiles`` and ``board.trigrid``.
    """

    __slots__ = ("first", "kind", "second")

    def __init__(self, kind: int, first: int = 0, second: int = 0) -> None:
        self.kind: Final = kind
        self.first: Final = first
        self.second: Final = second

    @property
    def tile(self) -> int:
        """The tile that is laid or taken; only for start, place, raid and seize."""
        return self.first

    @property
    def placement(self) -> int:
        """Where a tile ends up; only for start, place and shift."""
        return self.second

    def __str__(self) -> str:
        kind = self.kind
        word = KIND_WORDS[kind]
        if kind == PLACE:
            return f"{word} {IDS[self.first]} {write_placement(self.second)}"
        if kind == START:
            return f"{word} {IDS[self.first]}"
        if kind == SHIFT:
            return f"{word} {write_placement(self.first)} {write_placement(self.second)}"
        if kind in {CLAIM, JOIN, LAKE}:
            return f"{word} {write_vertex(self.first)}"
        if kind == RESOURCE:
            return f"{word} {self.first} {write_vertex(self.second)}"
        if kind == CHALLENGE:
            return f"{word} {write_vertex(self.first)} {write_vertex(self.second)}"
        if kind == RAID:
            return f"{word} {self.second} {IDS[self.first]}"
        if kind == SEIZE:
            return f"{word} {IDS[self.first]}" + ("" if self.second == NOTHING else f" {IDS[self.second]}")
        return word

    def __repr__(self) -> str:
        return f"find_game('sunda').parse('{self}')"

    def __reduce__(self) -> tuple[type[SundaMove], tuple[int, int, int]]:
        return SundaMove, (self.kind, self.first, self.second)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SundaMove):
            return NotImplemented
        return self.kind == other.kind and self.first == other.first and self.second == other.second

    def __hash__(self) -> int:
        return hash((self.kind, self.first, self.second))
