"""The log of a build, as its author gets it: bounded, and without control characters."""

from __future__ import annotations

import os
from typing import Final

from engine.text import plain_lines

_HEAD: Final = 24 << 10
_TAIL: Final = 8 << 10
_CHUNK: Final = 1 << 16


class Log:
    """Takes what a build writes; keeps its beginning, where the first errors are, and its end."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._head = bytearray()
        self._tail = bytearray()

    @property
    def is_over(self) -> bool:
        """Whether more has been written than a build may."""
        return self._size > self._most

    def read(self, descriptor: int) -> bool:
        """Take what is in a pipe that doesn't block, up to the limit; return False at its end."""
        while not self.is_over:
            try:
                piece = os.read(descriptor, _CHUNK)
            except BlockingIOError:
                return True
            if not piece:
                return False
            self._size += len(piece)
            room = _HEAD - len(self._head)
            self._head += piece[:room]
            self._tail = (self._tail + piece[max(room, 0) :])[-_TAIL:]
        return True

    @property
    def text(self) -> str:
        """What was kept."""
        left_out = self._size - len(self._head) - len(self._tail)
        between = f"\n... {left_out} bytes are left out ...\n".encode() if left_out else b""
        return plain_lines(bytes(self._head + between + self._tail).decode(errors="replace")).strip("\n")
