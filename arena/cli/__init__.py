"""The command-line interface, which is the program ``arena``."""

import os
import signal
import sys
from types import FrameType

__all__ = ["main"]


def main() -> None:
    """Run the program. Until a command starts, Ctrl-C ends the program at once, since Python loses some interrupts during imports."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a program in the background ignores SIGINT
        signal.signal(signal.SIGINT, _leave)
    from arena.cli.app import main as run

    run()


def _leave(_number: int, _frame: FrameType | None) -> None:
    sys.stderr.write("error: interrupted\n")
    sys.stderr.flush()
    os._exit(130)
