"""Lines to and from a child process, with deadlines and size limits.

All descriptors are non-blocking. The last ``LOG_KEPT`` bytes of the child's log are kept.
"""

from __future__ import annotations

import errno
import os
import select
from collections.abc import Callable
from enum import Enum, auto
from time import monotonic
from typing import Final, Protocol

LOG_KEPT: Final = 8 * 1024
MAX_LOG: Final = 1024 * 1024
"""The most bytes that a child may write to its log in one turn; more is a flood."""
_READ: Final = 64 * 1024
_QUIET: Final = 0.05
_CALM: Final = 0.5


class Trouble(Enum):
    """Why no line could be received or sent."""

    LATE = auto()
    FLOOD = auto()
    LOG_FLOOD = auto()
    CLOSED = auto()
    DEAF = auto()
    OVER = auto()


class ChannelError(Exception):
    """No line could be received or sent."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.name)
        self.trouble = trouble


class Pipes(Protocol):
    """The attributes of a child that a channel needs: its non-blocking pipes."""

    stdin_fd: int
    stdout_fd: int
    stderr_fd: int


class Channel:
    """The host's ends of a child's pipes: its standard input, output and error."""

    def __init__(self, pipes: Pipes, max_turn: int) -> None:
        self._in = pipes.stdin_fd
        self._out = pipes.stdout_fd
        self._err = pipes.stderr_fd
        self._max_turn = max_turn
        self._buffer = b""
        self._log = b""
        self._logged = 0
        self._has_log = True
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)

    @property
    def log(self) -> bytes:
        """The last ``LOG_KEPT`` bytes of the child's log."""
        return self._log

    def send(self, data: bytes, left: Callable[[], float]) -> None:
        """Write all of the data; ``left`` returns the seconds left to wait. Raises ChannelError: DEAF if the child has not read everything
        in time, CLOSED if it has closed the pipe."""
        self._logged = 0
        sent = 0
        while sent < len(data):
            try:
                sent += os.write(self._in, data[sent:] if sent else data)
            except BlockingIOError:
                self._await_room(left)
            except BrokenPipeError:
                raise ChannelError(Trouble.CLOSED) from None

    def _await_room(self, left: Callable[[], float]) -> None:
        """Wait until the child reads again. Read its output in the meantime, to avoid a deadlock."""
        poll = select.poll()
        poll.register(self._in, select.POLLOUT)
        poll.register(self._out, select.POLLIN)
        if self._has_log:
            poll.register(self._err, select.POLLIN)
        wait = left()
        ready = poll.poll(wait * 1000)
        if not ready and wait <= 0:
            raise ChannelError(Trouble.DEAF)
        for fd, _ in ready:
            if fd != self._in:
                self._take(fd)

    def receive(self, left: Callable[[], float], check: Callable[[], float]) -> bytes:
        """Return the next line, without its newline. Raises ChannelError, such as LATE if no line arrives in time.

        ``left`` returns the seconds left to wait. ``check`` returns the seconds until its next call; it may raise to stop waiting.
        """
        is_over = False
        while True:
            end = self._buffer.find(b"\n")
            if end > self._max_turn or (end < 0 and len(self._buffer) > self._max_turn):
                raise ChannelError(Trouble.FLOOD)
            if end >= 0:
                line, self._buffer = self._buffer[:end], self._buffer[end + 1 :]
                return line
            if is_over:
                raise ChannelError(Trouble.LATE)
            wait = left()
            is_over = wait <= 0  # output that arrived while this thread waited to run is read first
            for fd, _ in self._poll.poll(max(0.0, min(wait, check())) * 1000):
                if not self._take(fd) and fd == self._out:
                    raise ChannelError(Trouble.CLOSED)

    def _take(self, fd: int) -> bool:
        """Read the available output. Return False if the child has closed the pipe."""
        try:
            data = os.read(fd, _READ)
        except BlockingIOError:
            return True
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            data = b""
        if fd == self._out:
            self._buffer += data
            if len(self._buffer) > 2 * self._max_turn:
                raise ChannelError(Trouble.FLOOD)
        else:
            self._keep_log(data)
        return bool(data)

    def _keep_log(self, data: bytes) -> None:
        if not data:
            self._has_log = False
            self._poll.unregister(self._err)
            return
        self._logged += len(data)
        self._log = (self._log + data)[-LOG_KEPT:]
        if self._logged > MAX_LOG:
            raise ChannelError(Trouble.LOG_FLOOD)

    def is_flooded(self) -> bool:
        """Return whether too much output for one turn arrives within half a second. This distinguishes a flood from a malformed line."""
        until = monotonic() + _CALM
        try:
            while len(self._buffer) <= self._max_turn and monotonic() < until:
                ready = self._poll.poll(_QUIET * 1000)
                taken = [self._take(fd) for fd, _ in ready]
                if not taken or not all(taken):
                    break
        except ChannelError:
            return True
        return len(self._buffer) > self._max_turn

    def take_rest(self) -> None:
        """Read the rest of the log, without waiting."""
        try:
            while self._has_log and self._take_log():
                pass
        except (ChannelError, OSError):
            self._has_log = False

    def _take_log(self) -> bool:
        before = self._logged
        self._take(self._err)
        return self._logged > before
