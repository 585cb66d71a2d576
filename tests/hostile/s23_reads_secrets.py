"""Reads a secret file of the host and another bot's source, by path, by link and by climbing up."""

import os
from pathlib import Path

from tests.hostile.harness import TARGETS, attempt

for key in ("secret", "bot"):
    path = TARGETS[key]
    attempt(f"read the {key}", lambda path=path: Path(path).read_text())
    attempt(f"read the {key} through /proc/self/root", lambda path=path: Path("/proc/self/root" + path).read_text())
    attempt(f"read the {key} from its folder", lambda path=path: os.open(path, os.O_RDONLY, dir_fd=os.open("/", os.O_RDONLY)))
attempt("read /etc/passwd", lambda: Path("/etc/passwd").read_text())
attempt("list the folder", lambda: os.listdir(TARGETS["folder"]))
attempt("list /home", lambda: os.listdir("/home"))
