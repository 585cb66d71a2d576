"""Records for a host while matches are played: runs, their workers, and the space that a database takes. They contain no results."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Space:
    """The bytes that a database takes, and the free and total bytes of its disk, None where only the database's server knows."""

    used: int
    free: int | None = None
    total: int | None = None


class Ending(StrEnum):
    """How a run ended: with every match played, stopped by somebody, paused by itself, or because the machine failed.

    Both a killed run and a run in progress are ``OPEN``; only the latter holds the lock of its database.
    """

    OPEN = ""
    COMPLETE = "complete"
    STOPPED = "stopped"
    PAUSED = "paused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class WorkerRecord:
    """A worker of a run: how many matches it has played, and when it last answered."""

    name: str
    matches: int
    seen: datetime


@dataclass(frozen=True, slots=True)
class ClockStep:
    """A jump of a machine's clock by ``seconds``, noticed at ``moment``; negative if it went back."""

    moment: datetime
    seconds: float
