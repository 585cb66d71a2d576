"""The executor that plays in processes on this machine, which start in a fraction of a second and need no cluster."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Collection, Sequence
from itertools import count
from multiprocessing.connection import Connection, Pipe, wait
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final

from arena.play.executors.base import BatchSizer, HostError
from arena.play.executors.batch_executor import (
    BatchExecutor,
    Done,
    Handle,
    Lost,
    Notify,
    Shared,
    failure_of,
    say_nothing,
    work_batch,
)

_PROGRAM: Final = "import sys; sys.path[:] = {path!r}; from arena.play.executors.process_executor import main; main({descriptor})"
_SECONDS_TO_END: Final = 5.0
_NOT_STARTED: Final = "a worker process could not be started"


class ProcessExecutor(BatchExecutor):
    """Plays batches of tickets in ``workers`` processes (default: one for each core), started with the first batch.

    A batch whose process is lost is played again, ticket by ticket, in a new process. Workers end with the main process, however it ends.
    """

    def __init__(self, workers: int | None = None, notify: Notify = say_nothing) -> None:
        super().__init__(workers or os.cpu_count() or 1, notify)
        self._processes: list[_Worker] = []
        self._task = b""
        self._numbers = count()

    @property
    def description(self) -> str:
        """The number of processes, and where they run."""
        return f"{self._workers} process{'es' if self._workers != 1 else ''} of this machine"

    def close(self) -> None:
        """End the processes, even in the middle of a match."""
        processes, self._processes = self._processes, []
        for each in processes:
            each.connection.close()
        for each in processes:
            each.end()

    def _share(self, shared: Shared) -> None:
        self._task = pickle.dumps(shared)
        while len(self._processes) < self._workers:
            self._processes.append(_Worker())
        for each in self._processes:
            each.send((self._task, None))

    def _send(self, packed: Any, *, is_long: bool) -> Handle:
        handle = next(self._numbers)
        self._give(handle, packed, is_long=is_long)
        return handle

    def _give(self, handle: Handle, packed: Any, *, is_long: bool) -> None:
        """Send a batch to the process with the fewest batches: among those without a long batch, or, for a long batch, in the first half of
        the processes."""
        if not self._processes:
            raise HostError(f"{_NOT_STARTED}; 'arena doctor' checks this machine")
        first = self._processes[: max(1, len(self._processes) // 2)] if is_long else self._processes
        worker = min(first, key=lambda each: (not is_long and each.long > 0, len(each.in_hand)))
        worker.in_hand.append((handle, packed, is_long))
        worker.long += is_long
        worker.send((None, packed))

    def _wait(self, handles: Collection[Handle]) -> Sequence[tuple[Handle, Done | Lost | HostError]]:
        ready = wait([each.connection for each in self._processes])
        outcomes: list[tuple[Handle, Done | Lost | HostError]] = []
        for worker in [each for each in self._processes if each.connection in ready]:
            try:
                answer = worker.connection.recv()
            except (EOFError, OSError):
                outcomes += self._replace(worker)
                continue
            if answer is None:
                worker.has_begun = True
            else:
                handle, _, is_long = worker.in_hand.popleft()
                worker.long -= is_long
                outcomes.append((handle, answer if isinstance(answer, HostError) else Done(*answer)))
        return [each for each in outcomes if each[0] in handles]  # leaving out batches of a stopped run

    def _replace(self, worker: _Worker) -> list[tuple[Handle, Lost | HostError]]:
        """Replace a process that has ended, unless it never started; return the outcomes of its batches.

        Only the batch that it was playing is lost; its other batches are sent to processes again.
        """
        worker.connection.close()
        how = worker.end()
        self._processes.remove(worker)
        if not worker.has_begun:
            return [(handle, HostError(f"{_NOT_STARTED}: {how}; 'arena doctor' checks this machine")) for handle, *_ in worker.in_hand]
        new = _Worker()
        self._processes.append(new)
        new.send((self._task, None))
        for handle, packed, is_long in list(worker.in_hand)[1:]:
            self._give(handle, packed, is_long=is_long)
        return [(handle, Lost(how)) for handle, *_ in list(worker.in_hand)[:1]]

    def _window(self, sizer: BatchSizer) -> int:
        """The number of batches in a process: the one being played and the next, or, if matches are long, only the one being played, so
        that none waits while another process is idle."""
        return 2 if sizer.size > 1 else 1


class _Worker:
    """A process, the driver's end of its socket, and its batches, the first of which it is playing; ``long`` of them are long."""

    def __init__(self) -> None:
        self.in_hand: deque[tuple[Handle, Any, bool]] = deque()
        self.long = 0
        self.has_begun = False
        self.connection: Connection[Any, Any]
        self.connection, other = Pipe()
        with other:
            program = _PROGRAM.format(path=sys.path, descriptor=other.fileno())
            self._process = subprocess.Popen(  # noqa: S603  # this program
                [sys.executable, "-c", program, "arena-worker"],
                pass_fds=[other.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,  # the output of bots in this process
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C in a terminal is for the driver
            )

    def send(self, message: tuple[bytes | None, Any]) -> None:
        """Send a task or a batch. If the process has ended, the next attempt to receive its answers reports that."""
        try:
            self.connection.send(message)
        except OSError:
            return

    def end(self) -> str:
        """Wait for the end of a process that has lost its socket; return a description of its end."""
        try:
            code = self._process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        if code == -signal.SIGKILL:
            return "it was killed by SIGKILL, as happens when memory runs out"
        return f"it was killed by signal {-code}" if code < 0 else f"it ended with code {code}"


def main(descriptor: int) -> None:
    """Run a worker on the socket ``descriptor``. When the driver closes its end or dies, this process ends, even during a match."""
    os.set_inheritable(descriptor, False)  # a bot that outlives this worker would conceal that it has ended
    gc.freeze()
    connection: Connection[Any, Any] = Connection(descriptor)
    inbox: SimpleQueue[tuple[bytes | None, Any]] = SimpleQueue()
    Thread(target=_receive, args=(connection, inbox), daemon=True).start()
    shared: Shared | None = None
    connection.send(None)  # this worker has begun
    while True:
        task, packed = inbox.get()
        try:
            if task is not None:
                shared = pickle.loads(task)  # noqa: S301  # from the driver
                continue
            assert shared is not None
            answer: object = work_batch(shared, packed)
        except Exception as error:  # noqa: BLE001  # the driver reports it
            answer = failure_of(error)
        connection.send(answer)


def _receive(connection: Connection[Any, Any], inbox: SimpleQueue[tuple[bytes | None, Any]]) -> None:
    """Pass on the driver's messages: pickled tasks, and batches."""
    while True:
        try:
            inbox.put(connection.recv())
        except (EOFError, OSError):
            os._exit(0)
