"""Reads a bot's files in a process of its own with limits, since parsing them can take any amount of memory and time.

A 368-byte archive can make a TOML parser take gigabytes, a small source can keep Python's own parser busy for minutes. The process is a
fresh interpreter, which has nothing of this one's memory, environment or files, and ends when the bot has been read.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from bots.loader.archive import MOST_BYTES
from bots.loader.manifest import Bundle
from bots.loader.static_analysis import Reading, UnreadableError

MEMORY: Final = 512 << 20
"""The process's limit of address space, in bytes."""
CPU_SECONDS: Final = 2
WALL_SECONDS: Final = 20.0
"""The limit on a busy machine, which may give the process little of a processor."""
_ROOT: Final = str(Path(__file__).resolve().parents[2])
_ENTRY: Final = "import sys; sys.path.append(sys.argv[1]); from bots.loader.apart_child import main; main()"
_COPIES: Final = 3
"""How many times the process may hold the bytes that a bot has above what most may have."""
_PASSED: Final = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


def read_apart(path: Path, class_name: str, shown: str, most: int = MOST_BYTES) -> Reading:
    """Read a bot as `static_analysis.read_bot` does. Raises UnreadableError, also if that takes too much time or memory."""
    told, body = _ask(path, class_name, shown, most)
    return _reading(told, body)


def imports_apart(path: Path, shown: str, most: int = MOST_BYTES) -> tuple[str, ...]:
    """Return what `static_analysis.find_imports` does. Raises UnreadableError as `read_apart` does."""
    told, _ = _ask(path, None, shown, most)
    return tuple(told["imports"])


def _ask(path: Path, class_name: str | None, shown: str, most: int) -> tuple[dict[str, Any], bytes]:
    """Have a process read the bot, or with no class find its imports; return its answer and the bytes of the files.

    Raises UnreadableError.
    """
    memory = MEMORY + _COPIES * max(0, most - MOST_BYTES)
    order = {"path": str(path), "class": class_name, "shown": shown, "most": most, "memory": memory, "cpu": CPU_SECONDS}
    data, code = run_apart(["-S", "-c", _ENTRY, _ROOT], json.dumps(order).encode(), WALL_SECONDS)
    header, newline, body = data.partition(b"\n")
    if code != 0 or not newline:
        why = "time" if code in {-24, -9, None} else "memory"  # SIGXCPU, SIGKILL
        limit = f"{CPU_SECONDS} s of time" if why == "time" else f"{MEMORY >> 20} MiB of memory"
        raise UnreadableError(f"the bot {shown} takes more than {limit} to be read; make it simpler")
    told = json.loads(header)
    if "error" in told:
        raise UnreadableError(*told["error"])
    return told, body


def run_apart(arguments: Sequence[str], order: bytes, wall_seconds: float) -> tuple[bytes, int | None]:
    """Run an isolated interpreter that has nothing of this one's memory and environment; what it runs limits itself.

    Return its output and exit code, None if it had to be killed.
    """
    environment = {name: value for name in _PASSED if (value := os.environ.get(name)) is not None}
    with subprocess.Popen(  # noqa: S603  # this very interpreter, and code of ours
        [sys.executable, "-I", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    ) as process:
        try:
            return process.communicate(order, wall_seconds)[0], process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            return b"", None


def _reading(told: dict[str, Any], body: bytes) -> Reading:
    """Return the reading that the process reported."""
    files = []
    at = 0
    for path, size in told["files"]:
        files.append((path, body[at : at + size]))
        at += size
    if told["name"] is None:
        return Reading(told["class"], body.decode())
    steps = tuple(map(tuple, told["build"]))
    command, products = tuple(told["command"]), tuple(told["products"])
    bundle = Bundle(told["name"], tuple(files), told["entry"], command, told["wasm"], steps, products)
    return Reading(told["class"], bundle=bundle)
