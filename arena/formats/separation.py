"""Separates better bots from worse bots, with guarantees that hold even if one checks after every match and stops at any time.

Bots are compared by their scores in rows (see ``arena.formats.final``). A row gives some of the bots a score from 0 to 1. Let B be a bot's
expected score, given all earlier rows; the question is which bot has the higher B. For each ordered pair, a gambler bets that the first bot
scores more than the second. The share of the capital at stake depends only on earlier rows. If the first bot is not better, the capital
is a non-negative supermartingale that starts at 1, so the probability that it ever reaches L is at most 1/L (J. Ville, 1939). Sources:

- I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting", Journal of the Royal Statistical Society B 86
  (2024) 1-27, for tests by betting, and for the bets.
- A. Ramdas, P. Grünwald, V. Vovk and G. Shafer, "Game-theoretic statistics and safe anytime-valid inference", Statistical Science 38
  (2023) 576-601, for stopping at any time.

Bots are *separated* into an upper and a lower group if each bot in the upper group has won its bet against each bot in the lower group. To
exclude false separations, only ``2 (bots - 1)`` bets matter, not one per pair. Sort the bots by their true means, best first. If the wrong
bots are in the upper group, then somewhere in that order a bot of the lower group comes right before a bot of the upper group, and the bet
that the second is better has been won. This is one of ``bots - 1`` bets, which are fixed beforehand. Bots with equal means can be in
either order, which at most doubles the number. So the capital must reach ``2 (bots - 1) / (1 - confidence)``.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Final

MOST: Final = 0.9
"""The largest share of the capital that a bet can lose."""
IMAGINED: Final = 2
"""A pair's statistics start as if it had played this many rows, with differences whose mean is 0 and mean square is ``SPREAD``."""
SPREAD: Final = 0.25
"""The mean square of the differences between a pair's scores in the imagined rows (see ``IMAGINED``)."""


class _Wagers:
    """The bets on a pair of bots: statistics of the differences so far, and the capital of each side."""

    __slots__ = ("capital", "rows", "squares", "total")

    def __init__(self) -> None:
        self.rows = IMAGINED
        self.total = 0.0
        self.squares = IMAGINED * SPREAD
        self.capital = [1.0, 1.0]

    def add(self, difference: float) -> int:
        """Bet on the side that is ahead, update the capital and the statistics, and return the side."""
        side = self.total < 0
        stake = min(abs(self.total) / self.squares, MOST) if self.squares else 0.0
        self.capital[side] *= 1 + stake * (-difference if side else difference)
        self.rows += 1
        self.total += difference
        self.squares += difference * difference
        return side


class Separation:
    """Collects rows of scores, and finds the separations that follow from them. Bots are numbered from 0."""

    def __init__(self, bots: int, confidence: float) -> None:
        self._bots: Final = range(bots)
        self._limit = 2 * max(1, bots - 1) / (1 - confidence)
        self._wagers = {pair: _Wagers() for pair in combinations(self._bots, 2)}
        self._above: list[set[int]] = [set() for _ in self._bots]
        self._rows = [0] * bots
        self._totals = [0.0] * bots

    def add(self, scores: Mapping[int, float]) -> None:
        """Add a row, given the score of each bot that has a score in it."""
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
        """Return whether these two bots are separated, that is, whether a bet on one of them has been won."""
        return other in self._above[one] or one in self._above[other]

    def rows(self, bot: int) -> int:
        """Return how many scores a bot has."""
        return self._rows[bot]

    def mean(self, bot: int) -> float:
        """Return a bot's mean score, or 0.5 before its first score."""
        return self._totals[bot] / self._rows[bot] if self._rows[bot] else 0.5

    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Return the groups of bots that are separated from each other, best first; the bots of a group are sorted by mean score."""
        order = sorted(self._bots, key=lambda bot: -len(self._above[bot]))  # a bot in an upper group has won more bets
        groups: list[tuple[int, ...]] = []
        group: list[int] = []
        for at, bot in enumerate(order):
            group.append(bot)
            if all(self._above[upper].issuperset(order[at + 1 :]) for upper in order[: at + 1]):
                groups.append(tuple(sorted(group, key=lambda each: (-self.mean(each), each))))
                group = []
        return tuple(groups)

    def contested(self, places: int) -> frozenset[int]:
        """Return the bots that can still affect places 1 to ``places``; empty if these are separated."""
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
