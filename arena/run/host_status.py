"""The state of a database for its host: rate of play, recent faults, the newest run, the queue of uploads, the disk, seals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from leaderboard.errors import StoreError
from leaderboard.records.running import Ending, RunRecord, Space
from leaderboard.records.stored import WAITING, Order, OrderKind
from leaderboard.storage.activity import (
    Activity,
    BotFaults,
    NewestSeal,
    Rate,
    find_activity,
    find_faults,
    find_newest,
    find_rate,
    find_seals,
)
from leaderboard.storage.runs import runs
from leaderboard.storage.store import Store
from leaderboard.storage.uploads import QueueCount, count_waiting


@dataclass(frozen=True, slots=True)
class HostStatus:
    """The state of a whole database at ``moment``.

    ``run`` is the newest run, ``tournament`` the one it plays, and ``rate`` that tournament's; all are None before the first run.
    ``newest`` is the time at which the newest match was stored. ``failing`` has the bots that failed lately, since when and how often. It
    leaves out bots that have left, and faults before the newest order that took a bot out or in again. ``is_running`` says whether a run
    holds the database now, ``is_paused`` whether the host has ordered its ladder to pause; ``limits`` is the newest order that sets limits
    of the clock, None if those of the file hold.
    """

    database: str
    moment: datetime
    is_running: bool
    is_paused: bool
    limits: Order | None
    rate: Rate
    newest: datetime | None
    activity: Activity
    failing: tuple[tuple[datetime, BotFaults], ...]
    tournament: str | None
    run: RunRecord | None
    uploads: QueueCount
    space: Space
    seals: tuple[NewestSeal, ...]

    @property
    def going_on(self) -> RunRecord | None:
        """The newest run if it is still going on, otherwise None."""
        return self.run if self.is_running and self.run is not None and self.run.ending is Ending.OPEN else None


def find_host_status(store: Store, now: datetime, only: str | None = None) -> HostStatus:
    """Return the state of the database, limited to one tournament if ``only`` names it; ``now`` is the time by this machine's clock.

    Raises StoreError.
    """
    is_running = store.is_being_written()  # before the run is read, so that a run that ends in between does not look killed
    newest = runs(store)
    tournament, run = next(iter(newest.items()), (None, None))
    if only is not None:
        is_running, tournament, run = is_running and tournament == only, only, newest.get(only)
    order = None if tournament is None else _newest(store, tournament, None, OrderKind.PAUSE, OrderKind.RESUME)
    began = run.began if is_running and run is not None and run.ending is Ending.OPEN else None
    if began is not None and order is not None:
        began = max(began, _given(order))  # a paused run has no rate
    activity = find_activity(store, now, only)
    return HostStatus(
        database=store.public_name,
        moment=now,
        is_running=is_running,
        is_paused=order is not None and order.kind == OrderKind.PAUSE,
        limits=None if tournament is None else _newest(store, tournament, None, OrderKind.LIMITS),
        rate=find_rate(store, now, tournament, began),
        newest=find_newest(store),
        activity=activity,
        failing=tuple(_failing(store, activity, now)),
        tournament=tournament,
        run=run,
        uploads=count_waiting(store),
        space=store.space(),
        seals=find_seals(store),
    )


def _failing(store: Store, activity: Activity, now: datetime) -> Iterator[tuple[datetime, BotFaults]]:
    for each in activity.faults:
        order = _newest(store, each.tournament, each.bot, OrderKind.LEAVE, OrderKind.ENTER)
        if order is not None and order.kind == OrderKind.LEAVE and order.round != WAITING:
            continue  # matches of earlier rounds may end after it
        if order is None or (given := _given(order)) <= activity.since:
            yield activity.since, each
        else:
            faults = find_faults(store, given, now, each.tournament)
            yield from ((given, later) for later in faults if later.bot == each.bot)


def _newest(store: Store, tournament: str, bot: str | None, *kinds: OrderKind) -> Order | None:
    """Return the newest order of these kinds about the bot, or about the whole ladder."""
    stored = store.tournament(tournament)
    orders = () if stored is None else stored.orders
    return max((each for each in orders if each.kind in kinds and each.bot == bot), key=lambda each: each.number, default=None)


def _given(order: Order) -> datetime:
    try:
        return datetime.fromisoformat(order.given).astimezone(UTC)
    except ValueError:
        raise StoreError(f"order {order.number} is damaged: '{order.given}' is no time") from None
