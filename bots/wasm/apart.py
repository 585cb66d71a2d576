"""Compiles modules in a process of its own with limits, since a stranger's can make a compiler take any amount of memory and time."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Final

from bots.loader.apart import run_apart
from bots.wasm.errors import ModuleError, RuntimeMissingError

MEMORY: Final = 2 << 30
"""The process's limit of address space, in bytes."""
CPU_SECONDS: Final = 20
"""What a module may take when it is entered."""
CPU_SECONDS_TO_PLAY: Final = 60
"""What it may take later, so that one that was let in does not fail in a match because the machine is slower or busier by then."""
_SLACK: Final = 6
"""How many times as long it may take by the wall clock, if it neither computes nor waits for a processor."""
_ENTRY: Final = "import sys; sys.path += sys.argv[1:-1]; from bots.wasm.apart_child import main; main()"
_KEPT: Final = 64


_COMPILED: Final[dict[bytes, bytes]] = {}


def compile_apart(wasm: bytes, cpu_seconds: int = CPU_SECONDS) -> bytes:
    """Return the machine code of a module, for `interface.link`; that of the last few is kept.

    Raises ModuleError if it is no module, lacks an export, asks for an import that nobody offers, or takes too much time or memory to be
    compiled, RuntimeMissingError, and SandboxError if the machine fails.
    """
    if wasm in _COMPILED:
        return _COMPILED[wasm]
    root = str(Path(__file__).resolve().parents[2])
    ended = run_apart(["-S", "-c", _ENTRY, root, *_places(), str(cpu_seconds)], wasm, _SLACK * cpu_seconds)
    answer = ended.output
    if answer.startswith(b"+") and ended.code == 0:
        if len(_COMPILED) >= _KEPT:
            _COMPILED.pop(next(iter(_COMPILED)), None)
        return _COMPILED.setdefault(wasm, answer[1:])
    if answer.startswith(b"-") and ended.code == 0:
        raise ModuleError(answer[1:].decode(errors="replace"))
    if ended.late:
        raise ModuleError(f"could not be compiled within {ended.late}")
    limit = f"{cpu_seconds} s of CPU time" if ended.is_over_cpu else f"{MEMORY >> 20} MiB of memory"
    raise ModuleError(f"takes more than {limit} to be compiled; make it simpler")


def _places() -> list[str]:
    """Return the folders that the process imports from. Raises RuntimeMissingError."""
    found = find_spec("wasmtime")
    if found is None or found.origin is None:
        raise RuntimeMissingError
    needed = [found.origin] + [
        spec.origin for name in ("msgspec", "mypy_extensions", "librt", "typing_extensions") if (spec := find_spec(name)) and spec.origin
    ]
    return list(dict.fromkeys(str(Path(each).parents[1] if Path(each).name == "__init__.py" else Path(each).parent) for each in needed))
