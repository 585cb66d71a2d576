"""What the host of a database looks at: the rate of play, who failed lately, the newest run, the queue of uploads, the disk, the seals."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from leaderboard.errors import StoreError
from leaderboard.records.running import Ending, RunRecord, Space
from leaderboard.records.stored import Order, OrderKind
from leaderboard.storage.activity import Activity, NewestSeal, Rate, find_activity, find_newest, find_rate, find_seals
from leaderboard.storage.runs import runs
from leaderboard.storage.store import Store
from leaderboard.storage.uploads import QueueCount, count_waiting


@dataclass(frozen=True, slots=True)
class HostStatus:
    """The state of a whole database at ``moment``.

    ``run`` is the newest run, of the ``tournament``, whose ``rate`` this is; both are None before the first. ``newest`` is when the
    newest match was stored. ``is_running`` says whether a run holds the database now, ``is_paused`` whether the host has ordered its ladder
    to pause.
    """

    database: str
    moment: datetime
    is_running: bool
    is_paused: bool
    rate: Rate
    newest: datetime | None
    activity: Activity
    tournament: str | None
    run: RunRecord | None
    uploads: QueueCount
    space: Space
    seals: tuple[NewestSeal, ...]

    @property
    def going_on(self) -> RunRecord | None:
        """The newest run, if it is the one that goes on."""
        return self.run if self.is_running and self.run is not None and self.run.ending is Ending.OPEN else None


def find_host_status(store: Store, now: datetime) -> HostStatus:
    """Return the state of the database; ``now`` is the present by this machine's clock. Raises StoreError."""
    is_running = store.is_being_written()  # before the run is read: one that ends in between has not been killed
    tournament, run = next(iter(runs(store).items()), (None, None))
    order = None if tournament is None else _newest_pause(store, tournament)
    began = run.began if is_running and run is not None and run.ending is Ending.OPEN else None
    if began is not None and order is not None:
        began = max(began, _given(order))  # a pause has no rate
    return HostStatus(
        database=store.public_name,
        moment=now,
        is_running=is_running,
        is_paused=order is not None and order.kind == OrderKind.PAUSE,
        rate=find_rate(store, now, tournament, began),
        newest=find_newest(store),
        activity=find_activity(store, now),
        tournament=tournament,
        run=run,
        uploads=count_waiting(store),
        space=store.space(),
        seals=find_seals(store),
    )


def _newest_pause(store: Store, tournament: str) -> Order | None:
    """Return the newest order of a ladder to pause or to go on."""
    stored = store.tournament(tournament)
    orders = () if stored is None else stored.orders
    return max((each for each in orders if each.kind in {OrderKind.PAUSE, OrderKind.GO_ON}), key=lambda each: each.number, default=None)


def _given(order: Order) -> datetime:
    try:
        return datetime.fromisoformat(order.given).astimezone(UTC)
    except ValueError:
        raise StoreError(f"order {order.number} is damaged: '{order.given}' is no time") from None
