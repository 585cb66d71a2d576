"""The process that reads a bot for `bots.loader.apart`. It limits itself, reads its request from fd 0 and writes the result to fd 1.

The result is one line of JSON, followed by the bytes of the files. The process needs only the standard library.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from bots.limits import limit_reading
from bots.loader.static_analysis import Reading, UnreadableError, find_imports, read_bot


def main() -> None:
    """Read one bot and write the result to standard output."""
    order = json.loads(sys.stdin.buffer.read())
    limit_reading(order["memory"], order["cpu"])
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


def _report(reading: Reading, body: list[bytes]) -> dict[str, object]:
    if reading.bundle is None:
        assert reading.code is not None
        body.append(reading.code.encode())
        return {"class": reading.class_name, "name": None, "files": []}
    bundle = reading.bundle
    body += [content for _, content in bundle.files]
    files = [(path, len(content)) for path, content in bundle.files]
    how = {name: getattr(bundle, name) for name in ("entry", "command", "wasm", "params")}
    return {"class": reading.class_name, "name": bundle.name, "files": files, **how}
