"""The process that reads a bot for `bots.loader.apart`: limits itself, reads its order from fd 0, and writes the result to fd 1.

Its answer is one line of JSON, followed by the bytes of the files. It needs only the standard library.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path

from bots.loader.static_analysis import Reading, UnreadableError, find_imports, read_bot


def main() -> None:
    """Read one bot and report it."""
    order = json.loads(sys.stdin.buffer.read())
    limit(order["memory"], order["cpu"])
    body: list[bytes] = []
    try:
        path, shown, most = Path(order["path"]), order["shown"], order["most"]
        if order["class"] is None:
            report: dict[str, object] = {"imports": find_imports(path, shown, most)}
        else:
            report = _report(read_bot(path, order["class"], shown, most), body)
    except UnreadableError as error:
        report = {"error": [error.before, error.detail[:1000], error.after]}
    except MemoryError:
        sys.exit(1)
    sys.stdout.buffer.write(json.dumps(report).encode() + b"\n")
    sys.stdout.buffer.writelines(body)


def limit(memory: int, cpu_seconds: int) -> None:
    """Limit this process permanently: memory, time, and everything that reading does not need. SIGXCPU ends it after ``cpu_seconds``."""
    wanted = [
        (resource.RLIMIT_CPU, cpu_seconds + 1),  # SIGKILL, if SIGXCPU did not end it
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, 32),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_CORE, 0),
    ]
    if sys.platform != "darwin":  # macOS names this limit but does not have it
        wanted.append((resource.RLIMIT_AS, memory))
    for which, most in wanted:
        hard = resource.getrlimit(which)[1]
        value = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(which, (min(value, cpu_seconds) if which == resource.RLIMIT_CPU else value, value))


def _report(reading: Reading, body: list[bytes]) -> dict[str, object]:
    """Return the line of JSON, and add the bytes to ``body``."""
    if reading.bundle is None:
        assert reading.code is not None
        body.append(reading.code.encode())
        return {"class": reading.class_name, "name": None, "files": []}
    bundle = reading.bundle
    body += [content for _, content in bundle.files]
    files = [(path, len(content)) for path, content in bundle.files]
    how = {name: getattr(bundle, name) for name in ("entry", "command", "wasm", "params")}
    return {"class": reading.class_name, "name": bundle.name, "files": files, **how}
