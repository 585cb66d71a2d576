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
    """Lets one thread cancel a block in another: ``CancelledError`` is raised only inside that block.

    It is raised at calls of functions of ``package``, never in the standard library: an exception while a lock is being taken, such as the
    one of ``logging``, would leave it locked forever.
    """

    def __init__(self, package: str = "ray") -> None:
        self._package = package
        self._is_cancelled = Event()
        self._has_ended = False

    def cancel(self) -> None:
        """Cancel the block: at its next call, or on entry if it has not begun. Does nothing once it has ended."""
        self._is_cancelled.set()

    def end(self) -> None:
        """End the cancellable part of the block; call this inside it. Raises CancelledError if the block has been cancelled."""
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
        """Raise CancelledError in this thread if it has been cancelled; Python calls this at every function call."""
        if event == "call" and not self._has_ended and self._is_cancelled.is_set():
            name: str = frame.f_globals.get("__name__", "")
            if name.partition(".")[0] == self._package:
                raise CancelledError
