"""The machine code of a bot that is a module, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from bots.child.invoke import BotFaultError
from bots.loader.loading import BotVersion
from bots.wasm.apart import compile_apart
from bots.wasm.errors import ModuleError
from engine.records import FaultKind


@dataclass(frozen=True, slots=True)
class Code:
    """A module as it is run, or why it can't be."""

    compiled: bytes
    complaint: str = ""

    def machine_code(self) -> bytes:
        """Return what `engine.load_compiled` takes. Raises BotFaultError if the module can't be played."""
        if self.complaint:
            raise BotFaultError(FaultKind.CRASH, self.complaint, is_unloadable=True)
        return self.compiled


def code_of(version: BotVersion) -> Code:
    """Return the code of a bot that is a module. Raises RuntimeMissingError."""
    try:
        return Code(compile_apart(dict(version.files)[version.wasm]))
    except ModuleError as error:
        return Code(b"", f"its module {error}")
