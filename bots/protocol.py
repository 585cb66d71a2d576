"""The interface of bots and the information they receive. Import these names from `bots`.

A bot is any class with a constructor that needs no arguments and a method ``choose``; ``start`` and ``finish`` are optional.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

from engine.core import Game, Move, Score, View


class ClockMode(StrEnum):
    """How a bot is limited: by time (``clock``), or independently of the machine by nodes (``budget``) or by ``fuel``."""

    CLOCK = "clock"
    BUDGET = "budget"
    FUEL = "fuel"


@dataclass(frozen=True, slots=True)
class ClockSpec:
    """The limits of every seat in a match. All times are in seconds; None means no limit.

    - ``start``: CPU time until the bot is ready; ``move``: CPU time for each decision; ``bank``: CPU time for all decisions together
    - ``strikes``: how many decisions may take more wall time than their CPU limit; one that takes ``slack`` times its limit is stopped
    - ``wall``: in the modes ``budget`` and ``fuel``, which have no strikes, the wall time after which a bot that hangs is stopped
    - ``wall_bank``: how long the bot may be idle (neither computing nor waiting for a processor) in ``start`` and all its decisions
    - ``nodes``: how many positions a search may look at for each decision; in the mode ``fuel``, it limits reference bots, which use no
      fuel
    - ``start_fuel``, ``move_fuel``, ``bank_fuel``: like ``start``, ``move`` and ``bank``, but for WebAssembly bots in the mode ``fuel``,
      in units of fuel (about one per instruction)
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

    - ``seconds``: CPU time for this decision, never more than ``bank``
    - ``nodes``: how many positions a search may look at, so that its play does not depend on the machine's speed
    - ``bank``: CPU time left for the whole match
    - ``stop``: wall time after which the host stops waiting for this decision
    - ``strikes``: how many more decisions may take more wall time than ``seconds``
    - ``fuel``: the fuel that a WebAssembly bot may use for this decision
    """

    seconds: float | None = None
    nodes: int | None = None
    bank: float | None = None
    stop: float | None = None
    strikes: int | None = None
    fuel: int | None = None


@dataclass(frozen=True, slots=True)
class MatchInfo:
    """What a bot is told before its first decision. ``seed`` is for the bot's own random choices; it is unrelated to the match's seed,
    which bots never receive. ``clock`` holds the limits of the match."""

    game: Game
    players: int
    seat: int
    seed: int
    clock: ClockSpec = ClockSpec()


@dataclass(frozen=True, slots=True)
class MatchEnd:
    """What a bot is told when the match is over: scores and ranks by seat, and why the match ended."""

    scores: tuple[Score, ...]
    ranks: tuple[int, ...]
    end: str


@runtime_checkable
class Bot(Protocol):
    """What a contestant writes: a class with one method.

    A bot may also have ``start(self, info: MatchInfo) -> None``, called once before its first decision, and
    ``finish(self, end: MatchEnd) -> None``, called when the match is over. A bot object plays one match.
    """

    # Any: a bot may be written for a single game and annotate that game's state, such as View[TongiakiState].
    def choose(self, view: View[Any], clock: Clock) -> Move:
        """Return one of ``view.legal_moves``. If there is only one, it is played without calling this method."""
        ...
