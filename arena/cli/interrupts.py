"""Ctrl-C while the program starts: until a command begins, it ends at once. Python loses some of the interrupts that come in imports."""

import os
import signal
import sys
from types import FrameType


def leave_on_interrupt() -> None:
    """Have Ctrl-C end the program, unless it is ignored, as it is in the background."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


def raise_interrupts() -> None:
    """Have Ctrl-C raise KeyboardInterrupt again, since there is something to clean up now."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(_number: int, _frame: FrameType | None) -> None:
    sys.stderr.write("error: interrupted\n")
    sys.stderr.flush()
    os._exit(130)
