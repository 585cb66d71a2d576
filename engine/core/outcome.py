"""How games end: scores, ranks and the reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final


@final
class Outcome:
    """How a game ended.

    ``scores`` and ``ranks`` have one entry for each seat; ranks are 1-based and tied seats share the better one;
    ``ending`` is the game's word for why it was over. Forfeits are not considered: see ``engine.records.ranks_after``.
    """

    __slots__ = ("ending", "ranks", "scores")

    def __init__(self, scores: tuple[int, ...], ranks: tuple[int, ...], ending: str) -> None:
        self.scores: Final = scores
        self.ranks: Final = ranks
        self.ending: Final = ending

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Outcome):
            return NotImplemented
        return (self.scores, self.ranks, self.ending) == (other.scores, other.ranks, other.ending)

    def __hash__(self) -> int:
        return hash((self.scores, self.ranks, self.ending))

    def __reduce__(self) -> tuple[type[Outcome], tuple[tuple[int, ...], tuple[int, ...], str]]:
        return Outcome, (self.scores, self.ranks, self.ending)

    def __repr__(self) -> str:
        return f"Outcome(scores={self.scores}, ranks={self.ranks}, ending={str(self.ending)!r})"


def shared_ranks(keys: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The 1-based rank of each key, the largest first; equal keys share the better rank (1, 2, 2, 4)."""
    ordered = sorted(keys, reverse=True)
    return tuple(ordered.index(key) + 1 for key in keys)
