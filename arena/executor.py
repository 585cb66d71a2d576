"""Where matches are played: the interface of executors, what a worker does, and the executor that needs no other process."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Final, Protocol

from arena.match import play_match
from bots.host import InProcessPlayer
from bots.loading import BotVersion
from engine.core import Game, OptionValue
from engine.games import find_game
from engine.records import MatchResult, Ticket

BATCH_SECONDS: Final = 0.8
"""The work a batch should hold: enough to hide the cost of sending it, little enough to stop soon (measured: 98.6 % efficient)."""
MAX_BATCH: Final = 512


class HostError(Exception):
    """The machine or the cluster failed, not a bot; its text says what to do. What was played is stored."""


@dataclass(frozen=True, slots=True)
class Job:
    """What every match of a tournament has in common, and all that a worker needs besides the tickets."""

    game: str
    options: Mapping[str, OptionValue]
    bots: Mapping[str, BotVersion]

    def make_game(self) -> Game:
        """The game with its options."""
        return find_game(self.game, self.options)


def play_tickets(job: Job, tickets: Sequence[Ticket]) -> list[MatchResult]:
    """Play tickets one after the other; what a worker does."""
    game = job.make_game()
    with redirect_stdout(sys.stderr):  # what a bot prints is no result
        return [play_match(game, ticket, [InProcessPlayer(job.bots[name]) for name in ticket.seats]) for ticket in tickets]


class Executor(Protocol):
    """Plays tickets somewhere; takes them from the iterator only as it needs them, so that a schedule may be endless."""

    @property
    def description(self) -> str:
        """Where matches are played, in a few words."""
        ...

    def run(self, job: Job, tickets: Iterator[Ticket]) -> Iterator[list[MatchResult]]:
        """The results in the order in which they come; every ticket taken is answered. Raises HostError."""
        ...

    def close(self) -> None:
        """Give back what it holds; matches in hand are dropped."""
        ...


class BatchSizer:
    """How many tickets a batch should hold, by how long matches have taken."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._matches = 0

    def add(self, results: Sequence[MatchResult]) -> None:
        """Learn from a batch that has been played; old matches count less and less."""
        self._seconds = self._seconds / 2 + sum(result.seconds for result in results)
        self._matches = self._matches // 2 + len(results)

    @property
    def size(self) -> int:
        """One until a match has been timed, then as many as fill ``BATCH_SECONDS``."""
        if not self._matches or self._seconds <= 0:
            return 1
        return max(1, min(MAX_BATCH, round(BATCH_SECONDS * self._matches / self._seconds)))


class InlineExecutor:
    """Plays everything in this process, one match at a time."""

    description = "this process"

    def run(self, job: Job, tickets: Iterator[Ticket]) -> Iterator[list[MatchResult]]:
        """One result at a time."""
        for ticket in tickets:
            yield play_tickets(job, [ticket])

    def close(self) -> None:
        """It holds nothing."""
