"""Alarms for the host, computed from the state of a database and the time alone, so that every display shows the same ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from arena.run.host_status import HostStatus
from leaderboard.records.running import Ending
from leaderboard.storage.activity import EXPECTED, WINDOWS

SLOWER: Final = 10
"""A rate that is this many times lower than the earlier one is an alarm."""
LEAST_MATCHES: Final = 10
"""The number of matches of a bot from which its faults are judged."""
LEAST_FREE: Final = 1 << 30
LEAST_SHARE: Final = 0.05
"""An alarm is raised when less than this is free on the database's disk: in bytes, and as a share of the disk."""
AHEAD: Final = timedelta(minutes=1)
"""An entry dated further than this in the future means that a clock is wrong: the writer's or this machine's."""
REMEMBERED: Final = timedelta(hours=1)
"""How long a jump of the clock remains an alarm."""
GIB: Final = 1 << 30


class AlarmKind(StrEnum):
    """The subject of an alarm."""

    RATE = "rate"
    BOT = "bot"
    DISK = "disk"
    CLOCK = "clock"
    RUN = "run"


@dataclass(frozen=True, slots=True)
class Alarm:
    """A problem that the host should look at, in one sentence."""

    kind: AlarmKind
    text: str


def find_alarms(status: HostStatus, now: datetime) -> tuple[Alarm, ...]:
    """Return the alarms at ``now``, by kind."""
    finders = {
        AlarmKind.RATE: _rate,
        AlarmKind.BOT: _bots,
        AlarmKind.DISK: _disk,
        AlarmKind.CLOCK: _clock,
        AlarmKind.RUN: _run,
    }
    return tuple(Alarm(kind, text) for kind, find in finders.items() for text in find(status, now))


def _rate(status: HostStatus, _now: datetime) -> Iterator[str]:
    rate = status.rate
    if (
        status.going_on is not None
        and not status.is_paused
        and rate.seconds >= WINDOWS[0]
        and rate.expected >= EXPECTED
        and rate.now * SLOWER <= rate.before
    ):
        yield (
            f"the rate has fallen to {rate_text(rate.now)} from {rate_text(rate.before)}; look at the workers, the longest matches and the "
            "load of the machine"
        )


def _bots(status: HostStatus, _now: datetime) -> Iterator[str]:
    for since, each in status.failing:
        if each.matches >= LEAST_MATCHES and each.faults > each.matches / 2:
            kinds = ", ".join(f"{number} x {kind}" for kind, number in each.kinds.items())
            yield (
                f"{each.bot} failed in {each.faults} of its {each.matches} matches of {each.tournament} since {since:%H:%M} UTC ({kinds})"
            )


def _disk(status: HostStatus, _now: datetime) -> Iterator[str]:
    free, total = status.space.free, status.space.total
    if free is not None and total is not None and (free < LEAST_FREE or free < LEAST_SHARE * total):
        yield f"{free / GIB:.2f} GiB ({free / max(total, 1):.0%}) of the database's disk is left; a run ends when it is full"


def _clock(status: HostStatus, now: datetime) -> Iterator[str]:
    written = [each for each in (status.newest, None if status.run is None else status.run.seen) if each is not None]
    if written and max(written) > now + AHEAD:
        yield f"the newest result or heartbeat is dated {max(written):%Y-%m-%d %H:%M:%S} UTC, in the future; a clock is wrong"
    step = None if status.run is None else status.run.step
    if status.run is not None and step is not None and step.moment > now - REMEMBERED:
        yield (
            f"the clock of {status.run.host} jumped by {step.seconds:+.0f} s at {step.moment:%H:%M} UTC: it was set, or the machine slept"
        )


def _run(status: HostStatus, _now: datetime) -> Iterator[str]:
    if status.run is None or status.is_running:
        return
    run, what = status.run, f"the run of {status.tournament}"
    if run.ending is Ending.OPEN:
        yield (
            f"{what} (process {run.process} on {run.host}) was killed after {run.seen:%Y-%m-%d %H:%M:%S} UTC; the same command continues it"
        )
    elif run.reason:
        yield f"{what} has {run.ending}: {run.reason}"


def rate_text(rate: float) -> str:
    """Return a rate per second in the unit that suits it, such as ``12.0 matches/min``."""
    units = ((1, "s"), (60, "min"), (3600, "h"))
    seconds, unit = next((each for each in units if rate * each[0] >= 1), units[-1])
    return f"{rate * seconds:.1f} matches/{unit}"
