"""The errors of the WebAssembly runtime; it needs only the standard library."""

from __future__ import annotations

from typing import Final

MISSING: Final = "WebAssembly bots need wasmtime, which is not installed; pip install 'tile-arena[wasm]'"


class ModuleError(ValueError):
    """A module can't be played; the text continues a sentence that begins with the bot."""


class RuntimeMissingError(Exception):
    """wasmtime is not installed; the text says how to get it."""

    def __init__(self) -> None:
        super().__init__(MISSING)
