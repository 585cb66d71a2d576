"""Recurses without end (SANDBOX 21)."""

import sys

from speak import heard, honest

sys.setrecursionlimit(1 << 30)


def deeper(found):
    return sorted([found], key=deeper)


honest(1)
heard()
deeper(0)
