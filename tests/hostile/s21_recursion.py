"""Recurses without bound, after taking away Python's own."""

import sys

sys.setrecursionlimit(1 << 30)


class Deep:
    def __repr__(self) -> str:
        return repr(self)


repr(Deep())
