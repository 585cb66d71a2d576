"""Separates better from worse bots of a field, with guarantees that hold when looking after every match and stopping at any time.

Bots are compared by their scores in rows: a row gives each of some bots a score in 0 to 1, whose mean given all earlier rows is B, and the
B of bots are compared (``arena.formats.final`` defines rows). For each ordered pair, a gambler bets on the first bot against the second by
the difference of their scores, with a share of the capital that depends on earlier rows alone. If the first is not better, the capital is a
non-negative supermartingale that begins at 1, and ever reaches L with a probability of at most 1/L (J. Ville, 1939), whenever one looks:

- I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting", Journal of the Royal Statistical Society B 86
  (2024) 1-27: tests by betting, and the bets.
- A. Ramdas, P. Grünwald, V. Vovk and G. Shafer, "Game-theoretic statistics and safe anytime-valid inference", Statistical Science 38
  (2023) 576-601: that one may stop at any time.

Bots are *separated* into an upper and a lower part if each bot of the upper one has won its bets against each of the lower. To exclude
false separations, only ``2 (bots - 1)`` bets count, not one for each pair. Line the bots up by their true means, equal ones in any order.
If a part is wrongly called upper, somewhere in the line a bot of the lower part comes right before one of the upper, and the later bot has
won a bet against the earlier: that is one of ``bots - 1`` bets, which are known beforehand. Bots with equal means may be in either order,
which at most doubles the number. So the capital has to reach ``2 (bots - 1) / (1 - confidence)``.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Final

MOST: Final = 0.9
"""The largest share of the capital that a bet may lose."""
IMAGINED: Final = 2
"""The number of imagined rows before the first, with a mean difference of 0 and the mean square ``SPREAD``."""
SPREAD: Final = 0.25
"""The mean square of a difference in the imagined rows."""


class _Wagers:
    """The bets on two bots: the statistics of the differences so far, and the capital of each side."""

    __slots__ = ("capital", "rows", "squares", "total")

    def __init__(self) -> None:
        self.rows = IMAGINED
        self.total = 0.0
        self.squares = IMAGINED * SPREAD
        self.capital = [1.0, 1.0]

    def add(self, difference: float) -> int:
        """Bet on the side that is ahead, then learn from the difference; return the side."""
        side = self.total < 0
        stake = min(abs(self.total) / self.squares, MOST) if self.squares else 0.0
        self.capital[side] *= 1 + stake * (-difference if side else difference)
        self.rows += 1
        self.total += difference
        self.squares += difference * difference
        return side


class Separation:
    """The scores of a field row by row, and the separations that they prove. Bots are numbers from 0."""

    def __init__(self, bots: int, confidence: float) -> None:
        self._bots: Final = range(bots)
        self._limit = 2 * max(1, bots - 1) / (1 - confidence)
        self._wagers = {pair: _Wagers() for pair in combinations(self._bots, 2)}
        self._above: list[set[int]] = [set() for _ in self._bots]
        self._rows = [0] * bots
        self._totals = [0.0] * bots

    def add(self, scores: Mapping[int, float]) -> None:
        """Add a row: the score of each bot that has one."""
        for bot, score in scores.items():
            self._rows[bot] += 1
            self._totals[bot] += score
        for pair in combinations(sorted(scores), 2):
            one, other = pair
            if not self.is_known(one, other):
                wagers = self._wagers[pair]
                side = wagers.add(scores[one] - scores[other])
                if wagers.capital[side] >= self._limit:
                    self._above[pair[side]].add(pair[1 - side])

    def is_known(self, one: int, other: int) -> bool:
        """Whether the bets on these two are won, by either side."""
        return other in self._above[one] or one in self._above[other]

    def rows(self, bot: int) -> int:
        """Return the number of scores of a bot."""
        return self._rows[bot]

    def mean(self, bot: int) -> float:
        """Return a bot's mean score; one half before the first."""
        return self._totals[bot] / self._rows[bot] if self._rows[bot] else 0.5

    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Return the groups of bots that are separated from each other, best first; within a group bots are in order of their means."""
        order = sorted(self._bots, key=lambda bot: -len(self._above[bot]))  # a bot in an upper part has won more bets than those below
        groups: list[tuple[int, ...]] = []
        group: list[int] = []
        for at, bot in enumerate(order):
            group.append(bot)
            if all(self._above[upper].issuperset(order[at + 1 :]) for upper in order[: at + 1]):
                groups.append(tuple(sorted(group, key=lambda each: (-self.mean(each), each))))
                group = []
        return tuple(groups)

    def contested(self, places: int) -> frozenset[int]:
        """Return the bots that may still take a place from 1 to ``places``; empty once these are separated."""
        found: set[int] = set()
        first = 0
        for group in self.groups():
            left = places - first
            first += len(group)
            if left <= 0:
                break
            hopeful = {bot for bot in group if sum(bot in self._above[other] for other in group) < left}
            for one, other in combinations(group, 2):
                if (one in hopeful or other in hopeful) and not self.is_known(one, other):
                    found |= {one, other}
        return frozenset(found)
