"""The errors of the sandbox."""

from __future__ import annotations

from bots.sandbox.levels import Level
from engine.core.errors import ArenaError, InputError


class SandboxError(ArenaError):
    """The host can't isolate a bot as asked; no bot is to blame. Its text is one sentence that says what to do."""

    exit_code = 1


class PreparationError(SandboxError):
    """What bots need can't be prepared in the process that makes them; the text is what was raised there."""


class UnfitError(InputError):
    """Bots can't be made with the packages or the limits that the host has asked for, on any machine like this; the text says why."""


class NotOfferedError(SandboxError):
    """This machine does not offer a level; ``why`` says what is missing, and ``fix`` how to get it, if that is known."""

    def __init__(self, level: Level, why: str, fix: str) -> None:
        super().__init__(f"no bot can be run at {level} here: {why}" + (f"; to mend it: {fix}" if fix else ""))
        self.why = why
        self.fix = fix
