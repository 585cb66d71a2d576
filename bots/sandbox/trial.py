"""The child that a zygote makes before any bot's: it shows whether a child can be locked down at all, and has room beside packages.

Runs inside the zygote, so it imports nothing but the standard library.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Final

from bots.sandbox import process
from bots.sandbox.preparation import UnfitError, find_room, lacks_room
from bots.sandbox.process import Setup

_LACKS_ROOM: Final = 3
"""The exit code of a child that finds too little memory left."""


def try_out(setup: Setup, fork: Callable[[], int], *, is_filled: bool) -> None:
    """Fork and lock down a child that does nothing. Raises OSError with what went wrong.

    Where the zygote is filled with packages, the child also looks how much memory they leave. Raises UnfitError if that is too little.
    """
    read, write = os.pipe()
    pid = fork()
    if pid == 0:
        os.dup2(write, 2)
        try:
            process.limit(setup, setup.rlimits)
            if is_filled and (lack := lacks_room(find_room(setup.limits.memory), setup.limits.memory)):
                os.write(2, lack.encode())
                os._exit(_LACKS_ROOM)
            process.seal(setup.python_filter)
        except Exception as error:  # noqa: BLE001  # whatever failed, the parent has to say it
            os.write(2, f"{type(error).__name__}: {error}".encode()[:4096])
            os._exit(1)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        complaint = pipe.read().decode(errors="replace")
    _, status = os.waitpid(pid, 0)
    if os.waitstatus_to_exitcode(status) == _LACKS_ROOM:
        raise UnfitError(complaint)
    if status != 0:
        raise OSError(f"a child can't be locked down: {complaint or f'it ended with status {status}'}")
