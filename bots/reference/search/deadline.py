"""Computes when a search must stop, given the limits of its clock."""

from __future__ import annotations

from time import thread_time
from typing import Final

from bots.protocol import Clock

SHARE: Final = 0.6
"""The share of a decision's CPU time after which a search stops."""
MOVES_TO_COME: Final = 30
"""A search may use the CPU time in the bank divided by this number."""


class Deadline:
    """The CPU time of this thread at which a search must stop. Without time limits, the deadline never passes."""

    def __init__(self, clock: Clock) -> None:
        limits = [] if clock.seconds is None else [SHARE * clock.seconds]
        if clock.bank is not None:
            limits.append(clock.bank / MOVES_TO_COME)
        self._until = thread_time() + min(limits) if limits else None

    def has_passed(self) -> bool:
        """Return whether the search must stop."""
        return self._until is not None and thread_time() > self._until
