"""Waiting for something to come about, however slow the machine is: a test that sleeps instead fails where it is busy."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic, sleep


def wait_for(condition: Callable[[], object], seconds: float = 60, *, pause: float = 0.02) -> None:
    """Wait until it is so; fail after so many seconds, which are more than any machine takes for it."""
    end = monotonic() + seconds
    while not condition():
        assert monotonic() < end, f"it did not come about within {seconds:g} s"
        sleep(pause)
