"""Runs a server's analyses one at a time in a separate process, with a bounded queue, and keeps the last results in memory."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from math import inf
from tempfile import TemporaryFile
from threading import Lock
from time import monotonic
from typing import IO, Final

import msgspec
from fastapi import Request

from arena.web.analysis_worker import Answer, Failure, Job
from arena.web.protection.limits import POSITIONS, address_of, is_visited, rate_limits, site_of
from engine.records import decode

SECONDS: Final = 30.0
"""The most CPU seconds for the analysis of a match. An analysis that needs more covers only part of the match and says so."""
BUSY: Final = "Other matches are being analysed; try again in a minute."
WAITING: Final = 8
"""The most jobs that may wait in the queue."""
KEPT: Final = 256
"""The most results that are kept in memory; results for whole matches are also in the cache of ``arena analyse``."""
_WALL: Final = 4
"""A job is stopped once its wall-clock time is this multiple of its CPU limit, even if it got little CPU time."""
_PROGRAM: Final = "import sys; sys.path[:] = {path!r}; from arena.web.analysis_worker import main; main()"
_FAILED: Final = Failure("The analysis failed; the reason is in the host's log.")
_AGAIN: Final = 300.0
"""Seconds after which a failed job may be requested again: the machine may have been at fault, not the match."""
_TOO_LONG: Final = Failure("The analysis took too long and was stopped.")


@dataclass(slots=True)
class _Queued:
    """A job requested from the address ``who``, and its process once it has begun."""

    job: Job
    who: str
    process: subprocess.Popen[bytes] | None = None
    begun: float = inf
    output: IO[bytes] = field(default_factory=TemporaryFile)
    errors: IO[bytes] = field(default_factory=TemporaryFile)

    def begin(self) -> None:
        """Start the process. Raises OSError."""
        self.begun = monotonic()
        command = [sys.executable, "-c", _PROGRAM.format(path=sys.path), "arena-analysis"]
        with TemporaryFile() as task:
            task.write(msgspec.json.encode(self.job))
            task.seek(0)
            self.process = subprocess.Popen(  # noqa: S603  # this program
                command, stdin=task, stdout=self.output, stderr=self.errors, start_new_session=True
            )

    def answer(self) -> Answer | None:
        """Return the answer, or None if there is none yet. Raises OSError and MsgspecError."""
        assert self.process is not None, "it has begun"
        status = self.process.poll()
        if status is None and monotonic() - self.begun < _WALL * self.job.seconds:
            return None
        if status is None or status < 0:
            return _TOO_LONG
        if status:
            self.errors.seek(0)
            raise OSError(self.errors.read().decode(errors="replace").strip().rpartition("\n")[2])
        self.output.seek(0)
        found: Answer = decode(self.output.read(), Answer)
        return found

    def end(self) -> None:
        """End the process, if it has begun."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        self.output.close()
        self.errors.close()


class Analyses:
    """Runs analysis jobs one at a time; its methods may be called from any thread. No thread watches the jobs: a method such as ``find``
    or ``ask``, when it is called, notices that a job has ended and begins the next one.
    """

    def __init__(self, *, waiting: int = WAITING, of_one: int = WAITING + 1, kept: int = KEPT) -> None:
        self._waiting = waiting
        self._of_one = of_one
        self._most = kept
        self._answers: OrderedDict[Hashable, tuple[Answer, float]] = OrderedDict()  # the time until which each is valid
        self._queue: dict[Hashable, _Queued] = {}
        """The queued jobs; the first is in progress."""
        self._lock = Lock()
        self._is_closed = False

    def find(self, key: Hashable) -> Answer | None:
        """Return the answer of the job with that key, or None if there is none yet."""
        with self._lock:
            self._advance()
            return self._find(key)

    def _find(self, key: Hashable) -> Answer | None:
        answer, until = self._answers.get(key, (None, 0.0))
        if answer is not None and monotonic() >= until:
            del self._answers[key]
            return None
        if answer is not None:
            self._answers.move_to_end(key)
        return answer

    def is_full(self, who: str = "") -> bool:
        """Return whether the queue has no room for a job from ``who``. The second half of the queue is for addresses without a job."""
        with self._lock:
            self._advance()
            return self._is_full(who)

    def _is_full(self, who: str) -> bool:
        own = sum(each.who == who for each in self._queue.values()) if who else 0
        return own >= self._of_one or len(self._queue) > (self._waiting // 2 if own else self._waiting)

    @property
    def is_waited_for(self) -> bool:
        """Whether a job is waiting for another job to finish."""
        with self._lock:
            self._advance()
            return len(self._queue) > 1

    def is_asked(self, key: Hashable) -> bool:
        """Whether a job with that key is waiting or in progress."""
        with self._lock:
            self._advance()
            return key in self._queue

    def progress(self, key: Hashable, seconds: float) -> str:
        """Return the progress of a requested job in words; ``seconds`` is the job's limit of CPU time."""
        with self._lock:
            first = list(self._queue).index(key) if key in self._queue else 0
            begun = self._queue[key].begun if key in self._queue else inf
        if begun == inf:
            return f"waiting for {first} other {'analysis' if first == 1 else 'analyses'}" if first else "it begins now"
        return f"begun {monotonic() - begun:.0f} s ago; it may take {_WALL * seconds:.0f} s in all"

    def ask(self, key: Hashable, job: Job, who: str = "") -> bool:
        """Queue a job from the address ``who``, unless it is queued or answered already; return False if there is no room for it."""
        with self._lock:
            self._advance()
            if self._find(key) is not None or key in self._queue:
                return True
            if self._is_full(who) or self._is_closed:
                return False
            self._queue[key] = _Queued(job, who)
            self._advance()
        return True

    def close(self) -> None:
        """Stop: start no more jobs, and end the one in progress."""
        with self._lock:
            self._is_closed = True
            for each in self._queue.values():
                each.end()
            self._queue.clear()

    def _advance(self) -> None:
        while self._queue:
            key, first = next(iter(self._queue.items()))
            answer: Answer | None = _FAILED
            try:
                if first.process is None:
                    first.begin()
                answer = first.answer()
            except (OSError, msgspec.MsgspecError) as error:
                logging.getLogger("arena.web").error("an analysis failed: %s", error)  # one line for the host
            if answer is None:
                return
            first.end()
            del self._queue[key]
            self._answers[key] = answer, monotonic() + _AGAIN if answer is _FAILED or answer is _TOO_LONG else inf
            while len(self._answers) > self._most:
                self._answers.popitem(last=False)


def analyses_of(request: Request) -> Analyses:
    """Return the ``Analyses`` object of the application that handles the request."""
    analyses: Analyses = request.app.state.analyses
    return analyses


def answer_or_progress(request: Request, key: Hashable, job: Callable[[], Job], seconds: float) -> Answer | str:
    """Return the answer for ``key``. If there is none, queue its job and return its progress in words, or a Failure if there is no room."""
    analyses, who = analyses_of(request), site_of(request)
    answer = analyses.find(key)
    if answer is not None:
        return answer
    if not analyses.is_asked(key):
        may_begin = is_visited(request) and not analyses.is_full(who)
        may_begin = may_begin and rate_limits(request).has_room(POSITIONS, "position", address_of(request))
        if not may_begin or not analyses.ask(key, job(), who):
            return Failure(BUSY)
    return analyses.progress(key, seconds)
