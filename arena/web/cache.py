"""A cache of values that many visitors request. A value is recomputed when its sources have changed, by one thread at a time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import Any, Final, TypeVar

T = TypeVar("T")

QUICK_SECONDS: Final = 0.05
"""A value that took at most this many seconds to compute is recomputed while the visitor waits."""
REST: Final = 10
"""A slow value is kept for at least this many times as long as it took to compute."""


@dataclass(slots=True)
class _Entry:
    """A value, the ``stamp`` of its sources, when it was computed, and how long that took."""

    lock: Lock = field(default_factory=Lock)
    value: Any = None
    stamp: Hashable = None
    made: float | None = None
    took: float = 0.0
    first: Future[Any] | None = None


class Cache:
    """Keeps the ``most`` values that were used most recently, by key. Its methods may be called from any thread.

    A value is recomputed when its stamp, which stands for the state of its sources, has changed: at once if that is quick, otherwise by the
    executor ``background`` while visitors get the old value. Without a ``background``, it is always recomputed at once.
    """

    def __init__(self, most: int = 2048, background: Executor | None = None) -> None:
        self._most = most
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._lock = Lock()
        self._background = background

    def get(self, key: Hashable, stamp: Hashable, make: Callable[[], T]) -> T:
        """Return the value for the key; ``make`` computes it if necessary."""
        entry = self._entry(key)
        if entry.made is None or self._background is None:
            with entry.lock:
                if entry.made is None or entry.stamp != stamp:
                    self._make(entry, stamp, make)
        elif entry.stamp != stamp:
            self._renew(entry, stamp, make)
        return entry.value  # type: ignore[no-any-return]  # what this key was made for

    def soon(self, key: Hashable, stamp: Hashable, make: Callable[[], T], seconds: float) -> T | None:
        """Like ``get``, but return None if the first computation takes longer than ``seconds``; it continues in the background."""
        entry = self._entry(key)
        if entry.made is not None or self._background is None:
            return self.get(key, stamp, make)
        with self._lock:
            if entry.first is None:
                entry.first = self._background.submit(self.get, key, stamp, make)
        try:
            entry.first.result(seconds)
        except TimeoutError:
            return None
        except BaseException:
            entry.first = None  # the next request tries again
            raise
        return self.get(key, stamp, make)

    def is_made(self, key: Hashable) -> bool:
        """Whether there is a value for the key."""
        return self._entry(key).made is not None

    def stamp(self, key: Hashable) -> Hashable | None:
        """Return the stamp of the value for the key, or None if there is no value yet."""
        entry = self._entry(key)
        return None if entry.made is None else entry.stamp

    def recent(self, key: Hashable, seconds: float, make: Callable[[], T]) -> T:
        """Return the value for the key; ``make`` recomputes it once it is ``seconds`` old."""
        entry = self._entry(key)
        if entry.made is None or monotonic() - entry.made >= seconds:
            with entry.lock:
                if entry.made is None or monotonic() - entry.made >= seconds:
                    self._make(entry, None, make)
        return entry.value  # type: ignore[no-any-return]

    def _entry(self, key: Hashable) -> _Entry:
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
            while len(self._entries) > self._most:
                self._entries.popitem(last=False)
            return entry

    @staticmethod
    def _make(entry: _Entry, stamp: Hashable, make: Callable[[], object]) -> None:
        begun = monotonic()
        entry.value = make()
        entry.stamp, entry.made, entry.took = stamp, monotonic(), monotonic() - begun

    def _renew(self, entry: _Entry, stamp: Hashable, make: Callable[[], object]) -> None:
        """Recompute the value, at once or in the background, unless another thread is doing that or has just done it."""
        is_slow = entry.took > QUICK_SECONDS
        if (is_slow and entry.made is not None and monotonic() - entry.made < REST * entry.took) or not entry.lock.acquire(blocking=False):
            return

        def work() -> None:
            try:
                self._make(entry, stamp, make)
            finally:
                entry.lock.release()

        if not is_slow or self._background is None:
            work()
            return
        try:
            self._background.submit(work)
        except RuntimeError:  # the server is stopping
            entry.lock.release()
