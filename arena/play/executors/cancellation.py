"""Cancelling another thread's work: this ends a start of Ray that is no longer needed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType


class CancelledError(BaseException):
    """Raised in a thread whose work has been cancelled; no ``except Exception`` stops it."""


class Cancellation:
    """Lets one thread cancel a block of another: ``CancelledError`` is raised inside the block, and nowhere else.

    It is raised where a function of ``package`` is called, and never in the standard library: an exception that was raised in the
    middle of taking a lock, such as that of ``logging``, would leave it locked forever.
    """

    def __init__(self, package: str = "ray") -> None:
        self._package = package
        self._is_cancelled = Event()
        self._has_ended = False

    def cancel(self) -> None:
        """Cancel the block, at its next call if it has begun, otherwise when it begins; after its end this does nothing."""
        self._is_cancelled.set()

    def end(self) -> None:
        """End the part of the block that can be cancelled; called inside it. Raises CancelledError if it has been cancelled."""
        self._has_ended = True
        if self._is_cancelled.is_set():
            raise CancelledError

    @contextmanager
    def cancels(self) -> Iterator[None]:
        """Mark the block that `cancel` ends."""
        if self._is_cancelled.is_set():
            raise CancelledError
        before = sys.gettrace()
        sys.settrace(self._check)
        try:
            yield
        finally:
            sys.settrace(before)
        if not self._has_ended:
            self.end()

    def _check(self, frame: FrameType, event: str, _: object) -> None:
        """Raise CancelledError in this thread if it is to stop; Python calls this for every call of a function."""
        if event == "call" and not self._has_ended and self._is_cancelled.is_set():
            name: str = frame.f_globals.get("__name__", "")
            if name.partition(".")[0] == self._package:
                raise CancelledError
