"""Exceptions about bots and their hosts: bad bots, bots that fail in a match, and machines that can't run or isolate them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.core.errors import ArenaError, InputError

if TYPE_CHECKING:
    from engine.records import FaultKind

MISSING: Final = "WebAssembly bots need wasmtime, which is not installed; pip install 'tile-arena[wasm]'"


class BotError(InputError):
    """A bot can't be loaded; the text is one sentence that says what is wrong, where, and what to do.

    ``traceback`` is the bot's own, for its author, if it raised something.
    """

    def __init__(self, sentence: str, traceback: str = "") -> None:
        super().__init__(sentence)
        self.traceback = traceback


class ModuleError(InputError):
    """A WebAssembly module can't be played; the text continues a sentence that begins with the bot."""


class RuntimeMissingError(ArenaError):
    """wasmtime is not installed; the text says how to get it."""

    def __init__(self) -> None:
        super().__init__(MISSING)


class BotFaultError(ArenaError):
    """A bot did something wrong; the match goes on with a substitute in its seat.

    ``is_unloadable`` says that the bot could not even be made: its module does not import, its class is missing or its constructor raises.
    ``is_over_wall`` says that the wall clock stopped it, which depends on the machine. ``traceback`` is the bot's own, for its author.
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
    """The machine failed, not a bot: the match has to be played again."""

    exit_code = 1


class LostProcessError(HostFaultError):
    """A bot's process was lost before it ran the bot, as it is each time if its files can't be laid down."""


class SandboxError(ArenaError):
    """The host can't isolate a bot as asked; no bot is to blame. Its text is one sentence that says what to do."""

    exit_code = 1


class PreparationError(SandboxError):
    """The process that makes bots failed to prepare games or packages; the text is the exception that it raised."""


class UnfitError(InputError):
    """Bots can't be made with the packages or the limits that the host has requested, on any machine like this; the text says why."""


class NotOfferedError(SandboxError):
    """This machine does not offer a level; ``why`` says what is missing. The text also says how to get it, if that is known."""

    def __init__(self, level: object, why: str, fix: str) -> None:
        super().__init__(f"no bot can run at {level} here: {why}" + (f"; to mend it: {fix}" if fix else ""))
        self.why = why
