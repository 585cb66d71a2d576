"""The frozen records of a played match that every layer shares. They hold facts and compute nothing but ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.core import OptionValue


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision: who made it, the move in the game's notation, and how many legal moves there were."""

    seat: int
    move: str
    legal: int


@dataclass(frozen=True, slots=True)
class Chance:
    """A chance event other than the deck, with the index of the decision after which it fell."""

    index: int
    event: str


@dataclass(frozen=True, slots=True)
class Forfeit:
    """A seat that was played on by the substitute from the decision ``index`` on, and why."""

    seat: int
    index: int
    reason: str


@dataclass(frozen=True, slots=True)
class Replay:
    """A whole match, enough to re-simulate it with no bot and no clock (docs/replay-format.md)."""

    game: str
    options: Mapping[str, OptionValue]
    players: int
    seed: int
    names: tuple[str, ...]
    decisions: tuple[Decision, ...]
    chance: tuple[Chance, ...]
    forfeits: tuple[Forfeit, ...]
    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    end: str
    rules_version: int | None = None
    """The version of the game's rules it was played by; None in replays that don't say."""


def ranks_after(ranks: Sequence[int], forfeits: Sequence[Forfeit]) -> tuple[int, ...]:
    """The ranks of a match in which seats forfeited: below all others, and of two the later one better."""
    forfeited = [forfeit.seat for forfeit in forfeits]
    kept = [rank for seat, rank in enumerate(ranks) if seat not in forfeited]
    final = [1 + sum(other < rank for other in kept) for rank in ranks]
    for place, seat in enumerate(reversed(forfeited)):
        final[seat] = len(kept) + 1 + place
    return tuple(final)
