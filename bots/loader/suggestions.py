"""Hints for the end of error messages: a similar name, or what to do about a missing file, module or permission.

This module needs only the standard library, since the process that reads a bot's files uses it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from errno import EACCES, ENOENT, ENOSYS
from os import strerror
from typing import Final

_NO_NAME_SERVER: Final = -3
"""``socket.EAI_AGAIN``, the error number of a host name lookup where no socket can be created."""
_ALLOWED: Final[list[tuple[str, ...]]] = []
"""In a bot's process, the packages that it may import, as set by `allow_packages`; empty in other processes."""


def did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    """Return a hint such as ``"; did you mean 'greedy'?"`` if a known name is similar, or else ``otherwise``."""
    close = get_close_matches(name[:100], list(known), n=1)
    return f"; did you mean '{close[0]}'?" if close else otherwise


def allow_packages(packages: Sequence[str]) -> None:
    """Set the names of the packages that bots may import, for advice in messages. Call this before the first bot is started."""
    _ALLOWED[:] = [tuple(packages)]


def advice_on(error: BaseException, *, is_one_file: bool) -> str:
    """Return advice on a bot's exception, to append to its message: what is forbidden or missing. It is empty if nothing is known."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        return _advice_on_module(error.name.partition(".")[0], is_one_file=is_one_file)
    if _ALLOWED and _is_forbidden(error):
        return "; isolated bots can't use asyncio, multiprocessing, the network, or more threads than runtime.threads allows"
    if isinstance(error, OSError) and error.errno in {ENOENT, EACCES} and error.strerror == strerror(error.errno):
        name = error.filename
        if isinstance(name, str) and not name.startswith("/"):
            place = f"Path(__file__).parent / {name[:60]!r}"
            return f"; send it in a folder with the bot, and open {place}" if is_one_file else f"; a bot's own files are at {place}"
    return ""


def _advice_on_module(name: str, *, is_one_file: bool) -> str:
    if name in sys.modules:  # a submodule is missing
        return ""
    if name in sys.stdlib_module_names:
        return "; bots can't use this module of the standard library" if _ALLOWED else ""
    own = "; if it is a file of your own, send it in a folder with the bot" if is_one_file else ""
    if not _ALLOWED:
        return own
    (packages,) = _ALLOWED
    has = f"allows {_listed(packages)}" if packages else "allows no packages"
    return f"{own}; this competition {has}: ask its host for '{name}' (on your own machine: --runtime packages=NAME)"


def _is_forbidden(error: BaseException | None) -> bool:
    """Return whether the error, or an error that led to it, comes from a system call that isolation refuses."""
    for _ in range(4):
        if isinstance(error, OSError) and error.errno in {ENOSYS, _NO_NAME_SERVER}:
            return True
        if type(error) is RuntimeError and error.args == ("can't start new thread",):
            return True
        error = error and error.__context__
    return False


def _listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
