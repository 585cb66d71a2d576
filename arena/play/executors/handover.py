"""The executor that begins in processes of this machine, and moves to Ray once a run has turned out to be long (ADR 20)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from threading import Event, Thread
from time import monotonic
from typing import Final, Generic

from arena.play.executors.base import Answer, Executor, HostError, Item, Job, Pause, Played, Task, Tickets, WorkerSign
from arena.play.executors.batch_executor import BatchExecutor, Notify, first_line, say_nothing
from arena.play.executors.cancellation import Cancellation, CancelledError
from arena.play.executors.process_executor import ProcessExecutor

PATIENCE: Final = 10.0
"""Seconds of play before the remaining time is estimated."""
WORTH: Final = 60.0
"""Seconds of play that must remain for Ray to take over: its start takes about five CPU seconds, and the handover delays workers."""


class HandoverExecutor:
    """Plays in ``workers`` processes (default: one for each core) from the start; in a long run Ray starts beside them and takes over.

    A run is long if at least ``worth`` seconds remain after ``patience`` seconds. The remaining time is estimated from the pace so far if
    ``left``, the number of matches to be played, is known; otherwise it is taken to equal the elapsed time. ``notify`` is called with a
    sentence when Ray takes over, when it can't (the processes then continue), and when a worker is lost.
    """

    def __init__(
        self,
        workers: int | None = None,
        *,
        left: int | None = None,
        patience: float = PATIENCE,
        worth: float = WORTH,
        notify: Notify = say_nothing,
        make_ray: Callable[[Cancellation], BatchExecutor] | None = None,
    ) -> None:
        self._processes = ProcessExecutor(workers, notify)
        self.left = left
        self._patience = patience
        self._worth = worth
        self._notify = notify
        self._start = _Start(make_ray or (lambda cancellation: _make_ray(workers, notify, cancellation)))
        self._ray: BatchExecutor | None = None
        self._began: float | None = None
        self._answered = 0

    @property
    def description(self) -> str:
        """Where matches are played now, with a note that Ray may take over."""
        if self._ray is not None:
            return self._ray.description
        return f"{self._processes.description} (on Ray if it takes long)"

    @property
    def workers(self) -> Sequence[WorkerSign]:
        """The last answers of the processes, or of Ray's workers once Ray has taken over."""
        return (self._ray or self._processes).workers

    def start(self, job: Job | None = None) -> None:
        """Start the processes before there is anything to play, and the sandbox of a job, whose bots need not be known yet."""
        self._processes.start(job)

    def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
        """Yield results in the order in which they come. Raises HostError."""
        return self._turns(tickets, lambda executor, items: executor.run(job, items))

    def work(self, task: Task[Item, Answer], items: Iterator[Item | Pause]) -> Iterator[list[Answer]]:
        """Yield answers in the order in which they come. Raises HostError."""
        return self._turns(items, lambda executor, part: executor.work(task, part))

    def close(self) -> None:
        """End the processes and Ray; a start of Ray that is under way is cancelled."""
        self._processes.close()
        ray = self._ray or self._start.cancel()
        if ray is not None:
            ray.close()
        self._ray = None
        self._start.release()

    def _turns(
        self, items: Iterator[Item | Pause], play: Callable[[Executor, Iterator[Item | Pause]], Iterator[list[Answer]]]
    ) -> Iterator[list[Answer]]:
        """Yield the processes' answers until Ray has started, then Ray's."""
        if self._began is None:
            self._began = monotonic()
        if self._ray is None:
            part = _Until(items, self._has_ray)
            for answers in play(self._processes, part):
                self._answered += len(answers)
                yield answers
            if not part.is_cut:
                return
            self._processes.close()
        assert self._ray is not None
        yield from play(self._ray, items)

    def _has_ray(self) -> bool:
        """Start Ray if the run is long, and return whether it has started and takes over; it does not take over near the end of the run."""
        if not self._is_long():
            return False
        if not self._start.has_begun:
            self._start.begin()
        if (ended := self._start.result()) is not None:
            if isinstance(ended, HostError):
                self._notify(f"{ended}; playing goes on in {self._processes.description}")
            else:
                self._ray = ended
                self._notify(f"playing on {ended.description} from now on")
        return self._ray is not None

    def _is_long(self) -> bool:
        """Whether enough time has passed for an estimate, and the estimate says that the run is long."""
        assert self._began is not None
        seconds = monotonic() - self._began
        if seconds < self._patience or not self._answered:
            return False
        left = seconds if self.left is None else (self.left - self._answered) * seconds / self._answered
        return left >= self._worth


class _Until(Generic[Item]):
    """Iterates over items until ``is_over()``, called before each item, returns True. ``is_cut`` says whether items were left."""

    def __init__(self, items: Iterator[Item | Pause], is_over: Callable[[], bool]) -> None:
        self._items = items
        self._is_over = is_over
        self.is_cut = False

    def __iter__(self) -> Iterator[Item | Pause]:
        return self

    def __next__(self) -> Item | Pause:
        self.is_cut = self.is_cut or self._is_over()
        if self.is_cut:
            raise StopIteration
        return next(self._items)


class _Start:
    """Starts Ray in a thread: this takes some seconds, in which results arrive.

    The thread lasts until `release`: on Linux Ray's processes are killed when the thread that started them ends, not only when the process
    does (PR_SET_PDEATHSIG), and Ray then ends the driver, too. If Ray did not start, it ends at once, and Ray's processes are killed.
    """

    def __init__(self, make: Callable[[Cancellation], BatchExecutor]) -> None:
        self._make = make
        self._cancellation = Cancellation()
        self._thread = Thread(target=self._run, name="start of Ray", daemon=True)  # the thread must not outlast a driver that never closes
        self._has_ended = Event()
        self._is_released = Event()
        self._ended: BatchExecutor | HostError | None = None
        self.has_begun = False

    def begin(self) -> None:
        """Start Ray."""
        self.has_begun = True
        self._thread.start()

    def result(self) -> BatchExecutor | HostError | None:
        """Return the outcome of the start, once; None before the start has ended, and after the outcome has been returned."""
        ended, self._ended = self._ended, None
        return ended

    def cancel(self) -> BatchExecutor | None:
        """Cancel a start in progress. Return the executor if the start had already ended and the executor has not been returned yet."""
        if self.has_begun:
            self._cancellation.cancel()
            self._has_ended.wait()
        ended = self.result()
        return None if isinstance(ended, HostError) else ended

    def release(self) -> None:
        """End the thread, once Ray has been closed."""
        self._is_released.set()
        if self.has_begun:
            self._thread.join()

    def _run(self) -> None:
        try:
            self._ended = self._make(self._cancellation)
        except CancelledError:
            return
        except HostError as error:
            self._ended = error
        except Exception as error:  # noqa: BLE001  # an installation of Ray that can't be imported, for one; the processes go on
            self._ended = HostError(f"Ray can't be used on this machine: {first_line(error)}")
        else:
            self._has_ended.set()
            self._is_released.wait()
        finally:
            self._has_ended.set()


def _make_ray(workers: int | None, notify: Notify, cancellation: Cancellation) -> BatchExecutor:
    from arena.play.executors.ray_executor import RayExecutor  # noqa: PLC0415  # it takes a quarter of a second, and most runs don't need it

    return RayExecutor(workers, notify=notify, cancellation=cancellation)
