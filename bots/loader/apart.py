"""Reads bots' files and compiles their modules in separate processes with limits, since both can take any amount of memory and time.

A 368-byte archive can make a TOML parser take gigabytes, and a small source can keep Python's own parser busy for minutes. Each process is
a fresh interpreter without access to this process's memory, environment or open files, and ends when the bot has been read.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from bots.clock import Delay, Patience, cpu_of, load, where_it_went
from bots.errors import ModuleError, RuntimeMissingError
from bots.loader.archive import MOST_BYTES
from bots.loader.manifest import Bundle
from bots.loader.static_analysis import Reading, UnreadableError

MEMORY: Final = 512 << 20
"""The address-space limit of a process that reads a bot, in bytes."""
CPU_SECONDS: Final = 2
WALL_SECONDS: Final = 20.0
"""The wall-clock limit for reading a bot, not counting time spent waiting for a processor."""
_ENTRY: Final = "import sys; sys.path.append(sys.argv[1]); from bots.loader.apart_child import main; main()"
MODULE_MEMORY: Final = 2 << 30
"""The address-space limit of a process that compiles a WebAssembly module, in bytes."""
MODULE_CPU_SECONDS: Final = 20
"""The CPU seconds allowed for compiling a WebAssembly module when the bot is loaded."""
MODULE_CPU_SECONDS_TO_PLAY: Final = 60
"""The CPU seconds for compiling a module for a match: more than ``MODULE_CPU_SECONDS``, so that a slower machine can do it, too."""
_MODULE_SLACK: Final = 6
"""The wall-clock limit for compiling, as a multiple of the CPU seconds, not counting time spent waiting for a processor."""
_MODULE_ENTRY: Final = "import sys; sys.path += sys.argv[1:-2]; from bots.wasm.apart_child import main; main()"
_MODULES_KEPT: Final = 64
_COMPILED: Final[dict[bytes, bytes]] = {}
_COPIES: Final = 3
"""Extra memory for reading a bot above the default size, as a multiple of the additional bytes."""
_ROOT: Final = str(Path(__file__).resolve().parents[2])
_PASSED: Final = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """How a process ended: its output and its exit code, which is negative if a signal ended it.

    If the process was killed because it exceeded its wall-clock limit, ``late`` says where the time went.
    """

    output: bytes
    code: int
    late: str = ""

    @property
    def is_over_cpu(self) -> bool:
        """Whether the process used up its CPU time."""
        return self.code == -signal.SIGXCPU


def run_apart(arguments: Sequence[str], order: bytes, seconds: float) -> ProcessEnd:
    """Run a fresh interpreter with these arguments for at most ``seconds``. It reads ``order`` from fd 0 and must limit itself.

    Time in which it waits for a processor does not count. Raises SandboxError if the machine starved or killed the process.
    """
    environment = {name: value for name in _PASSED if (value := os.environ.get(name)) is not None}
    with subprocess.Popen(  # noqa: S603  # this interpreter, with code from this module
        [sys.executable, "-I", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    ) as process:
        delay = Delay(process.pid)
        patience = Patience(seconds, delay.seconds)
        sent: bytes | None = order
        while (left := patience.left()) > 0:
            try:
                output = process.communicate(sent, left)[0]
                if process.returncode == -signal.SIGKILL:
                    raise _machines_fault(f"was killed by the system, as happens when the machine runs out of memory; {load()}")
                return ProcessEnd(output, process.returncode)
            except subprocess.TimeoutExpired:
                sent = None  # communicate() keeps it
        delayed = delay.seconds()
        where = f"{patience.passed() - delayed:.1f} s by the wall clock; {where_it_went(cpu_of(process.pid), delayed)}"
        process.kill()
    if patience.is_machines_fault:
        raise _machines_fault(f"was still running after {where}")
    return ProcessEnd(b"", process.returncode, where)


def _machines_fault(what: str) -> Exception:
    from bots.errors import SandboxError  # noqa: PLC0415  # rarely needed

    return SandboxError(f"the process that reads bots' files {what}; try again when the machine is less busy")


def read_apart(path: Path, class_name: str, shown: str, most: int = MOST_BYTES) -> Reading:
    """Call `static_analysis.read_bot` in a separate process. Raises UnreadableError (also if reading takes too long) and SandboxError."""
    report, body = _ask(path, class_name, shown, most)
    return _reading(report, body)


def imports_apart(path: Path, shown: str, most: int = MOST_BYTES) -> tuple[str, ...]:
    """Call `static_analysis.find_imports` in a separate process. Raises the same errors as `read_apart`."""
    report, _ = _ask(path, None, shown, most)
    return tuple(report["imports"])


def _ask(path: Path, class_name: str | None, shown: str, most: int) -> tuple[dict[str, Any], bytes]:
    """Return what a separate process found, and the bytes of the files. If ``class_name`` is None, it looks for the bot's imports. Raises
    UnreadableError."""
    memory = MEMORY + _COPIES * max(0, most - MOST_BYTES)
    order = {"path": str(path), "class": class_name, "shown": shown, "most": most, "memory": memory, "cpu": CPU_SECONDS}
    ended = run_apart(["-S", "-c", _ENTRY, _ROOT], json.dumps(order).encode(), WALL_SECONDS)
    header, newline, body = ended.output.partition(b"\n")
    if ended.late:
        raise UnreadableError(f"the bot {shown} could not be read within {ended.late}")
    if ended.code != 0 or not newline:
        limit = f"{CPU_SECONDS} s of CPU time" if ended.is_over_cpu else f"{MEMORY >> 20} MiB of memory"
        raise UnreadableError(f"the bot {shown} takes more than {limit} to be read; make it simpler")
    report = json.loads(header)
    if "error" in report:
        raise UnreadableError(*report["error"])
    return report, body


def _reading(report: dict[str, Any], body: bytes) -> Reading:
    files = []
    at = 0
    for path, size in report["files"]:
        files.append((path, body[at : at + size]))
        at += size
    if report["name"] is None:
        return Reading(report["class"], body.decode())
    params = tuple(map(tuple, report["params"]))
    bundle = Bundle(report["name"], tuple(files), report["entry"], tuple(report["command"]), report["wasm"], params)
    return Reading(report["class"], bundle=bundle)


def compile_apart(wasm: bytes, cpu_seconds: int = MODULE_CPU_SECONDS) -> bytes:
    """Compile a WebAssembly module into machine code for `bots.wasm.interface.link`. The results for recent modules are cached.

    Raises ModuleError if ``wasm`` is not a module, lacks an export, has an unknown import, or takes too much time or memory to compile.
    Raises RuntimeMissingError if wasmtime is not installed, and SandboxError if the machine fails.
    """
    if wasm in _COMPILED:
        return _COMPILED[wasm]
    arguments = ["-S", "-c", _MODULE_ENTRY, _ROOT, *_places_of_wasmtime(), str(MODULE_MEMORY), str(cpu_seconds)]
    ended = run_apart(arguments, wasm, _MODULE_SLACK * cpu_seconds)
    answer = ended.output
    if answer.startswith(b"+") and ended.code == 0:
        if len(_COMPILED) >= _MODULES_KEPT:
            _COMPILED.pop(next(iter(_COMPILED)), None)
        return _COMPILED.setdefault(wasm, answer[1:])
    if answer.startswith(b"-") and ended.code == 0:
        raise ModuleError(answer[1:].decode(errors="replace"))
    if ended.late:
        raise ModuleError(f"could not be compiled within {ended.late}")
    limit = f"{cpu_seconds} s of CPU time" if ended.is_over_cpu else f"{MODULE_MEMORY >> 20} MiB of memory"
    raise ModuleError(f"takes more than {limit} to be compiled; make it simpler")


def _places_of_wasmtime() -> list[str]:
    wasmtime = find_spec("wasmtime")
    if wasmtime is None or wasmtime.origin is None:
        raise RuntimeMissingError
    needed = [wasmtime.origin] + [
        spec.origin for name in ("msgspec", "mypy_extensions", "librt", "typing_extensions") if (spec := find_spec(name)) and spec.origin
    ]
    return list(dict.fromkeys(str(Path(each).parents[1] if Path(each).name == "__init__.py" else Path(each).parent) for each in needed))
