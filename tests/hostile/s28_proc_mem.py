"""Reads the memory and the files of its parent and of the host through /proc."""

import os
from pathlib import Path

from tests.hostile.harness import TARGETS, attempt

for pid in (str(os.getppid()), TARGETS["host"], TARGETS["sibling"]):
    for name in ("mem", "maps", "environ", "cwd", "root", "fd/0", "auxv"):
        attempt(f"/proc/{pid}/{name}", lambda pid=pid, name=name: Path(f"/proc/{pid}/{name}").open("rb").read(1))
