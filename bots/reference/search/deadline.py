"""When a search has to stop, by the limits of its clock."""

from __future__ import annotations

from time import thread_time
from typing import Final

from bots.protocol import Clock

SHARE: Final = 0.6
"""The share of a decision's CPU time after which a search stops early."""
MOVES_TO_COME: Final = 30
"""How many more decisions a bank of time should last for, at any moment."""


class Deadline:
    """The CPU time of this thread at which to stop; without a limit it never passes."""

    def __init__(self, clock: Clock) -> None:
        limits = [] if clock.seconds is None else [SHARE * clock.seconds]
        if clock.bank is not None:
            limits.append(clock.bank / MOVES_TO_COME)
        self._until = thread_time() + min(limits) if limits else None

    def has_passed(self) -> bool:
        """Return whether it is time to stop."""
        return self._until is not None and thread_time() > self._until
