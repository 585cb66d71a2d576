"""The levels of isolation, in order, and the errors of the sandbox. What a level does is done elsewhere."""

from __future__ import annotations

from enum import IntEnum


class SandboxError(Exception):
    """The host can't isolate a bot as asked. No bot is to blame; the text is one sentence that says what to do."""


class NotOfferedError(SandboxError):
    """This machine does not offer a level; ``why`` says what is lacking, and ``fix`` how to get it, if we know."""

    def __init__(self, level: Level, why: str, fix: str) -> None:
        super().__init__(f"no bot can be run at {level} here: {why}" + (f"; to mend it: {fix}" if fix else ""))
        self.why = why
        self.fix = fix


class Level(IntEnum):
    """How far a bot is kept from its host, from nothing to everything we know (docs/sandbox.md)."""

    NONE = -1
    """In the host's own process; the sandbox never runs that."""
    L0 = 0
    """A process of its own with limits, and nothing more: only for your own bots."""
    L1 = 1
    """seccomp: no file can be opened or looked at, no process made, no network reached."""
    L2 = 2
    """seccomp and Landlock: only the standard library and the engine can be read."""
    L3 = 3
    """As L2, within namespaces of its own made by bubblewrap: the host's files and processes are not there at all."""

    def __str__(self) -> str:
        return self.name if self is not Level.NONE else "none"

    @classmethod
    def parse(cls, text: str) -> Level:
        """The level of that name: ``none``, ``L0``, ``L1``, ``L2`` or ``L3``, in either case. Raises ValueError."""
        try:
            return cls[text.upper()]
        except KeyError:
            raise ValueError(f"there is no isolation level '{text:.20}'; there is {', '.join(map(str, cls))}") from None
