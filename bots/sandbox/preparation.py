"""What the zygote does before it locks anything: it prepares games, and loads the packages that bots may use.

Runs inside the zygote, so it imports nothing but the standard library.
"""

from __future__ import annotations

import importlib
import mmap
import os
import sys
from collections.abc import Iterable, Mapping
from typing import Final

from bots.sandbox import lockdown
from bots.sandbox.limits import MIB

_LEAST_LEFT: Final = 64 * MIB
"""Bytes of memory that a bot needs beyond what its packages take."""
_STEP: Final = 4 * MIB


class UnpreparedError(Exception):
    """Raised when the preparation fails, which says nothing about what the machine offers."""


class UnfitError(Exception):
    """Raised when bots can't be made with the packages or the limits that the host has asked for."""


def prepare(entry: str, told: str) -> None:
    """Call the function, which may import what else is installed, so that children find it in memory. Raises UnpreparedError."""
    if not entry:
        return
    module, _, name = entry.partition(":")
    try:
        getattr(sys.modules[module], name)(told.encode())
    except (Exception, SystemExit) as error:  # noqa: BLE001  # another package may raise anything when it is imported
        raise UnpreparedError(_line(error)) from None


def load_packages(names: Iterable[str], environment: Mapping[str, str]) -> None:
    """Import the modules of packages, and set what they read of the environment once a bot uses them. Raises UnfitError.

    A package that starts threads when it is imported is refused: a fork has none of them, and may wait for them for ever.
    """
    for name in names:
        try:
            importlib.import_module(name)
        except (Exception, SystemExit) as error:  # noqa: BLE001  # another package may raise anything when it is imported
            raise UnfitError(f"the package's module '{name}' can't be imported where bots are made: {_line(error)}") from None
        if not lockdown.has_one_thread():
            raise UnfitError(f"the package's module '{name}' starts threads when it is imported, which bots' processes can't inherit")
    os.environ.update(environment)


def find_room(limit: int) -> int:
    """Return how many bytes of memory this process may still have, at most ``limit``, to within a few MiB."""
    low, high = 0, limit // _STEP
    while low < high:
        middle = (low + high + 1) // 2
        try:
            mmap.mmap(-1, middle * _STEP, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ).close()
            low = middle
        except (OSError, MemoryError):
            high = middle - 1
    return low * _STEP


def lacks_room(left: int, limit: int) -> str:
    """Return the sentence for packages that leave a bot too little of its memory, given as by `find_room`; empty if there is enough."""
    if left >= _LEAST_LEFT:
        return ""
    return (
        f"Python, the games and the packages take all but {left // MIB} MiB of the {limit // MIB} MiB of memory that a bot may have, and "
        f"it needs {_LEAST_LEFT // MIB} MiB for itself; allow it more"
    )


def _line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]:.300}" if lines else type(error).__name__
