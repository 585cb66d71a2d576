"""The interface of executors, the work of a worker, and the executor that plays in this process."""

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
"""Seconds of work in a batch: long enough to hide the cost of sending it (measured: 98.6% efficient), short enough to stop soon."""
MAX_BATCH: Final = 512
LEAST_PART: Final = 20
"""The smallest batches, those before a pause, are this many times smaller than full batches; it would not pay to send less work."""
ATTEMPTS: Final = 3
"""A match that fails this many times because of the machine is void."""

NO_LIMIT: Final = ClockSpec(start=None, move=None, wall=3600.0, wall_bank=None)
"""The clock of a bot whose time is not limited; if the bot hangs, it is stopped after an hour."""

Played: TypeAlias = MatchResult | VoidMatch
Item = TypeVar("Item")
Answer = TypeVar("Answer")


class Pause(Enum):
    """Yielded by a stream that has no tickets for now, but may have more after further results."""

    PAUSE = "pause"


PAUSE: Final = Pause.PAUSE
Tickets: TypeAlias = Iterator[Ticket | Pause]
"""Tickets to be played. After a pause, request the next ticket once results have been handed on."""


def take(items: Iterator[Item | Pause], most: int) -> tuple[list[Item], bool]:
    """Return at most ``most`` items, and whether there are fewer because of a pause."""
    taken: list[Item] = []
    while len(taken) < most:
        item = next(items, None)
        if item is None or isinstance(item, Pause):
            return taken, item is not None
        taken.append(item)
    return taken, False


class HostError(ArenaError):
    """The machine or the cluster failed, not a bot; the message says what to do. Matches played before that are stored."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class Job:
    """What all matches of a tournament have in common: everything that a worker needs besides tickets.

    While a ladder runs, ``bots`` grows when bots join. Matches of ``slow`` or ``new`` bots are sent one by one; these sets may also change.
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
        """The game with its options."""
        return find_game(self.game, self.options)


class Task(ABC, Generic[Item, Answer]):
    """Work that workers do in batches. The task is sent to each worker once, so it must be picklable, and should be small."""

    @property
    def edition(self) -> int:
        """A number that grows when the task has changed; the task is then sent again before the next batch."""
        return 0

    def is_long(self, item: Item) -> bool:
        """Return whether an item takes so long that it is sent alone, to a worker without another long item."""
        return False

    def is_new(self, item: Item) -> bool:
        """Return whether the duration of an item is unknown, so that it is sent alone."""
        return False

    @property
    def table(self) -> tuple[Level, Game, Runtime] | None:
        """The level, the game and the runtime of the players that the task needs; None if it needs no players."""
        return None

    @abstractmethod
    def do(self, items: Sequence[Item], pool: PlayerPool | None) -> list[Answer]:
        """Return one answer for each item; called in a worker. ``pool`` creates players for ``table``; the worker closes it."""

    @abstractmethod
    def lost(self, item: Item, reason: str) -> Answer:
        """Return the answer for an item whose worker was lost ``ATTEMPTS`` times."""


class Executor(Protocol):
    """Plays tickets, which it takes from the iterator only as needed, so a schedule may be endless.

    After a pause, it continues once it has yielded results, from which the caller may create the next tickets. While all workers are busy,
    it may yield an empty list, so that the caller can use the time for work that would otherwise delay them.
    """

    @property
    def description(self) -> str:
        """Where matches are played, in a few words."""
        ...

    def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
        """Yield results as they arrive, one for every ticket taken. Raises HostError."""
        ...

    def work(self, task: Task[Item, Answer], items: Iterator[Item | Pause]) -> Iterator[list[Answer]]:
        """Yield the answers of any task as they arrive. Raises HostError."""
        ...

    def close(self) -> None:
        """Release all resources; matches in progress are dropped."""
        ...


class BatchSizer:
    """Sets the size of batches according to the time that items have taken."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._items = 0

    def add(self, items: int, seconds: float) -> None:
        """Update from a batch; old batches count less and less."""
        self._seconds = self._seconds / 2 + seconds
        self._items = self._items // 2 + items

    @property
    def size(self) -> int:
        """The number of items in a batch: 1 until a batch has been timed, then as many as fill ``BATCH_SECONDS``."""
        if not self._items or self._seconds <= 0:
            return 1
        return max(1, min(MAX_BATCH, round(BATCH_SECONDS * self._items / self._seconds)))


class Batches(Generic[Item]):
    """Cuts a stream of items into batches for workers. It looks ahead, so that batches get smaller before a pause or the end.

    All workers therefore finish at about the same time. A long item (``is_long``) is a batch by itself. While workers have enough of these,
    up to ``MOST_HELD`` further long items are held back, and later items go first. A new item (``is_new``) is also a batch by itself, so
    that no worker gets several of them in a row; new items go before the others.
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
        """Return the next batch, or an empty one. There is room for ``free`` more batches, of which ``long`` may be long items."""
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
    """Plays everything from this process, with isolated bots in their own processes, one match at a time."""

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
