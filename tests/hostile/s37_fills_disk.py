"""Writes wherever it can, as much as it can, and lays links."""

import os
from pathlib import Path

from tests.hostile.harness import TARGETS, attempt


def fill(path: Path) -> int:
    written = 0
    with path.open("wb") as file:
        for _ in range(64):
            written += file.write(b"x" * (1 << 20))
            file.flush()
    return written


for folder in (TARGETS["folder"], "/tmp", "/var/tmp", "/dev/shm", "/bots", "."):
    path = Path(folder, "leftover-" + TARGETS["marker"])
    attempt(f"fill {path.parent}", lambda path=path: fill(path))
    attempt(f"make a folder in {path.parent}", lambda path=path: path.with_suffix(".dir").mkdir())
    attempt(f"link in {path.parent}", lambda path=path: os.symlink("/etc/passwd", path.with_suffix(".link")))
