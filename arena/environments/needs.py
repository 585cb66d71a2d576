"""The error for an optional package that is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_OURS: Final = ("arena", "bots", "engine", "leaderboard")


class MissingPackageError(ImportError):
    """A package of an optional part of the project is not installed; the text says how to install it."""


@contextmanager
def explained(extra: str) -> Iterator[None]:
    """Turn the failed import of a package in the block into MissingPackageError, which says what to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in _OURS:
            raise
        message = f"arena.environments needs {package}, which is not installed: pip install 'tile-arena[{extra}]'"
        raise MissingPackageError(message, name=package) from None
