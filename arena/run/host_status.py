"""The state of a database for its host: alarms, the rate of play, recent faults, the newest run, the queue of uploads, the disk, seals.

``arena status`` and the host's page show the same record.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final

from leaderboard.errors import StoreError
from leaderboard.records.running import Ending, RunRecord, Space
from leaderboard.records.stored import Order, OrderKind
from leaderboard.storage.activity import (
    EXPECTED,
    WINDOWS,
    Activity,
    NewestSeal,
    Rate,
    find_activity,
    find_newest,
    find_rate,
    find_seals,
)
from leaderboard.storage.runs import runs
from leaderboard.storage.store import Store
from leaderboard.storage.uploads import QueueCount, count_waiting

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


@dataclass(frozen=True, slots=True)
class HostStatus:
    """The state of a whole database at ``moment``.

    ``run`` is the newest run, ``tournament`` the one it plays, and ``rate`` that tournament's; all are None before the first run.
    ``newest`` is the time at which the newest match was stored. ``is_running`` says whether a run holds the database now, ``is_paused``
    whether the host has ordered its ladder to pause. ``left`` has the tournaments and names of bots that have left.
    """

    database: str
    moment: datetime
    is_running: bool
    is_paused: bool
    rate: Rate
    newest: datetime | None
    activity: Activity
    left: tuple[tuple[str, str], ...]
    tournament: str | None
    run: RunRecord | None
    uploads: QueueCount
    space: Space
    seals: tuple[NewestSeal, ...]

    @property
    def going_on(self) -> RunRecord | None:
        """The newest run if it is still going on, otherwise None."""
        return self.run if self.is_running and self.run is not None and self.run.ending is Ending.OPEN else None


def find_host_status(store: Store, now: datetime) -> HostStatus:
    """Return the state of the database; ``now`` is the time by this machine's clock. Raises StoreError."""
    is_running = store.is_being_written()  # before the run is read, so that a run that ends in between does not look killed
    tournament, run = next(iter(runs(store).items()), (None, None))
    order = None if tournament is None else _newest_order(store, tournament)
    began = run.began if is_running and run is not None and run.ending is Ending.OPEN else None
    if began is not None and order is not None:
        began = max(began, _given(order))  # a paused run has no rate
    activity = find_activity(store, now)
    return HostStatus(
        database=store.public_name,
        moment=now,
        is_running=is_running,
        is_paused=order is not None and order.kind == OrderKind.PAUSE,
        rate=find_rate(store, now, tournament, began),
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


def _given(order: Order) -> datetime:
    try:
        return datetime.fromisoformat(order.given).astimezone(UTC)
    except ValueError:
        raise StoreError(f"order {order.number} is damaged: '{order.given}' is no time") from None


# Alarms


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


def find_alarms(status: HostStatus) -> tuple[Alarm, ...]:
    """Return the alarms of that moment, by kind."""
    finders = {
        AlarmKind.RATE: _rate,
        AlarmKind.BOT: _bots,
        AlarmKind.DISK: _disk,
        AlarmKind.CLOCK: _clock,
        AlarmKind.RUN: _run,
    }
    return tuple(Alarm(kind, text) for kind, find in finders.items() for text in find(status))


def _rate(status: HostStatus) -> Iterator[str]:
    rate = status.rate
    if (
        status.going_on is not None
        and not status.is_paused
        and rate.seconds >= WINDOWS[0]
        and rate.expected >= EXPECTED
        and rate.now * SLOWER <= rate.before
    ):
        yield (
            f"the rate has fallen to {rate_text(rate.now)} from {rate_text(rate.before)}; look at the workers and the load of the machine"
        )


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


def rate_text(rate: float) -> str:
    """Return a rate per second in the unit that suits it, such as ``12.0 matches/min``."""
    units = ((1, "s"), (60, "min"), (3600, "h"))
    seconds, unit = next((each for each in units if rate * each[0] >= 1), units[-1])
    return f"{rate * seconds:.1f} matches/{unit}"
