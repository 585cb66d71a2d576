"""Bots in this process that call ``breakpoint()``: a debugger reaches them, and they have all the time that takes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from bots.host.player import Player


@contextmanager
def untimed_when_debugged(players: Iterable[Player]) -> Iterator[None]:
    """From the first ``breakpoint()`` within this block on, hold none of these players to the clock."""
    seated = list(players)
    usual = sys.breakpointhook

    def stop(*args: object, **more: object) -> None:
        for player in seated:
            player.is_timed = False
        if usual is sys.__breakpointhook__ and not os.environ.get("PYTHONBREAKPOINT"):
            import pdb  # noqa: PLC0415  # seldom needed, and slow

            hidden = getattr(sys.stdout, "is_kept", False)  # what the bot prints is kept, so a prompt would not be seen
            pdb.Pdb(stdout=sys.__stderr__ if hidden else None).set_trace(sys._getframe(1))  # noqa: SLF001  # in the bot, and not here
        else:
            usual(*args, **more)

    sys.breakpointhook = stop
    try:
        yield
    finally:
        sys.breakpointhook = usual
