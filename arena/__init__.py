"""Scheduling, playing and reporting tournaments: the command line and what it runs."""

from arena.version import __version__

__all__ = ["__version__"]
