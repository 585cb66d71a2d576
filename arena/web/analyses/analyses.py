"""The analyses of one server: one at a time, in a process of its own, a bounded number waiting, and the last ones kept in memory."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Hashable
from math import inf
from queue import SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import Final

import msgspec
from fastapi import Request

from arena.web.analyses.orders import Found, Order, Trouble

SECONDS: Final = 30.0
BOT_SECONDS: Final = 60.0
"""What the analysis of a match and of a bot's matches may take, in seconds of CPU; one that takes longer is of a part, and says so."""
WAITING: Final = 8
"""Orders that may wait for their turn."""
KEPT: Final = 256
"""Results that are kept in memory; those of whole matches are in the cache of ``arena analyse``, too."""
_WALL: Final = 4
"""An order is given up after so many times its seconds, however little of a processor it has had."""
_PROGRAM: Final = "import sys; sys.path[:] = {path!r}; from arena.web.analyses.worker import main; main()"
_FAILED: Final = Trouble("The analysis failed; the host has been told why.")
_AGAIN: Final = 300.0
"""Seconds after which an order that failed may be given again: the machine may have been at fault, not the match."""
_TOO_LONG: Final = Trouble("The analysis took too long and was given up.")


class Analyses:
    """Does orders in turn; its methods may be called from any thread."""

    def __init__(self, *, waiting: int = WAITING, kept: int = KEPT) -> None:
        self._waiting = waiting
        self._most = kept
        self._found: OrderedDict[Hashable, tuple[Found, float]] = OrderedDict()  # until when it counts
        self._asked: set[Hashable] = set()
        self._lock = Lock()
        self._orders: SimpleQueue[tuple[Hashable, Order] | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._is_closed = False

    def find(self, key: Hashable) -> Found | None:
        """Return what was found for that key, None if nothing has been yet."""
        with self._lock:
            return self._known(key)

    def _known(self, key: Hashable) -> Found | None:
        if key not in self._found:
            return None
        found, until = self._found[key]
        if monotonic() >= until:
            del self._found[key]
            return None
        self._found.move_to_end(key)
        return found

    @property
    def is_full(self) -> bool:
        """Whether there is no room for another order."""
        with self._lock:
            return len(self._asked) > self._waiting

    def is_asked(self, key: Hashable) -> bool:
        """Whether an order of that key waits or is being done."""
        with self._lock:
            return key in self._asked

    def ask(self, key: Hashable, order: Order) -> bool:
        """Have an order done unless it is known or asked for; return whether there was room for it."""
        with self._lock:
            if self._known(key) is not None or key in self._asked:
                return True
            if len(self._asked) > self._waiting or self._is_closed:
                return False
            self._asked.add(key)
            self._orders.put((key, order))
            if self._thread is None:
                self._thread = Thread(target=self._work, name="arena-analyses", daemon=True)
                self._thread.start()
        return True

    def close(self) -> None:
        """Do nothing more, and end what is being done."""
        with self._lock:
            self._is_closed = True
            if self._process is not None:
                self._process.kill()
        self._orders.put(None)
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        while (found := self._orders.get()) is not None and not self._is_closed:
            self._do(*found)

    def _do(self, key: Hashable, order: Order) -> None:
        found: Found = _FAILED
        try:
            found = self._run(order)
        except (OSError, msgspec.MsgspecError) as error:
            logging.getLogger("arena.web").error("an analysis failed: %s", error)  # for the host, in a line
        finally:
            with self._lock:
                self._asked.discard(key)
                self._found[key] = found, monotonic() + _AGAIN if found is _FAILED or found is _TOO_LONG else inf
                while len(self._found) > self._most:
                    self._found.popitem(last=False)

    def _run(self, order: Order) -> Found:
        """Run the process; return what it found. Raises OSError and MsgspecError."""
        command = [sys.executable, "-c", _PROGRAM.format(path=sys.path), "arena-analysis"]
        with self._lock:
            if self._is_closed:
                return _FAILED
            self._process = process = subprocess.Popen(  # noqa: S603  # this program
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
            )
        with process:
            try:
                out, errors = process.communicate(msgspec.json.encode(order), _WALL * order.seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                return _TOO_LONG
        if process.returncode < 0:
            return _TOO_LONG
        if process.returncode:
            raise OSError(errors.decode(errors="replace").strip().rpartition("\n")[2])
        found: Found = msgspec.json.decode(out, type=Found)
        return found


def analyses_of(request: Request) -> Analyses:
    """Return the analyses of the application that a request came to."""
    analyses: Analyses = request.app.state.analyses
    return analyses
