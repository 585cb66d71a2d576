"""A small WebAssembly module to test whether modules can run on this machine."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version

from bots.errors import MISSING, BotFaultError, ModuleError, RuntimeMissingError
from bots.loader.apart import compile_apart
from bots.protocol import Clock
from engine.core import State, View

TEXT = """
(module
  (import "arena_v1" "legal" (func $legal (param i32) (result i32)))
  (memory (export "memory") 2)
  (func (export "arena_buffer") (param i32) (result i32) (i32.const 65536))
  (func (export "arena_message") (param i32) (result i32) (drop (call $legal (i32.const 0))) (i32.const 0)))
"""
"""The source of the module. It calls ``legal`` for the current position, and returns an empty answer."""


@cache
def trial_module() -> bytes:
    """Return the trial module (``TEXT``) in WebAssembly's binary form."""
    from wasmtime import wat2wasm  # noqa: PLC0415  # not installed on every host

    return bytes(wat2wasm(TEXT))


def try_out(view: View[State]) -> tuple[bool, str]:
    """Compile and run the trial module. Return whether it works, and a message with the result or with what to do.

    Without wasmtime, return True and a message that says so.
    """
    try:
        compiled = compile_apart(trial_module())
        from bots.wasm.conversation import Conversation  # noqa: PLC0415
        from bots.wasm.interface import link  # noqa: PLC0415

        conversation = Conversation(link(compiled), log=lambda text: None)
        conversation.start(b"{}", 0, Clock(fuel=1_000_000), lambda: view)
        conversation.close()
    except (ImportError, RuntimeMissingError):
        return True, MISSING
    except (ModuleError, BotFaultError) as error:
        return False, f"wasmtime {_version()} does not work on this machine: this program's test module {error}"
    return True, f"wasmtime {_version()} compiled and ran a test module with {conversation.fuel:,} units of fuel"


def _version() -> str:
    try:
        return version("wasmtime")
    except PackageNotFoundError:
        return "(unknown version)"
