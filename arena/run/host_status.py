"""The state of a database, for its host: alarms, the newest run, the matches of the last hour, uploads and disk space."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from leaderboard.records import Ending, Order, OrderKind, Space
from leaderboard.storage.activity import count_since
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import QueueCount, count_waiting
from leaderboard.storage.tournaments import Run, runs

LATELY: Final = timedelta(hours=1)
"""The period over which recent matches are counted."""
LEAST_FREE: Final = 1 << 30
LEAST_SHARE: Final = 0.05
"""An alarm is raised if less than ``LEAST_FREE`` bytes, or less than this share, of the database's disk is free."""
GIB: Final = 1 << 30


@dataclass(frozen=True, slots=True)
class HostStatus:
    """The state of a whole database at ``moment``.

    ``run`` is the newest run, and ``tournament`` is the tournament that it plays; both are None before the first run. ``matches`` is the
    number of matches stored in the last hour. ``is_running`` is whether a run is writing to the database now; ``is_paused`` is whether the
    host has paused the ladder.
    """

    database: str
    moment: datetime
    is_running: bool
    is_paused: bool
    matches: int
    tournament: str | None
    run: Run | None
    uploads: QueueCount
    space: Space

    @property
    def going_on(self) -> Run | None:
        """The newest run if it is still going on, otherwise None."""
        return self.run if self.is_running and self.run is not None and self.run.ending is Ending.OPEN else None


def find_host_status(store: Store, now: datetime) -> HostStatus:
    """Return the state of the database; ``now`` is the current time. Raises StoreError."""
    is_running = store.is_being_written()  # before the run is read, so that a run that ends in between does not look killed
    tournament, run = next(iter(runs(store).items()), (None, None))
    order = None if tournament is None else _newest_order(store, tournament)
    return HostStatus(
        database=store.public_name,
        moment=now,
        is_running=is_running,
        is_paused=order is not None and order.kind == OrderKind.PAUSE,
        matches=count_since(store, now - LATELY),
        tournament=tournament,
        run=run,
        uploads=count_waiting(store),
        space=store.space(),
    )


def _newest_order(store: Store, tournament: str) -> Order | None:
    stored = store.tournament(tournament)
    orders = () if stored is None else stored.orders
    kinds = (OrderKind.PAUSE, OrderKind.RESUME)
    return max((each for each in orders if each.kind in kinds), key=lambda each: each.number, default=None)


class AlarmKind(StrEnum):
    """The subject of an alarm."""

    DISK = "disk"
    RUN = "run"
    SEASON = "season"


@dataclass(frozen=True, slots=True)
class Alarm:
    """One sentence about a problem that the host should look at."""

    kind: AlarmKind
    text: str


def find_alarms(status: HostStatus) -> Iterator[Alarm]:
    """Yield the alarms about the disk and the newest run."""
    free, total = status.space.free, status.space.total
    if free is not None and total is not None and (free < LEAST_FREE or free < LEAST_SHARE * total):
        share = free / max(total, 1)
        yield Alarm(AlarmKind.DISK, f"{free / GIB:.2f} GiB ({share:.0%}) of the database's disk is free; a run ends when the disk is full")
    if status.run is None or status.is_running:
        return
    run, what = status.run, f"the run of {status.tournament}"
    if run.ending is Ending.OPEN:
        seen = f"{run.seen:%Y-%m-%d %H:%M:%S} UTC"
        yield Alarm(AlarmKind.RUN, f"{what} (process {run.process} on {run.host}) was killed after {seen}; the same command continues it")
    elif run.reason:
        yield Alarm(AlarmKind.RUN, f"{what} has {run.ending}: {run.reason}")
