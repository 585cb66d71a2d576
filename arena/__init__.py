"""Scheduling, playing and reporting tournaments: the command line and what it runs."""

import sys

from arena import moved
from arena.version import __version__

__all__ = ["__version__"]

sys.meta_path.append(moved)
