"""Clocks of seasons. All code that depends on the time takes a clock, so that a season can be played in fast motion."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from time import sleep as pause
from typing import Final, Protocol, TypeAlias

Now: TypeAlias = Callable[[], datetime]
"""Returns the present time, with a time zone."""
POLL_SECONDS: Final = 0.5


def now() -> datetime:
    """Return the time of this machine, in UTC."""
    return datetime.now(UTC)


class Clock(Protocol):
    """The clock of the driver of a season."""

    def now(self) -> datetime:
        """Return the time."""
        ...

    def reach(self, moment: datetime) -> bool:
        """Return whether it is ``moment`` or later; a clock in fast motion jumps to that time."""
        ...

    def rest(self) -> None:
        """Wait a moment."""
        ...


class MachineClock:
    """The clock of this machine. It is polled, so that no event is missed if the clock jumps or the machine sleeps."""

    def now(self) -> datetime:
        """Return the time of this machine."""
        return now()

    def reach(self, moment: datetime) -> bool:
        """Return whether it is ``moment`` or later."""
        return self.now() >= moment

    def rest(self) -> None:
        """Wait half a second."""
        pause(POLL_SECONDS)
