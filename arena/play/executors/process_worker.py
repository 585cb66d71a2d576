"""What a worker process of ``ProcessExecutor`` runs: it takes batches from a socket and sends back their answers."""

from __future__ import annotations

import gc
import os
import pickle
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from typing import Any

from arena.play.executors.batch_executor import Shared, failure_of, work_batch


def main(descriptor: int) -> None:
    """Work until the driver closes its end of the socket, or ends in whatever way; the process ends then, in the middle of a match too."""
    os.set_inheritable(descriptor, False)  # a bot that outlives this worker would hide its end
    gc.freeze()
    connection: Connection[Any, Any] = Connection(descriptor)
    inbox: SimpleQueue[tuple[bytes | None, Any]] = SimpleQueue()
    Thread(target=_receive, args=(connection, inbox), daemon=True).start()
    shared: Shared | None = None
    connection.send(None)  # it has begun
    while True:
        task, packed = inbox.get()
        try:
            if task is not None:
                shared = pickle.loads(task)  # noqa: S301  # from the driver
                continue
            assert shared is not None
            answer: object = work_batch(shared, packed)
        except Exception as error:  # noqa: BLE001  # the driver tells of it
            answer = failure_of(error)
        connection.send(answer)


def _receive(connection: Connection[Any, Any], inbox: SimpleQueue[tuple[bytes | None, Any]]) -> None:
    """Pass on what the driver sends: a task, pickled, or a batch."""
    while True:
        try:
            inbox.put(connection.recv())
        except (EOFError, OSError):
            os._exit(0)
