"""Limits the pipes that a command may make: it needs a few, but each takes an inode, of which the machine has a limited number.

A filter suspends the command at each such call until the holder of its listener, the zygote, has answered (seccomp_unotify(2)).
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import socket
import struct
from typing import Final

from bots.sandbox.channel import receive
from bots.sandbox.process import LOCKDOWN_FAILED

MOST_PIPES: Final = 16
"""The most pipes of a command; Node.js makes about six."""
_RECEIVE: Final = 0xC0502100
_SEND: Final = 0xC0182101
_SIZE_OF_REQUEST: Final = 80
_SIZE_OF_NUMBER: Final = 8
_CONTINUE: Final = 1


class PipeQuota:
    """The listeners of commands, and how many more pipes each may make."""

    def __init__(self) -> None:
        self._left: dict[int, int] = {}

    def add(self, listener: int) -> None:
        """Answer this listener from now on."""
        self._left[listener] = MOST_PIPES

    def __contains__(self, listener: int) -> bool:
        return listener in self._left

    def remove(self, listener: int) -> None:
        """Forget a listener whose command has ended."""
        del self._left[listener]

    def answer(self, listener: int) -> None:
        """Allow one call, or refuse it as if there were too many open files."""
        request = bytearray(_SIZE_OF_REQUEST)
        try:
            fcntl.ioctl(listener, _RECEIVE, request)
        except OSError:  # the asking process was killed meanwhile
            return
        left = self._left[listener]
        answer = struct.pack("qiI", 0, 0 if left else -errno.EMFILE, _CONTINUE if left else 0)
        with contextlib.suppress(OSError):
            fcntl.ioctl(listener, _SEND, request[:_SIZE_OF_NUMBER] + answer)
        self._left[listener] = max(0, left - 1)


def listener_of(line: socket.socket) -> list[int]:
    """Return the listener that a command sends before it is executed, or None if it could not be locked down."""
    return [] if line.recv(1, socket.MSG_PEEK) in (b"", LOCKDOWN_FAILED) else receive(line)[1]
