"""The command line."""

from arena.cli.app import main

__all__ = ["main"]
