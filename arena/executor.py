"""Where matches are played: the interface of executors, what a worker does, and the executor that needs no other process."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, Protocol, TypeAlias

from arena.match import NO_LIMIT, play_match
from bots.house import House
from bots.loading import BotVersion
from bots.protocol import ClockSpec
from bots.remote import HostFaultError
from bots.sandbox import Level, SandboxError
from engine.core import Game, OptionValue
from engine.games import find_game
from engine.records import MatchResult, Ticket, VoidMatch

BATCH_SECONDS: Final = 0.8
"""The work a batch should hold: enough to hide the cost of sending it, little enough to stop soon (measured: 98.6 % efficient)."""
MAX_BATCH: Final = 512
ATTEMPTS: Final = 3
"""How often a match that the machine fails is tried before it is void."""

Played: TypeAlias = MatchResult | VoidMatch


class Pause(Enum):
    """What a stream of tickets gives when it has none now, but more may follow once results of those it gave have come."""

    PAUSE = "pause"


PAUSE: Final = Pause.PAUSE
Tickets: TypeAlias = Iterator[Ticket | Pause]
"""Tickets to be played. After a pause it may be asked again, when results have been handed on."""


def take(tickets: Tickets, most: int) -> tuple[list[Ticket], bool]:
    """So many tickets, fewer if there are no more now; and whether that is because of a pause."""
    found: list[Ticket] = []
    while len(found) < most:
        ticket = next(tickets, None)
        if ticket is None or ticket is PAUSE:
            return found, ticket is PAUSE
        found.append(ticket)
    return found, False


class HostError(Exception):
    """The machine or the cluster failed, not a bot; its text says what to do. What was played is stored."""


@dataclass(frozen=True, slots=True)
class Job:
    """What every match of a tournament has in common, and all that a worker needs besides the tickets.

    ``bots`` may grow while a ladder runs, by those who join; nothing else ever changes.
    """

    game: str
    options: Mapping[str, OptionValue]
    bots: Mapping[str, BotVersion]
    clock: ClockSpec = NO_LIMIT
    level: Level = Level.NONE

    def make_game(self) -> Game:
        """The game with its options."""
        return find_game(self.game, self.options)


def play_tickets(job: Job, tickets: Sequence[Ticket], house: House) -> list[Played]:
    """Play tickets one after the other; what a worker does. A match that the machine fails is played again, with the same seed."""
    game = job.make_game()
    with redirect_stdout(sys.stderr):  # what a bot prints is no result
        return [_play_ticket(job, game, ticket, house) for ticket in tickets]


def _play_ticket(job: Job, game: Game, ticket: Ticket, house: House) -> Played:
    reason = ""
    for _ in range(ATTEMPTS):
        players = [house.seat(job.bots[name]) for name in ticket.seats]
        try:
            return replace(play_match(game, ticket, players, clock=job.clock), isolation=str(job.level))
        except (HostFaultError, SandboxError) as error:
            reason = str(error)
    return VoidMatch(ticket, reason)


class Executor(Protocol):
    """Plays tickets somewhere; takes them from the iterator only as it needs them, so that a schedule may be endless.

    At a pause it goes on when results have come, and whoever runs it has been given them.
    """

    @property
    def description(self) -> str:
        """Where matches are played, in a few words."""
        ...

    def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
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

    def add(self, played: Sequence[Played]) -> None:
        """Learn from a batch that has been played; old matches count less and less."""
        results = [each for each in played if isinstance(each, MatchResult)]
        self._seconds = self._seconds / 2 + sum(result.seconds for result in results)
        self._matches = self._matches // 2 + len(results)

    @property
    def size(self) -> int:
        """One until a match has been timed, then as many as fill ``BATCH_SECONDS``."""
        if not self._matches or self._seconds <= 0:
            return 1
        return max(1, min(MAX_BATCH, round(BATCH_SECONDS * self._matches / self._seconds)))


class Batches:
    """Cuts a stream of tickets into batches for workers; the last ones before a pause or the end are shared out evenly."""

    def __init__(self, tickets: Tickets, workers: int) -> None:
        self.sizer = BatchSizer()
        self.is_paused = False
        self._tickets = tickets
        self._workers = workers
        self._ready: deque[list[Ticket]] = deque()

    def take(self, free: int) -> list[Ticket]:
        """The next batch; empty if there is none now. ``free`` says how many more batches the workers can have in hand."""
        if not self._ready:
            size = self.sizer.size
            found, self.is_paused = take(self._tickets, size * free)
            if len(found) < size * free:
                size = min(size, max(1, -(-len(found) // self._workers)))
            self._ready.extend(found[first : first + size] for first in range(0, len(found), size))
        return self._ready.popleft() if self._ready else []


class InlineExecutor:
    """Plays everything in this process and its bots' processes, one match at a time."""

    description = "this process"

    def __init__(self) -> None:
        self._house: House | None = None

    def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
        """One result at a time."""
        self.close()
        self._house = House(job.level)
        while True:
            batch, is_paused = take(tickets, 1)
            if not batch and is_paused:
                raise RuntimeError("the schedule waits for results, but all that it has given have been played")
            if not batch:
                return
            yield play_tickets(job, batch, self._house)

    def close(self) -> None:
        """End the bots' processes."""
        if self._house is not None:
            self._house.close()
            self._house = None
