"""The analyses of one server: one at a time, in a process of its own, a bounded number waiting, and the last ones kept in memory."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from math import inf
from threading import Lock
from time import monotonic
from typing import Final

import msgspec
from fastapi import Request

from arena.web.analysis_worker import Answer, Failure, Job
from arena.web.protection.limits import POSITIONS, address_of, is_visited, rate_limits, site_of
from engine.records import decode

SECONDS: Final = 30.0
"""The most CPU seconds for the analysis of a match; one that takes longer covers a part, and says so."""
BUSY: Final = "Other matches are being analysed; try again in a minute."
WAITING: Final = 8
"""The most jobs that may wait."""
KEPT: Final = 256
"""The most results that are kept in memory; those of whole matches are also in the cache of ``arena analyse``."""
_WALL: Final = 4
"""A job is stopped after this many times its seconds, however little CPU time it got."""
_PROGRAM: Final = "import sys; sys.path[:] = {path!r}; from arena.web.analysis_worker import main; main()"
_FAILED: Final = Failure("The analysis failed; the reason is in the host's log.")
_AGAIN: Final = 300.0
"""Seconds after which a failed job may be requested again: the machine may have been at fault, not the match."""
_TOO_LONG: Final = Failure("The analysis took too long and was stopped.")


class Analyses:
    """Does jobs in turn; its methods may be called from any thread."""

    def __init__(self, *, waiting: int = WAITING, of_one: int = WAITING + 1, kept: int = KEPT) -> None:
        self._waiting = waiting
        self._of_one = of_one
        self._most = kept
        self._answers: OrderedDict[Hashable, tuple[Answer, float]] = OrderedDict()  # the time until which each is valid
        self._asked: dict[Hashable, float] = {}  # when each job began, inf before that; in the order of the queue
        self._whose: dict[Hashable, str] = {}
        self._lock = Lock()
        self._thread = ThreadPoolExecutor(1, "arena-analyses")
        self._process: subprocess.Popen[bytes] | None = None
        self._is_closed = False

    def find(self, key: Hashable) -> Answer | None:
        """Return the answer for that key, or None if there is none yet."""
        with self._lock:
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
        """Return whether there is no room for another job of the address ``who``; half of the places are for addresses without a job."""
        with self._lock:
            return self._is_full(who)

    def _is_full(self, who: str) -> bool:
        own = list(self._whose.values()).count(who) if who else 0
        return own >= self._of_one or len(self._asked) > (self._waiting // 2 if own else self._waiting)

    @property
    def is_waited_for(self) -> bool:
        """Whether a job waits for another one to be done."""
        with self._lock:
            return len(self._asked) > 1

    def is_asked(self, key: Hashable) -> bool:
        """Whether a job of that key waits or is being done."""
        with self._lock:
            return key in self._asked

    def progress(self, key: Hashable, seconds: float) -> str:
        """Return the progress of a requested job in words; ``seconds`` is its limit."""
        with self._lock:
            first = list(self._asked).index(key) if key in self._asked else 0
            begun = self._asked.get(key, inf)
        if begun == inf:
            return f"{first} other{'' if first == 1 else 's'} before it" if first else "it begins now"
        return f"begun {monotonic() - begun:.0f} s ago, given up after {_WALL * seconds:.0f} s"

    def ask(self, key: Hashable, job: Job, who: str = "") -> bool:
        """Queue a job of an address unless its answer is known or it is already queued; return whether there was room for it."""
        with self._lock:
            if self._find(key) is not None or key in self._asked:
                return True
            if self._is_full(who) or self._is_closed:
                return False
            self._asked[key], self._whose[key] = inf, who
            self._thread.submit(self._do, key, job)
        return True

    def close(self) -> None:
        """Stop: start no more jobs, and end the one in progress."""
        with self._lock:
            self._is_closed = True
            if self._process is not None:
                self._process.kill()
        self._thread.shutdown(cancel_futures=True)

    def _do(self, key: Hashable, job: Job) -> None:
        answer: Answer = _FAILED
        with self._lock:
            self._asked[key] = monotonic()
        try:
            answer = self._run(job)
        except (OSError, msgspec.MsgspecError) as error:
            logging.getLogger("arena.web").error("an analysis failed: %s", error)  # one line for the host
        finally:
            with self._lock:
                self._asked.pop(key, None)
                self._whose.pop(key, None)
                self._answers[key] = answer, monotonic() + _AGAIN if answer is _FAILED or answer is _TOO_LONG else inf
                while len(self._answers) > self._most:
                    self._answers.popitem(last=False)

    def _run(self, job: Job) -> Answer:
        """Run the process; return its answer. Raises OSError and MsgspecError."""
        command = [sys.executable, "-c", _PROGRAM.format(path=sys.path), "arena-analysis"]
        with self._lock:
            if self._is_closed:
                return _FAILED
            self._process = process = subprocess.Popen(  # noqa: S603  # this program
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
            )
        with process:
            try:
                out, errors = process.communicate(msgspec.json.encode(job), _WALL * job.seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                return _TOO_LONG
        if process.returncode < 0:
            return _TOO_LONG
        if process.returncode:
            raise OSError(errors.decode(errors="replace").strip().rpartition("\n")[2])
        answer: Answer = decode(out, Answer)
        return answer


def analyses_of(request: Request) -> Analyses:
    """Return the analyses of the request's application."""
    analyses: Analyses = request.app.state.analyses
    return analyses


def answer_or_progress(request: Request, key: Hashable, job: Callable[[], Job], seconds: float) -> Answer | str:
    """Return the analysis of a position, a job of so many seconds, or its progress in words; it is queued unless the visitor has started
    too many.
    """
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
