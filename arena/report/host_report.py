"""The state of a database for its host as lines and tables."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from arena.report.table import Table
from arena.run.host_status import GIB, HostStatus
from leaderboard.records import Ending
from leaderboard.storage.activity import NewestSeal

_ENDINGS: Final = {Ending.OPEN: "was killed", Ending.STOPPED: "was stopped by its host"}
SHOWN: Final = 10
"""The most rows of a table: the bots that failed most, or the workers that have been silent longest."""


def host_lines(status: HostStatus, tournament: str | None = None) -> list[tuple[str, str]]:
    """Return pairs of a subject, in one word, and a line about it; the seals are those of one tournament."""
    lines = [
        ("lately", _matches(status)),
        ("workers", _workers(status)),
        ("uploads", _uploads(status)),
        ("disk", _disk(status)),
    ]
    return lines + [("seals", seal_text(each)) for each in status.seals if each.tournament == tournament]


def _matches(status: HostStatus) -> str:
    paused = "paused by the host; " if status.is_paused else ""
    return f"{paused}{status.activity.matches} matches since {status.activity.since:%H:%M} UTC"


def _workers(status: HostStatus) -> str:
    run = status.run
    if run is None:
        return "no run yet"
    what = f"{run.place}, driver {run.host}:{run.process}, {run.matches} matches"
    if status.going_on is None:
        return f"none; the last run ({what}) {_ENDINGS.get(run.ending, f'has ended: {run.ending}')}"
    return f"{what} since {run.began:%Y-%m-%d %H:%M} UTC; last seen {ago(run.seen, status.moment)}"


def _uploads(status: HostStatus) -> str:
    queue = status.uploads
    oldest = "" if queue.oldest is None else f", the oldest sent {ago(queue.oldest, status.moment)}"
    return f"{queue.waiting} waiting{oldest}; {queue.checking} being checked"


def _disk(status: HostStatus) -> str:
    space = status.space
    used = f"the database takes {size(space.used)}"
    if space.free is None or space.total is None:
        return f"{used}; only its server knows the free space"
    return f"{size(space.free)} of {size(space.total)} left; {used}"


def seal_text(seal: NewestSeal) -> str:
    """Return the coverage and the time of a tournament's newest seal."""
    if not seal.number:
        return f"none for its {seal.played} matches"
    if seal.time is None:
        return f"{seal.number}, the newest can't be read; see 'arena verify'"
    time = seal.time.replace("T", " ").removesuffix("Z")
    words = "".join(f", {word}" for word, holds in (("final", seal.is_final), ("signed", seal.is_signed)) if holds)
    return f"{seal.number}, the newest of {time} UTC for {seal.matches} of {seal.played} matches{words}"


def fault_table(status: HostStatus) -> Table:
    """Return the bots that failed lately, those that failed most first."""
    faults = status.activity.faults
    kinds = [", ".join(f"{number} x {kind}" for kind, number in each.kinds.items()) for each in faults]
    rows = [(each.bot, str(each.faults), str(each.matches), text) for each, text in zip(faults, kinds, strict=True)]
    title = f"faults since {status.activity.since:%H:%M} UTC, in {status.activity.matches} matches"
    return Table("faults", title, ("bot", "faults", "matches", "kinds"), rows[:SHOWN], notes=_more(rows))


def worker_table(status: HostStatus) -> Table:
    """Return the workers of the current run, longest silent first."""
    workers = () if status.going_on is None else status.going_on.workers
    rows = [
        (each.name, str(each.matches), ago(each.seen, status.moment)) for each in sorted(workers, key=lambda each: (each.seen, each.name))
    ]
    return Table("workers", "workers, the most silent first", ("worker", "matches", "last seen"), rows[:SHOWN], notes=_more(rows))


def _more(rows: Sequence[object]) -> tuple[str, ...]:
    return (f"and {len(rows) - SHOWN} more",) if len(rows) > SHOWN else ()


def ago(moment: datetime, now: datetime) -> str:
    """Return how long ago it was, such as ``5 min ago``."""
    seconds = (now - moment).total_seconds()
    return "in the future" if seconds < -1 else f"{span(max(seconds, 0))} ago"


def span(seconds: float) -> str:
    """Return a duration in the largest unit in which it is exactly 1 or at least 2."""
    for size_, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size_ or seconds == size_:
            return f"{seconds / size_:.0f} {unit}"
    return f"{seconds:.0f} s"


def size(number: int) -> str:
    """Return a number of bytes in GiB or MiB."""
    return f"{number / GIB:.1f} GiB" if number >= GIB else f"{number / (1 << 20):.1f} MiB"
