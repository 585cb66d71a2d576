"""What the zygote does before the first bot: prepare games, import packages for bots, and check that a child can be locked down.

Runs inside the zygote, so it imports only the standard library.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterable, Mapping

from bots.sandbox import lockdown, process
from bots.sandbox.process import Setup


class SetupError(Exception):
    """Bots can't be started as requested. ``answer`` is ``unprepared`` if the preparation failed, or ``unfit`` if the packages or limits
    can't be offered."""

    def __init__(self, answer: str, text: str) -> None:
        super().__init__(text)
        self.answer = answer


def prepare(entry: str, message: str) -> None:
    """Call the function ``entry`` with ``message``. Children inherit the modules that it imports. Raises SetupError if it fails."""
    if not entry:
        return
    module, _, name = entry.partition(":")
    try:
        getattr(sys.modules[module], name)(message.encode())
    except (Exception, SystemExit) as error:  # noqa: BLE001  # another package may raise anything when it is imported
        raise SetupError("unprepared", _line(error)) from None


def load_packages(names: Iterable[str], environment: Mapping[str, str]) -> None:
    """Import the modules ``names`` for bots, then set the environment variables that these modules read later. Raises SetupError.

    A package that starts threads when it is imported is refused: a forked process has no such threads and could wait for them forever.
    """
    for name in names:
        try:
            importlib.import_module(name)
        except (Exception, SystemExit) as error:  # noqa: BLE001  # another package may raise anything when it is imported
            raise SetupError("unfit", f"the module '{name}' can't be imported in the process that starts bots: {_line(error)}") from None
        if not lockdown.has_one_thread():
            raise SetupError("unfit", f"importing the module '{name}' starts threads, and bot processes can't inherit threads")
    os.environ.update(environment)


def _line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]:.300}" if lines else type(error).__name__


def try_out(setup: Setup, fork: Callable[[], int]) -> None:
    """Fork and lock down a child that does nothing. Raises OSError if that fails."""
    read, write = os.pipe()
    pid = fork()
    if pid == 0:
        os.dup2(write, 2)
        try:
            process.limit(setup, setup.rlimits)
            process.seal(setup.python_filter)
        except Exception as error:  # noqa: BLE001  # the parent must report any failure
            os.write(2, f"{type(error).__name__}: {error}".encode()[:4096])
            os._exit(1)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        complaint = pipe.read().decode(errors="replace")
    _, status = os.waitpid(pid, 0)
    if status != 0:
        raise OSError(f"a process can't be locked down: {complaint or f'it ended with status {status}'}")
