"""The interface of executors, the tasks that they give to workers in batches, and the executor that plays in this process."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final, Generic, Protocol, TypeAlias, TypeVar

from bots.limits import STANDARD, Level, Runtime
from bots.loader.version import BotVersion
from bots.protocol import ClockSpec
from engine.core import Game, OptionValue
from engine.core.errors import ArenaError
from engine.records import MatchResult, Ticket, VoidMatch
from engine.registry import find_game

if TYPE_CHECKING:
    from bots.host.player_pool import PlayerPool

BATCH_SECONDS: Final = 0.8
"""Seconds of work in a batch: so many that sending takes little of the time (1.4%), but few enough that a run can stop soon."""
MAX_BATCH: Final = 512
LEAST_PART: Final = 20
"""Before a pause, batches get smaller, down to a full batch divided by this number. Sending even less would not pay."""
ATTEMPTS: Final = 3
"""A match that fails this many times because of the machine is void."""

NO_LIMIT: Final = ClockSpec(start=None, move=None, wall=3600.0, wall_bank=None)
"""A clock without limits, except that a bot that hangs is stopped after an hour."""

Played: TypeAlias = MatchResult | VoidMatch
Item = TypeVar("Item")
Answer = TypeVar("Answer")


class Pause(Enum):
    """Yielded by a stream that has no tickets for now, but may have more after further results."""

    PAUSE = "pause"


PAUSE: Final = Pause.PAUSE
Tickets: TypeAlias = Iterator[Ticket | Pause]
"""A stream of tickets to play. After a `Pause`, take the next ticket only when further results have been yielded."""


def take(items: Iterator[Item | Pause], most: int) -> tuple[list[Item], bool]:
    """Return the next items of a stream, at most ``most``, and whether there are fewer because of a pause."""
    taken: list[Item] = []
    while len(taken) < most:
        item = next(items, None)
        if item is None or isinstance(item, Pause):
            return taken, item is not None
        taken.append(item)
    return taken, False


class HostError(ArenaError):
    """The machine or the cluster failed, not a bot; the message says what to do. All matches that had finished are stored."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class Job:
    """What all matches of a tournament have in common: everything that a worker needs besides tickets.

    ``slow`` and ``new`` are the names of bots whose matches are sent one by one. Both sets may change, and ``bots`` grows if bots join.
    """

    game: str
    options: Mapping[str, OptionValue]
    bots: Mapping[str, BotVersion]
    clock: ClockSpec = NO_LIMIT
    level: Level = Level.NONE
    runtime: Runtime = STANDARD
    slow: set[str] = field(default_factory=set)
    new: set[str] = field(default_factory=set)

    def make_game(self) -> Game:
        """Return the game with its options."""
        return find_game(self.game, self.options)


class Task(ABC, Generic[Item, Answer]):
    """A kind of work that workers do in batches of items. The task itself is pickled and sent to each worker, so it should be small."""

    @property
    def edition(self) -> int:
        """A number that grows when the task has changed; the task is then sent again before the next batch."""
        return 0

    def is_long(self, item: Item) -> bool:
        """Return whether an item takes so long that it is a batch by itself, for a worker that has no other long item."""
        return False

    def is_new(self, item: Item) -> bool:
        """Return whether it is unknown how long an item takes. Such an item is sent alone."""
        return False

    @property
    def table(self) -> tuple[Level, Game, Runtime] | None:
        """The isolation level, game and runtime of the players that the task needs, or None if it needs no players."""
        return None

    @abstractmethod
    def do(self, items: Sequence[Item], pool: PlayerPool | None) -> list[Answer]:
        """Do the items, in a worker, and return one answer for each. ``pool`` creates the task's players; don't close it."""

    @abstractmethod
    def lost(self, item: Item, reason: str) -> Answer:
        """Return the answer for an item whose worker was lost ``ATTEMPTS`` times."""


class Executor(Protocol):
    """Plays tickets. It takes them from an iterator only as needed, so the iterator may be endless.

    When the iterator gives a `Pause`, the executor yields further results before it takes the next ticket, which may depend on them. While
    all workers are busy, it may yield an empty list, so that the caller can do other work without delaying the workers.
    """

    @property
    def description(self) -> str:
        """Where matches are played, in a few words."""
        ...

    def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
        """Yield results as they arrive, one for every ticket taken. Raises HostError."""
        ...

    def work(self, task: Task[Item, Answer], items: Iterator[Item | Pause]) -> Iterator[list[Answer]]:
        """Do the items of any task, and yield the answers as they arrive. Raises HostError."""
        ...

    def close(self) -> None:
        """Release all resources; matches in progress are dropped."""
        ...


class BatchSizer:
    """Chooses the size of batches by the time that earlier items have taken."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._items = 0

    def add(self, items: int, seconds: float) -> None:
        """Take into account a batch of ``items`` items that took ``seconds``. Older batches count less and less."""
        self._seconds = self._seconds / 2 + seconds
        self._items = self._items // 2 + items

    @property
    def size(self) -> int:
        """The number of items in a batch: 1 until a batch has been timed, then as many as fill ``BATCH_SECONDS``."""
        if not self._items or self._seconds <= 0:
            return 1
        return max(1, min(MAX_BATCH, round(BATCH_SECONDS * self._items / self._seconds)))


class Batches(Generic[Item]):
    """Cuts a stream of items into batches for workers. Before a pause or the end, batches get smaller, so that all workers finish together.

    A long item (``is_long``) is a batch by itself. While workers have enough long items, up to ``MOST_HELD`` further ones wait here, and
    other items are sent before them. A new item (``is_new``) is also a batch by itself, so that no worker gets several of them at once;
    new items are sent before ordinary items.
    """

    MOST_HELD: Final = 256

    def __init__(
        self, items: Iterator[Item | Pause], workers: int, is_long: Callable[[Item], bool], is_new: Callable[[Item], bool] = lambda _: False
    ) -> None:
        self.sizer = BatchSizer()
        self.is_paused = False
        self._items = items
        self._workers = workers
        self._is_long = is_long
        self._is_new = is_new
        self._ready: deque[Item] = deque()
        self._long: deque[Item] = deque()
        self._new: deque[Item] = deque()

    def take(self, free: int, long: int) -> list[Item]:
        """Return the next batch, or an empty one. ``free`` and ``long`` are the workers' room for ordinary batches and for long items."""
        size = self.sizer.size
        if free > 0:
            self._look_ahead(size + 3 * self._workers * (size - 1) // 2)
        if self._long and long > 0:
            return [self._long.popleft()]
        if free <= 0:
            return []
        if self._new:
            return [self._new.popleft()]
        size = min(size, max(-(-size // LEAST_PART), 2 * len(self._ready) // (3 * self._workers)), len(self._ready))
        return [self._ready.popleft() for _ in range(size)]

    def _look_ahead(self, wanted: int) -> None:
        """Take items until ``wanted`` items are ready or no item can be taken for now."""
        while (missing := wanted - len(self._ready)) > 0 and len(self._long) < self.MOST_HELD:
            taken, self.is_paused = take(self._items, missing)
            for item in taken:
                (self._long if self._is_long(item) else self._new if self._is_new(item) else self._ready).append(item)
            if len(taken) < missing:
                return


def stuck() -> RuntimeError:
    """Return the error for a schedule that waits for results although every ticket has been played."""
    return RuntimeError("the schedule waits for results, but every ticket that it yielded has been played")


def _one_by_one(items: Iterator[Item | Pause]) -> Iterator[list[Item]]:
    while True:
        batch, is_paused = take(items, 1)
        if not batch and is_paused:
            raise stuck()
        if not batch:
            return
        yield batch


class InlineExecutor:
    """Plays one match at a time from this process. Isolated bots run in their own processes."""

    description = "this process"

    def __init__(self) -> None:
        self._pool: PlayerPool | None = None

    def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
        """Yield one result at a time."""
        from arena.play.match import play_tickets  # noqa: PLC0415  # loaded only when matches are played

        pool = self._open(job.level, job.make_game(), job.runtime)
        for batch in _one_by_one(tickets):
            yield play_tickets(job, batch, pool)

    def work(self, task: Task[Item, Answer], items: Iterator[Item | Pause]) -> Iterator[list[Answer]]:
        """Yield one answer at a time."""
        pool = None if task.table is None else self._open(*task.table)
        for batch in _one_by_one(items):
            yield task.do(batch, pool)

    def _open(self, level: Level, game: Game, runtime: Runtime) -> PlayerPool:
        from bots.host.player_pool import PlayerPool  # noqa: PLC0415  # as above

        self.close()
        self._pool = PlayerPool(level, game=game, runtime=runtime)
        return self._pool

    def close(self) -> None:
        """End the bots' processes."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None
