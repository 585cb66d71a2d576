"""What a bot is and what it is told. It owns no loading, no processes and no rules.

A bot is any class that can be made without arguments and has ``choose``. ``start`` and ``finish`` are optional.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from engine.core import Game, Move, View


@dataclass(frozen=True, slots=True)
class Clock:
    """What a bot may still use for this decision; None means no limit.

    ``seconds`` is wall time. ``nodes`` is a budget that a search bot keeps of its own accord, so that its play does not depend on
    the machine's speed.
    """

    seconds: float | None = None
    nodes: int | None = None


@dataclass(frozen=True, slots=True)
class MatchInfo:
    """What a bot is told before the first decision.

    ``seed`` is the bot's own, for its random choices; it has nothing to do with the match's seed, which no bot is told.
    """

    game: Game
    players: int
    seat: int
    seed: int


@dataclass(frozen=True, slots=True)
class MatchEnd:
    """What a bot is told when the match is over: scores and ranks by seat, and why it ended."""

    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    end: str


@runtime_checkable
class Bot(Protocol):
    """The one method a contestant writes.

    A bot may also have ``start(self, info: MatchInfo) -> None``, called once before its first decision, and
    ``finish(self, end: MatchEnd) -> None``, called when the match is over. A bot object plays one match.
    """

    # A bot is written for one game, so it names that game's state: View[TongiakiState], say.
    def choose(self, view: View[Any], clock: Clock) -> Move:
        """One of ``view.legal_moves``; it is never asked when there is only one."""
        ...
