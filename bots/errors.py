"""Exceptions for bots that can't be loaded, bots that fail in a match, and machines that can't run or isolate bots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.core.errors import ArenaError, InputError

if TYPE_CHECKING:
    from engine.records import FaultKind

MISSING: Final = "WebAssembly bots need wasmtime, which is not installed; pip install 'tile-arena[wasm]'"


class BotError(InputError):
    """A bot can't be loaded. The message says in one sentence what is wrong, where, and what to do.

    ``traceback`` is for the bot's author, if the bot raised an exception.
    """

    def __init__(self, sentence: str, traceback: str = "") -> None:
        super().__init__(sentence)
        self.traceback = traceback


class ModuleError(InputError):
    """A WebAssembly module can't be played. The message completes a sentence whose subject is the module."""


class RuntimeMissingError(ArenaError):
    """wasmtime is not installed; the message says how to install it."""

    def __init__(self) -> None:
        super().__init__(MISSING)


class BotFaultError(ArenaError):
    """A bot did something wrong; the match continues with a stand-in in its seat.

    - ``is_unloadable``: the bot could not be created: its module can't be imported, its class is missing or its constructor raises
    - ``is_over_wall``: the bot was stopped by the wall clock, so the fault depends on the machine
    - ``traceback``: the bot's traceback, for its author
    """

    def __init__(
        self, kind: FaultKind, detail: str, *, is_unloadable: bool = False, is_over_wall: bool = False, traceback: str = ""
    ) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.is_unloadable = is_unloadable
        self.is_over_wall = is_over_wall
        self.traceback = traceback


class HostFaultError(ArenaError):
    """The machine failed, not a bot, so the match has to be played again."""

    exit_code = 1


class LostProcessError(HostFaultError):
    """A bot's process was lost, mostly before any code of the bot ran. This happens every time if the bot's files can't be written."""


class SandboxError(ArenaError):
    """The host can't provide the requested isolation; no bot is at fault. The message says in one sentence what to do."""

    exit_code = 1


class PreparationError(SandboxError):
    """The process that starts bots failed to prepare games or packages; the message quotes the exception."""


class UnfitError(InputError):
    """On this kind of machine, bots can't be started with the packages or limits that the host requested; the message says why."""


class NotOfferedError(SandboxError):
    """This machine does not support an isolation level. ``why`` says what is missing; the message also says how to fix that, if known."""

    def __init__(self, level: object, why: str, fix: str) -> None:
        super().__init__(f"no bot can run at {level} on this machine: {why}" + (f"; to fix it: {fix}" if fix else ""))
        self.why = why
