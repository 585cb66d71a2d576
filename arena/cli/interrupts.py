"""Ctrl-C at the start of the program: it ends the program at once, since Python loses some interrupts during imports."""

import os
import signal
import sys
from types import FrameType


def leave_on_interrupt() -> None:
    """Make Ctrl-C end the program, unless SIGINT is ignored, as in the background."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


def raise_interrupts() -> None:
    """Make Ctrl-C raise KeyboardInterrupt again, for commands that have to clean up."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(_number: int, _frame: FrameType | None) -> None:
    sys.stderr.write("error: interrupted\n")
    sys.stderr.flush()
    os._exit(130)
