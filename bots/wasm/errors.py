"""The errors of the WebAssembly runtime; it needs only the standard library."""

from __future__ import annotations

from typing import Final

from engine.core.errors import ArenaError, InputError

MISSING: Final = "WebAssembly bots need wasmtime, which is not installed; pip install 'tile-arena[wasm]'"


class ModuleError(InputError):
    """A module can't be played; the text continues a sentence that begins with the bot."""


class RuntimeMissingError(ArenaError):
    """wasmtime is not installed; the text says how to get it."""

    def __init__(self) -> None:
        super().__init__(MISSING)
