"""The interface of bots and the information they get. Import these names from `bots`.

A bot is any class that can be made without arguments and has ``choose``; ``start`` and ``finish`` are optional.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from engine.core import Game, Move, Score, View


class ClockMode(StrEnum):
    """How a bot's time is limited: by its ``clock``, or, independent of the machine, by a ``budget`` of nodes or by ``fuel``."""

    CLOCK = "clock"
    BUDGET = "budget"
    FUEL = "fuel"


@dataclass(frozen=True, slots=True)
class ClockSpec:
    """The limits of every seat in a match; all times in seconds, None means no limit.

    ``start`` is CPU time until the bot is ready, ``move`` CPU time for each decision, ``bank`` CPU time for all decisions together.
    Wall time is bounded, too: a decision that exceeds its limit by the wall clock costs one of ``strikes``, and one that takes ``slack``
    times the limit is stopped. In the mode ``budget`` no strikes are counted, wall time only stops bots that hang (after ``wall`` seconds),
    and ``nodes`` may limit the positions that a search looks at.

    ``wall_bank`` is the wall time that the bot may sleep in the whole match, including ``start``; neither its CPU time nor its waiting for
    a processor counts.

    In the mode ``fuel`` a WebAssembly bot has ``start_fuel``, ``move_fuel`` and ``bank_fuel`` instead of seconds, in units of about one
    instruction. Reference bots, which use no fuel, are limited by ``nodes`` there. As in ``budget``, wall time only stops bots that hang.
    """

    mode: ClockMode = ClockMode.CLOCK
    start: float | None = 10.0
    move: float | None = 10.0
    bank: float | None = None
    strikes: int = 3
    slack: float = 4.0
    wall: float = 120.0
    wall_bank: float | None = 5.0
    nodes: int | None = None
    start_fuel: int | None = None
    move_fuel: int | None = None
    bank_fuel: int | None = None


@dataclass(frozen=True, slots=True)
class Clock:
    """What a bot may still use for this decision; None means no limit.

    ``seconds`` is CPU time, ``bank`` the CPU time left for the whole match (``seconds`` is never more), ``stop`` the wall time after
    which the host waits no longer, ``strikes`` how many more decisions may take longer than ``seconds`` of wall time. ``nodes`` is a budget
    of positions for a search, so that its play does not depend on the machine's speed; ``fuel`` is the budget of a WebAssembly bot.
    """

    seconds: float | None = None
    nodes: int | None = None
    bank: float | None = None
    stop: float | None = None
    strikes: int | None = None
    fuel: int | None = None


@dataclass(frozen=True, slots=True)
class MatchInfo:
    """The information for a bot before the first decision. ``seed`` is the bot's own, for its random choices; it is unrelated to the
    match's seed, which no bot gets. ``clock`` has the limits of the match.
    """

    game: Game
    players: int
    seat: int
    seed: int
    clock: ClockSpec = ClockSpec()


@dataclass(frozen=True, slots=True)
class MatchEnd:
    """The information for a bot when the match is over: scores and ranks by seat, and why it ended."""

    scores: tuple[Score, ...]
    ranks: tuple[int, ...]
    end: str


@runtime_checkable
class Bot(Protocol):
    """What a contestant writes: a class with one method.

    A bot may also have ``start(self, info: MatchInfo) -> None``, called once before its first decision, and
    ``finish(self, end: MatchEnd) -> None``, called when the match is over. A bot object plays one match.
    """

    # A bot is written for one game, so it names that game's state: View[TongiakiState], say.
    def choose(self, view: View[Any], clock: Clock) -> Move:
        """Return one of ``view.legal_moves``. It is not called when there is only one."""
        ...
