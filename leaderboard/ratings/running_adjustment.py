"""Taking luck off scores one by one, so that a sequential test may use them: the coefficient of each is learned from those before it."""

from __future__ import annotations

from typing import Final

BELIEF: Final = 5
"""How many scores of luck that tells all (a coefficient of 1) are imagined besides those seen."""


class RunningAdjustment:
    """Takes luck off scores, which lie in 0 to 1; luck lies in -1 to 1 and is zero on average whatever came before.

    The coefficient lies in 0 to 1 and depends on earlier scores alone. So an adjusted score lies in -1 to 2, and has the same expectation
    as the score, given all that came before: what holds of sums of scores at any time holds of sums of adjusted ones.
    """

    def __init__(self) -> None:
        self._number = 0
        self._scores = 0.0
        self._lucks = 0.0
        self._products = 0.0
        self._squares = 0.0

    def adjusted(self, score: float, luck: float) -> float:
        """Return the score less its luck, and learn from both."""
        less = score - self.coefficient * luck
        self._number += 1
        self._scores += score
        self._lucks += luck
        self._products += score * luck
        self._squares += luck * luck
        return less

    @property
    def coefficient(self) -> float:
        """How much of the next score's luck is taken off: 1 before there is any."""
        if not self._squares:
            return 1.0
        mean = (self._scores + 0.5) / (self._number + 1)
        belief = BELIEF * self._squares / self._number
        return min(max((self._products - mean * self._lucks + belief) / (self._squares + belief), 0.0), 1.0)
