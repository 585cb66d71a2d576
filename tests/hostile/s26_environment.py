"""Looks for what the host was told in its environment."""

import os
from pathlib import Path

from tests.hostile.harness import TARGETS, attempt, say

say(attempt="inherit the host's environment", got=TARGETS["marker"] in str(os.environ), detail="")
for pid in ("self", TARGETS["host"], str(os.getppid()), "1"):
    attempt(
        f"read the marker in /proc/{pid}/environ",
        lambda pid=pid: Path(f"/proc/{pid}/environ").read_bytes().index(TARGETS["marker"].encode()),
    )
