"""Describes the state of a database for its host, in lines of text."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from arena.run.host_status import GIB, LATELY, HostStatus
from leaderboard.records import Ending
from leaderboard.storage.activity import NewestSeal

_ENDINGS: Final = {Ending.OPEN: "was killed", Ending.STOPPED: "was stopped by its host"}


def host_lines(status: HostStatus) -> list[tuple[str, str]]:
    """Return lines about a database as pairs (subject, text); the subject is one word, such as ``disk``."""
    paused = "paused by the host; " if status.is_paused else ""
    return [
        ("recent", f"{paused}{status.matches} matches since {status.moment - LATELY:%H:%M} UTC"),
        ("driver", _driver(status)),
        ("uploads", _uploads(status)),
        ("disk", _disk(status)),
    ]


def _driver(status: HostStatus) -> str:
    run = status.run
    if run is None:
        return "no run yet"
    what = f"process {run.process} on {run.host}, in {run.place}, {run.matches} matches"
    if status.going_on is None:
        return f"none; the last run ({what}) {_ENDINGS.get(run.ending, f'has ended: {run.ending}')}"
    return f"{what} since {run.began:%Y-%m-%d %H:%M} UTC; last seen {ago(run.seen, status.moment)}"


def _uploads(status: HostStatus) -> str:
    queue = status.uploads
    oldest = "" if queue.oldest is None else f", the oldest sent {ago(queue.oldest, status.moment)}"
    return f"{queue.waiting} waiting{oldest}; {queue.checking} being checked"


def _disk(status: HostStatus) -> str:
    space = status.space
    used = f"the database takes up {size(space.used)}"
    if space.free is None or space.total is None:
        return f"{used}; only the database server knows the free space"
    return f"{size(space.free)} of {size(space.total)} left; {used}"


def seal_text(seal: NewestSeal, played: int) -> str:
    """Return a line about a tournament's newest seal, with its time and how many of the ``played`` matches it covers."""
    if not seal.number:
        return f"none for its {played} matches"
    if seal.time is None:
        return f"{seal.number} is the newest, but can't be read; see 'arena verify'"
    time = seal.time.replace("T", " ").removesuffix("Z")
    words = "".join(f", {word}" for word, holds in (("final", seal.is_final), ("signed", seal.is_signed)) if holds)
    return f"{seal.number} is the newest: {time} UTC, {seal.matches} of {played} matches{words}"


def ago(moment: datetime, now: datetime) -> str:
    """Return how long ago a moment was, such as ``5 min ago``."""
    seconds = (now - moment).total_seconds()
    return "in the future" if seconds < -1 else f"{span(max(seconds, 0))} ago"


def span(seconds: float) -> str:
    """Return a duration, rounded, in the largest of d, h and min in which it is exactly 1 or at least 2 (90 min, not 2 h), or else in s."""
    for size_, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= 2 * size_ or seconds == size_:
            return f"{seconds / size_:.0f} {unit}"
    return f"{seconds:.0f} s"


def size(number: int) -> str:
    """Return a number of bytes in GiB or MiB."""
    return f"{number / GIB:.1f} GiB" if number >= GIB else f"{number / (1 << 20):.1f} MiB"
