"""How games end: scores, ranks and the reason."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Any, Final, TypeAlias, final

from engine.core.errors import ScoreError

Score: TypeAlias = int | float
"""The score of a seat; a whole number is kept and written as an integer."""

_LARGEST: Final = 2**53
"""The largest whole score. Databases store scores as floats, which hold every integer up to this one exactly."""


@final
class Outcome:
    """How a game ended.

    ``scores`` and ``ranks`` have one entry for each seat; ranks start from 1, and tied seats share the better rank. ``ending`` is the
    game's word for why it ended. Forfeits are not taken into account (see ``engine.records.ranks_after``).
    """

    __slots__ = ("ending", "ranks", "scores")

    def __init__(self, scores: tuple[Score, ...], ranks: tuple[int, ...], ending: str) -> None:
        self.scores: Final = scores
        self.ranks: Final = ranks
        self.ending: Final = ending

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Outcome):
            return NotImplemented
        return (self.scores, self.ranks, self.ending) == (other.scores, other.ranks, other.ending)

    def __hash__(self) -> int:
        return hash((self.scores, self.ranks, self.ending))

    def __reduce__(self) -> tuple[type[Outcome], tuple[tuple[Score, ...], tuple[int, ...], str]]:
        return Outcome, (self.scores, self.ranks, self.ending)

    def __repr__(self) -> str:
        return f"Outcome(scores={self.scores}, ranks={self.ranks}, ending={str(self.ending)!r})"


def exact_score(score: Any) -> Any:  # a number of whatever type a game computes with
    """Return a score as it is recorded: an integer if it is whole, else a float. Raises ScoreError unless it is a finite number."""
    if type(score) is int and abs(score) <= _LARGEST:
        return score
    try:
        number = float(score)
    except (TypeError, ValueError, OverflowError):
        raise ScoreError(f"a score must be a number, not {repr(score)[:60]}") from None
    if not isfinite(number) or type(score) is int:
        raise ScoreError(f"a score must be a finite number and, if it is whole, at most 2^53, not {str(score)[:60]}")
    return int(number) if abs(number) <= _LARGEST and number == int(number) else number


def shared_ranks(keys: Sequence[tuple[Score, ...]]) -> tuple[int, ...]:
    """Return the rank of each key, from 1 for the largest; equal keys share the better rank (1, 2, 2, 4)."""
    ordered = sorted(keys, reverse=True)
    return tuple(ordered.index(key) + 1 for key in keys)
