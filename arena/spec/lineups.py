"""Line-ups: bots by the same author never share a table, and the seatings of a line-up balance seats and neighbours.

``squares(n)`` returns the base design: Latin squares of order n, each made of n seatings in which every bot sits in every seat once. Over
all squares of a design, every ordered pair of bots sits side by side equally often (the last and the first seat count as neighbours).
``seat`` turns the design into the seatings of a block.

The designs: for the prime powers 2 to 5, the n(n - 1) affine maps x -> a + c x of the field of order n, which are sharply 2-transitive, so
that every ordered pair of bots sits on every ordered pair of seats exactly once. No such set exists for 6, so the design is the
row-complete square of E. J. Williams (1949), in which each ordered pair sits side by side once, under five relabellings whose matchings of
first and last seats form a 1-factorization of K6.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import permutations
from math import factorial
from typing import Final, TypeAlias

from engine.text import name_key


def fill_table(authors: Mapping[str, str | None], names: Sequence[str], players: int) -> bool:
    """Return whether these bots can fill a table of ``players`` seats."""
    return Authors(authors, names).count_lineups(range(len(names)), players) > 0


class Authors:
    """The authors of a tournament's bots. A bot whose author is not known may share a table with any other."""

    def __init__(self, authors: Mapping[str, str | None], names: Sequence[str]) -> None:
        self._of: dict[int, str] = {bot: name_key(author) for bot, name in enumerate(names) if (author := authors.get(name)) is not None}
        self.clashes = len(set(self._of.values())) < len(self._of)
        """Whether there are two bots that must not share a table."""

    def add(self, bot: int, author: str | None) -> None:
        """Add a bot that joins later."""
        if author is not None:
            self.clashes = self.clashes or name_key(author) in self._of.values()
            self._of[bot] = name_key(author)

    def are_apart(self, one: int, other: int) -> bool:
        """Whether these two bots must not share a table."""
        return self.clashes and one != other and one in self._of and self._of[one] == self._of.get(other)

    def may_share(self, lineup: Iterable[int]) -> bool:
        """Whether no two bots of the line-up are by the same author."""
        if not self.clashes:
            return True
        known = [self._of[bot] for bot in lineup if bot in self._of]
        return len(set(known)) == len(known)

    def count_lineups(self, bots: Sequence[int], players: int) -> int:
        """Count line-ups of ``players`` bots, no two by one author: an elementary symmetric polynomial in the authors' bot counts."""
        groups = Counter(self._of.get(bot, bot) if self.clashes else bot for bot in bots)
        ways = [1] + [0] * players
        for size in groups.values():
            for chosen in range(players, 0, -1):
                ways[chosen] += size * ways[chosen - 1]
        return ways[players]


def uneven_lineups(authors: Mapping[str, str | None], names: Sequence[str], sizes: Iterable[int]) -> dict[str, int]:
    """Return how many line-ups each bot can be in, at tables of these sizes, or an empty dict if all bots can be in equally many."""
    of = Authors(authors, names)
    bots = range(len(names))
    counts = {
        names[bot]: sum(of.count_lineups(bots, size) - of.count_lineups([each for each in bots if each != bot], size) for size in sizes)
        for bot in (bots if of.clashes else ())
    }
    return counts if len(set(counts.values())) > 1 else {}


Seating: TypeAlias = tuple[int, ...]
"""The bot in each seat, as its index in the line-up."""

_FACTORIZATION_OF_K6: Final = (
    ((0, 1), (2, 5), (3, 4)),
    ((0, 2), (1, 3), (4, 5)),
    ((0, 3), (2, 4), (1, 5)),
    ((0, 4), (3, 5), (1, 2)),
    ((0, 5), (1, 4), (2, 3)),
)


def count_seatings(mode: str, players: int) -> int:
    """Return the number of matches in a block; ``mode`` is ``schedule.seats``: ``balanced``, ``rotations`` or ``permutations``."""
    if mode == "permutations":
        return factorial(players)
    return players * (players - 1) if mode == "balanced" and players > 1 else players


def count_balanced_blocks(mode: str, players: int) -> int:
    """Return how many blocks it takes to balance who sits next to whom. Seats are balanced in every single block."""
    return max(1, players - 1) if mode == "rotations" else 1


def seat(mode: str, players: int, draw: int, block: int) -> Iterator[Seating]:
    """Return the seatings of one block.

    ``draw`` seeds the shuffling of bots, squares (see ``squares``) and matches. With ``rotations``, a block plays only one
    square. To play all squares, ``count_balanced_blocks`` consecutive blocks must be given the same ``draw``.
    """
    rng = random.Random(draw)
    parts = list(range(players))
    rng.shuffle(parts)
    if mode == "permutations":
        design = [tuple(permutations(range(players)))]
    else:
        design = list(squares(players))
        rng.shuffle(design)
        if mode == "rotations":
            design = [design[block % len(design)]]
    rows = [tuple([parts[part] for part in row]) for square in design for row in square]
    rng.shuffle(rows)
    return iter(rows)


@cache
def squares(players: int) -> tuple[tuple[Seating, ...], ...]:
    """Return Latin squares for 1 to 6 seats: in each square's seatings, every bot has every seat once."""
    if players == 1:
        return (((0,),),)
    if players == 4:
        return tuple(tuple(tuple(a ^ _times4(c, x) for x in range(4)) for a in range(4)) for c in range(1, 4))
    if players == 6:
        return tuple(_relabelled(factor) for factor in _FACTORIZATION_OF_K6)
    return tuple(tuple(tuple((a + c * x) % players for x in range(players)) for a in range(players)) for c in range(1, players))


def _times4(a: int, b: int) -> int:
    """Return the product in the field of four elements: polynomials over GF(2) modulo x^2 + x + 1."""
    product = (a if b & 1 else 0) ^ (a << 1 if b & 2 else 0)
    return product ^ 0b111 if product & 0b100 else product


def _relabelled(factor: Sequence[tuple[int, int]]) -> tuple[Seating, ...]:
    """Return Williams's square of order 6, relabelled so that i and i + 3, which sit at the two ends of a row, are a pair of the factor."""
    names = [pair[0] for pair in factor] + [pair[1] for pair in factor]
    return tuple(tuple(names[(shift + step) % 6] for step in (0, 1, 5, 2, 4, 3)) for shift in range(6))
