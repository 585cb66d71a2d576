"""The levels of isolation, in order."""

from __future__ import annotations

from enum import IntEnum


class Level(IntEnum):
    """The levels of isolation of a bot from its host, from none to the best possible (docs/sandbox.md)."""

    NONE = -1
    """In the host's own process, without any sandbox."""
    L0 = 0
    """Only a separate process with limits: for bots that you trust."""
    L1 = 1
    """seccomp: no file can be opened or inspected, no process made, no network reached."""
    L2 = 2
    """seccomp and Landlock: a Python bot can read no files, a command only its own files and the system's libraries."""
    L3 = 3
    """As L2, within namespaces made by bubblewrap, which contain none of the host's processes and only the files that are needed."""

    def __str__(self) -> str:
        return self.name if self is not Level.NONE else "none"

    @classmethod
    def parse(cls, text: str) -> Level:
        """Return the level of that name: ``none``, ``L0``, ``L1``, ``L2`` or ``L3``, in upper or lower case. Raises ValueError."""
        try:
            return cls[text.upper()]
        except KeyError:
            raise ValueError(f"there is no isolation level '{text:.20}'; the levels are {', '.join(map(str, cls))}") from None
