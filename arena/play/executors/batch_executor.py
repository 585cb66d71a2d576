"""The code that the Ray executor and the process executor share. It sends batches of items to several workers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from time import perf_counter
from typing import Any, Final, TypeAlias

import msgspec

from arena.play.executors.base import (
    ATTEMPTS,
    Answer,
    Batches,
    BatchSizer,
    HostError,
    Item,
    Job,
    Pause,
    Played,
    Task,
    Tickets,
    stuck,
)
from arena.play.match import play_tickets
from bots.clock import load
from bots.host.player_pool import PlayerPool
from bots.limits import Level, Runtime
from engine.core import Game
from engine.records import MatchResult, Ticket, VoidMatch
from engine.text import one_line

_ENCODER: Final = msgspec.msgpack.Encoder()
_TICKETS: Final = msgspec.msgpack.Decoder(list[Ticket])
_RESULTS: Final = msgspec.msgpack.Decoder(tuple[list[MatchResult], list[VoidMatch]])


class Pickled:
    """The codec for items and answers of any type. It changes nothing, since the executor pickles what it sends."""

    @staticmethod
    def pack_items(items: list[Any]) -> Any:
        """Return the items as a message for a worker. Called in the driver."""
        return items

    @staticmethod
    def unpack_items(packed: Any) -> list[Any]:
        """Return the items in a message. Called in a worker."""
        items: list[Any] = packed
        return items

    @staticmethod
    def pack_answers(answers: list[Any]) -> Any:
        """Return the answers as a message for the driver. Called in a worker."""
        return answers

    @staticmethod
    def unpack_answers(packed: Any) -> list[Any]:
        """Return the answers in a message. Called in the driver."""
        answers: list[Any] = packed
        return answers


class PackedMatches(Pickled):
    """The codec for tickets and results. It uses MessagePack, since the one driver would take five times as long to read pickles."""

    @staticmethod
    def pack_items(items: list[Ticket]) -> bytes:
        """Return the tickets as bytes."""
        return _ENCODER.encode(items)

    @staticmethod
    def unpack_items(packed: bytes) -> list[Ticket]:
        """Return the tickets in a message."""
        return _TICKETS.decode(packed)

    @staticmethod
    def pack_answers(answers: list[Played]) -> bytes:
        """Return the results and void matches as bytes."""
        voids = [each for each in answers if isinstance(each, VoidMatch)]
        return _ENCODER.encode(([each for each in answers if isinstance(each, MatchResult)], voids))

    @staticmethod
    def unpack_answers(packed: bytes) -> list[Played]:
        """Return the answers that ``pack_answers`` packed: first the results, then the void matches."""
        results, voids = _RESULTS.decode(packed)
        return [*results, *voids]


Notify: TypeAlias = Callable[[str], None]
"""A function that is called with a sentence to show to the user while the work goes on."""
_NOTICES: Final = 5
Handle: TypeAlias = Hashable
"""Identifies a batch that has been sent."""
Shared: TypeAlias = tuple[Task[Any, Any], type[Pickled]]
"""The state that every worker has: the task, and the codec of its batches."""


@dataclass(frozen=True, slots=True)
class Done:
    """A batch that has come back: its packed answers, and the seconds that it took."""

    packed: Any
    seconds: float


@dataclass(frozen=True, slots=True)
class Lost:
    """A batch whose worker was lost; ``reason`` describes how."""

    reason: str


def say_nothing(_sentence: str) -> None:
    """Ignore the sentence."""


class BatchExecutor(ABC):
    """Plays batches of tickets on ``workers`` workers.

    A batch whose worker is lost is played again, ticket by ticket. For the first few lost workers, ``notify`` gets a sentence.
    """

    def __init__(self, workers: int, notify: Notify = say_nothing) -> None:
        self._workers = workers
        self._notify = notify

    @property
    @abstractmethod
    def description(self) -> str:
        """Where matches are played, in a few words."""

    @abstractmethod
    def close(self) -> None:
        """Release all resources; matches in progress are dropped."""

    def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
        """Yield results as batches come back; a ticket whose worker is lost three times is void. Raises HostError."""
        return self._work(PlayTask(job), tickets, PackedMatches)

    def work(self, task: Task[Item, Answer], items: Iterator[Item | Pause]) -> Iterator[list[Answer]]:
        """Yield answers as batches come back. Raises HostError."""
        return self._work(task, items, Pickled)

    @abstractmethod
    def _share(self, shared: Shared) -> None:
        """Send ``shared`` to all workers before the next batch. Raises HostError."""

    @abstractmethod
    def _send(self, packed: Any, *, is_long: bool) -> Handle:
        """Send a batch to a worker. Raises HostError."""

    @abstractmethod
    def _wait(self, handles: Collection[Handle]) -> Sequence[tuple[Handle, Done | Lost | HostError]]:
        """Wait until at least one batch has come back or is lost, and return the outcomes. Raises HostError if none will come any more."""

    @abstractmethod
    def _window(self, sizer: BatchSizer) -> int:
        """The number of batches that each worker should hold."""

    def _work(self, task: Task[Item, Answer], items: Iterator[Item | Pause], wire: type[Pickled]) -> Iterator[list[Answer]]:
        """Yield batches as they come back.

        Yields an empty list before each wait. Raises HostError when the workers can't continue, after all batches in progress have come
        back, so that no result is lost.
        """
        batches = Batches(items, self._workers, task.is_long, task.is_new)
        in_hand: dict[Handle, tuple[list[Item], int]] = {}
        again: list[tuple[list[Item], int]] = []
        failure: HostError | None = None
        lost = 0
        self._share((task, wire))
        sent = task.edition
        while True:
            while failure is None:
                long = sum(task.is_long(batch[0]) for batch, _ in in_hand.values())
                free = self._window(batches.sizer) * max(1, self._workers - long) - (len(in_hand) - long)
                batch, attempt = again.pop() if again and free > 0 else (batches.take(free, max(1, self._workers // 2) - long), 1)
                if not batch:
                    break
                if task.edition > sent:
                    self._share((task, wire))
                    sent = task.edition
                in_hand[self._send(wire.pack_items(batch), is_long=task.is_long(batch[0]))] = (batch, attempt)
            if not in_hand:
                if failure is not None:
                    raise failure
                if batches.is_paused:
                    raise stuck()
                return
            yield []
            for handle, outcome in self._wait(in_hand.keys()):
                batch, attempt = in_hand.pop(handle)
                if isinstance(outcome, HostError):
                    failure = outcome
                elif isinstance(outcome, Done):
                    answers = wire.unpack_answers(outcome.packed)
                    if not (task.is_long(batch[0]) or task.is_new(batch[0])):
                        batches.sizer.add(len(answers), outcome.seconds)
                    yield answers
                elif attempt == ATTEMPTS:
                    reason = f"its worker was lost {ATTEMPTS} times ({outcome.reason})"
                    yield [task.lost(item, reason) for item in batch]
                else:  # each item by itself, so that an item that kills its worker affects no other
                    again += [([item], attempt + 1) for item in batch]
                    lost += 1
                    if lost <= _NOTICES:
                        more = "; later losses are not reported" if lost == _NOTICES else ""
                        self._notify(f"a worker was lost ({outcome.reason}; {load()}), and its matches are played again{more}")


class PlayTask(Task[Ticket, Played]):
    """The task of playing the tickets of a job."""

    def __init__(self, job: Job) -> None:
        self._job = job

    @property
    def edition(self) -> int:
        """The number of bots, which grows when a bot joins."""
        return len(self._job.bots)

    def is_long(self, item: Ticket) -> bool:
        """Return whether one of the job's ``slow`` bots plays in the match."""
        return not self._job.slow.isdisjoint(item.seats)

    def is_new(self, item: Ticket) -> bool:
        """Return whether one of the job's ``new`` bots plays in the match."""
        return not self._job.new.isdisjoint(item.seats)

    @property
    def table(self) -> tuple[Level, Game, Runtime]:
        """The level, the game and the runtime of the job."""
        return self._job.level, self._job.make_game(), self._job.runtime

    def do(self, items: Sequence[Ticket], pool: PlayerPool | None) -> list[Played]:
        """Play the tickets."""
        assert pool is not None
        return play_tickets(self._job, items, pool)

    def lost(self, item: Ticket, reason: str) -> Played:
        """Return a void match."""
        return VoidMatch(item, reason)


def work_batch(shared: Shared, packed: Any) -> tuple[Any, float]:
    """Do a batch in a worker. Return its packed answers, and the seconds that it took."""
    began = perf_counter()
    task, wire = shared
    answers = task.do(wire.unpack_items(packed), None if task.table is None else _pool(*task.table))
    return wire.pack_answers(answers), perf_counter() - began


def failure_of(error: BaseException) -> HostError:
    """Return a HostError for an error that a worker raised."""
    if isinstance(error, HostError):
        return error
    return HostError(f"a worker failed with an error that no bot should be able to cause: {first_line(error)}")


def first_line(error: BaseException) -> str:
    """Return the first line of an error's text."""
    return one_line((str(error).strip().splitlines() or [type(error).__name__])[0]).rstrip(".")


@cache
def _pool(level: Level, game: Game, runtime: Runtime) -> PlayerPool:
    """Return the worker's pool, which is kept from batch to batch; its bots end with the worker, however the worker ends."""
    return PlayerPool(level, game=game, runtime=runtime)
