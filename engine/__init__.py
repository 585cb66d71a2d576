"""The rules of the games: states, moves, notation, replays, drawing. No clocks, files, processes or network, but to find its own form."""

import sys

from engine import moved
from engine.build_info import choose

FORM = choose()
"""Whether the engine runs compiled or as plain Python, and why."""

from engine.core import playout  # noqa: E402  # only now is it known which form of it to import

__all__ = ["FORM", "playout"]

sys.meta_path.append(moved)
