"""Cancelling another thread's work: this ends a start of Ray that is no longer needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import c_ulong, py_object, pythonapi
from threading import Lock, get_ident


class CancelledError(BaseException):
    """Raised in a thread whose work has been cancelled; no ``except Exception`` stops it."""


class Cancellation:
    """Lets one thread cancel a block of another: ``CancelledError`` is raised inside the block, and nowhere else.

    It is raised between two instructions of Python, so a call of native code or a ``sleep`` returns first.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_asked = False
        self._thread: int | None = None
        """The thread that is inside the block."""

    def cancel(self) -> None:
        """Cancel the block, at once if it has begun, otherwise when it begins; after its end this does nothing."""
        with self._lock:
            self._is_asked = True
            if self._thread is not None:
                pythonapi.PyThreadState_SetAsyncExc(c_ulong(self._thread), py_object(CancelledError))

    def end(self) -> None:
        """End the part of the block that can be cancelled; called inside it. Raises CancelledError if it has been cancelled."""
        with self._lock:
            pythonapi.PyThreadState_SetAsyncExc(c_ulong(get_ident()), None)  # what has not been raised yet is not raised later
            self._thread = None
            if self._is_asked:
                raise CancelledError

    @contextmanager
    def cancels(self) -> Iterator[None]:
        """Mark the block that `cancel` ends."""
        with self._lock:
            if self._is_asked:
                raise CancelledError
            self._thread = get_ident()
        try:
            yield
        finally:
            if self._thread is not None:
                self.end()
