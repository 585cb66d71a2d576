"""Ends of error messages: the name that was probably meant, and advice on a missing package.

It needs only the standard library, since the process that reads a bot's files uses it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from errno import ENOSYS
from typing import Final

_ALLOWED: Final[list[tuple[str, ...]]] = []
"""In a bot's process the packages that it may import, as last set by `allow_packages`; elsewhere empty."""


def did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    """``"; did you mean 'greedy'?"`` if a known name is close, else ``otherwise``."""
    close = get_close_matches(name[:100], list(known), n=1)
    return f"; did you mean '{close[0]}'?" if close else otherwise


def allow_packages(packages: Sequence[str]) -> None:
    """Set the packages that bots may import; call this before the first bot."""
    _ALLOWED[:] = [tuple(packages)]


def advice_on(error: BaseException) -> str:
    """Return advice on a bot's exception for what isolation or the competition doesn't give it, as the end of a sentence; else empty."""
    if _ALLOWED and isinstance(error, OSError) and error.errno == ENOSYS:
        return "; isolated bots can't use asyncio, multiprocessing or the network, and threads only as runtime.threads allows"
    if not _ALLOWED or not isinstance(error, ModuleNotFoundError) or not error.name:
        return ""
    name = error.name.partition(".")[0]
    if name in sys.modules:  # what is missing is below it
        return ""
    if name in sys.stdlib_module_names:
        return "; bots can't have this module of Python's library"
    (packages,) = _ALLOWED
    has = f"has {_listed(packages)}" if packages else "has no packages"
    how = "[runtime] packages in docs/tournament-file.md; at home, --runtime packages=NAME"
    return f"; this competition {has}: ask its host for '{name}' ({how})"


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
