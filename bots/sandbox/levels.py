"""The levels of isolation, in order, and the errors of the sandbox."""

from __future__ import annotations

from enum import IntEnum


class SandboxError(Exception):
    """The host can't isolate a bot as asked; no bot is to blame. Its text is one sentence that says what to do."""


class PreparationError(SandboxError):
    """What bots need can't be prepared in the process that makes them; the text is what was raised there."""


class UnfitError(ValueError):
    """Bots can't be made with the packages or the limits that the host has asked for, on any machine like this; the text says why."""


class NotOfferedError(SandboxError):
    """This machine does not offer a level; ``why`` says what is missing, and ``fix`` how to get it, if that is known."""

    def __init__(self, level: Level, why: str, fix: str) -> None:
        super().__init__(f"no bot can be run at {level} here: {why}" + (f"; to mend it: {fix}" if fix else ""))
        self.why = why
        self.fix = fix


class Level(IntEnum):
    """How far a bot is isolated from its host, from not at all to as far as possible (docs/sandbox.md)."""

    NONE = -1
    """In the host's own process, without any sandbox."""
    L0 = 0
    """A process of its own with limits, and nothing more: only for bots that you trust."""
    L1 = 1
    """seccomp: no file can be opened or looked at, no process made, no network reached."""
    L2 = 2
    """seccomp and Landlock: only the standard library and the engine can be read."""
    L3 = 3
    """As L2, within namespaces made by bubblewrap: the host's files and processes are not there at all."""

    def __str__(self) -> str:
        return self.name if self is not Level.NONE else "none"

    @classmethod
    def parse(cls, text: str) -> Level:
        """Return the level of that name: ``none``, ``L0``, ``L1``, ``L2`` or ``L3``, in upper or lower case. Raises ValueError."""
        try:
            return cls[text.upper()]
        except KeyError:
            raise ValueError(f"there is no isolation level '{text:.20}'; there is {', '.join(map(str, cls))}") from None
