"""The state of a database for its host: alarms, matches and faults of the last hour, the newest run, uploads, the disk, seals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from leaderboard.records import Ending, Order, OrderKind, Space
from leaderboard.storage.activity import Activity, NewestSeal, find_activity, find_newest, find_seals
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import QueueCount, count_waiting
from leaderboard.storage.tournaments import Run, runs

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


@dataclass(frozen=True, slots=True)
class HostStatus:
    """The state of a whole database at ``moment``.

    ``run`` is the newest run, and ``tournament`` the one it plays; both are None before the first run.
    ``newest`` is the time at which the newest match was stored. ``is_running`` says whether a run holds the database now, ``is_paused``
    whether the host has ordered its ladder to pause. ``left`` has the tournaments and names of bots that have left.
    """

    database: str
    moment: datetime
    is_running: bool
    is_paused: bool
    newest: datetime | None
    activity: Activity
    left: tuple[tuple[str, str], ...]
    tournament: str | None
    run: Run | None
    uploads: QueueCount
    space: Space
    seals: tuple[NewestSeal, ...]

    @property
    def going_on(self) -> Run | None:
        """The newest run if it is still going on, otherwise None."""
        return self.run if self.is_running and self.run is not None and self.run.ending is Ending.OPEN else None


def find_host_status(store: Store, now: datetime) -> HostStatus:
    """Return the state of the database; ``now`` is the time by this machine's clock. Raises StoreError."""
    is_running = store.is_being_written()  # before the run is read, so that a run that ends in between does not look killed
    tournament, run = next(iter(runs(store).items()), (None, None))
    order = None if tournament is None else _newest_order(store, tournament)
    activity = find_activity(store, now)
    return HostStatus(
        database=store.public_name,
        moment=now,
        is_running=is_running,
        is_paused=order is not None and order.kind == OrderKind.PAUSE,
        newest=find_newest(store),
        activity=activity,
        left=tuple(_left(store, {each.tournament for each in activity.faults})),
        tournament=tournament,
        run=run,
        uploads=count_waiting(store),
        space=store.space(),
        seals=find_seals(store),
    )


def _newest_order(store: Store, tournament: str) -> Order | None:
    """Return the newest order that paused or resumed the ladder."""
    stored = store.tournament(tournament)
    orders = () if stored is None else stored.orders
    kinds = (OrderKind.PAUSE, OrderKind.RESUME)
    return max((each for each in orders if each.kind in kinds), key=lambda each: each.number, default=None)


def _left(store: Store, tournaments: set[str]) -> Iterator[tuple[str, str]]:
    for name in tournaments:
        stored = store.tournament(name)
        for order in () if stored is None else stored.orders:
            if order.kind == OrderKind.LEAVE and order.bot is not None:
                yield name, order.bot


# Alarms


class AlarmKind(StrEnum):
    """The subject of an alarm."""

    BOT = "bot"
    DISK = "disk"
    CLOCK = "clock"
    RUN = "run"
    SEASON = "season"


@dataclass(frozen=True, slots=True)
class Alarm:
    """A problem that the host should look at, in one sentence."""

    kind: AlarmKind
    text: str


def find_alarms(status: HostStatus) -> tuple[Alarm, ...]:
    """Return the alarms of that moment, by kind."""
    finders = {
        AlarmKind.BOT: _bots,
        AlarmKind.DISK: _disk,
        AlarmKind.CLOCK: _clock,
        AlarmKind.RUN: _run,
    }
    return tuple(Alarm(kind, text) for kind, find in finders.items() for text in find(status))


def _bots(status: HostStatus) -> Iterator[str]:
    for each in status.activity.faults:
        if each.matches >= LEAST_MATCHES and each.faults > each.matches / 2 and (each.tournament, each.bot) not in status.left:
            kinds = ", ".join(f"{number} x {kind}" for kind, number in each.kinds.items())
            since = f"{status.activity.since:%H:%M} UTC"
            yield f"{each.bot} failed in {each.faults} of its {each.matches} matches of {each.tournament} since {since} ({kinds})"


def _disk(status: HostStatus) -> Iterator[str]:
    free, total = status.space.free, status.space.total
    if free is not None and total is not None and (free < LEAST_FREE or free < LEAST_SHARE * total):
        yield f"{free / GIB:.2f} GiB ({free / max(total, 1):.0%}) of the database's disk is left; a run ends when it is full"


def _clock(status: HostStatus) -> Iterator[str]:
    written = [each for each in (status.newest, None if status.run is None else status.run.seen) if each is not None]
    if written and max(written) > status.moment + AHEAD:
        yield f"the newest result or heartbeat is dated {max(written):%Y-%m-%d %H:%M:%S} UTC, in the future; a clock is wrong"
    step = None if status.run is None else status.run.step
    if status.run is not None and step is not None and step.moment > status.moment - REMEMBERED:
        yield (
            f"the clock of {status.run.host} jumped by {step.seconds:+.0f} s at {step.moment:%H:%M} UTC: it was set, or the machine slept"
        )


def _run(status: HostStatus) -> Iterator[str]:
    if status.run is None or status.is_running:
        return
    run, what = status.run, f"the run of {status.tournament}"
    if run.ending is Ending.OPEN:
        yield (
            f"{what} (process {run.process} on {run.host}) was killed after {run.seen:%Y-%m-%d %H:%M:%S} UTC; the same command continues it"
        )
    elif run.reason:
        yield f"{what} has {run.ending}: {run.reason}"
