"""Looks for what an earlier match left: in memory, in modules, in folders."""

import builtins
import os
import sys

from tests.hostile.harness import TARGETS, attempt, say

say(attempt="find a mark in a module", got=hasattr(builtins, "earlier") or hasattr(sys, "earlier"), detail="")
builtins.earlier = sys.earlier = "I was here"


def look(folder: str) -> list[str]:
    found = [name for name in os.listdir(folder) if TARGETS["marker"] in name]
    if not found:
        raise OSError("nothing is there")
    return found


for folder in ("/bots", "/tmp", "/dev/shm"):
    attempt(f"find files in {folder}", lambda folder=folder: look(folder))
