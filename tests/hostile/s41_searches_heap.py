"""Searches all of its memory for what an earlier or another bot was given, or the host's secrets."""

import gc
import sys
from pathlib import Path

from tests.hostile.harness import TARGETS, attempt, say

half = TARGETS["half of another's source"]
found = [each for each in gc.get_objects() if isinstance(each, dict) and "another bot's source" in each]
frame = sys._getframe()
depth = 0
while frame.f_back is not None:
    frame = frame.f_back
    depth += 1
    found += [name for name, value in frame.f_locals.items() if half + "-and-the-rest" in str(value)]
say(attempt="find another's source among objects", got=bool(found), detail=str(found)[:200])


def scan() -> int:
    wanted = (half + "-and-the-rest").encode()
    with Path("/proc/self/maps").open() as maps, Path("/proc/self/mem").open("rb", buffering=0) as memory:
        for line in maps:
            start, end = (int(part, 16) for part in line.split()[0].split("-"))
            if line.split()[1].startswith("rw") and end - start < 1 << 28:
                memory.seek(start)
                if memory.read(end - start).count(wanted) > 1:  # one is what was just built
                    return start
    raise OSError("not found")


attempt("find another's source in raw memory", scan)
