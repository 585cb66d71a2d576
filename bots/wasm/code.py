"""The machine code of a bot that is a module, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from bots.child.invoke import BotFaultError
from bots.loader.version import BotVersion
from bots.wasm.apart import CPU_SECONDS_TO_PLAY, compile_apart
from bots.wasm.errors import ModuleError
from engine.records import FaultKind

_KEPT: Final = 64


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
    return _code(dict(version.files)[version.wasm])


@lru_cache(maxsize=_KEPT)
def _code(wasm: bytes) -> Code:
    try:
        return Code(compile_apart(wasm, CPU_SECONDS_TO_PLAY))
    except ModuleError as error:
        return Code(b"", f"its module {error}")
