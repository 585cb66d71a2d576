"""Records of what a host looks at while matches are played: runs and their workers, the room that a database takes. None is a result."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Space:
    """The bytes that a database takes, and those free and in all on its disk; None where only the database's server knows."""

    used: int
    free: int | None = None
    total: int | None = None


class Ending(StrEnum):
    """How a run ended: with every match played, because somebody stopped it, by a pause of its own, or because the machine failed.

    A run that was killed is ``OPEN``, as is one that goes on; only this one holds the lock of its database.
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


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The newest run of a tournament: its driver is the ``process`` on ``host``, whose last heartbeat was at ``seen``.

    ``place`` says in a few words where matches are played, ``matches`` how many the run has stored, ``reason`` why it paused or failed.
    """

    host: str
    process: int
    place: str
    began: datetime
    seen: datetime
    matches: int
    workers: tuple[WorkerRecord, ...] = ()
    step: ClockStep | None = None
    ending: Ending = Ending.OPEN
    reason: str = ""
