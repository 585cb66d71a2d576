"""What is trained: Tongiaki with two to six players, mostly two and four, and Sunda to Sahul with two to four players, in all modes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import bots.reference.valuation
from benchmarks.train.course import Course, Table
from bots.reference.valuation import sunda, tongiaki

LEVELS: Final = (0, 1, 2, 0, 3, 4, 0, 5)
KINDS: Final = (("turns", "shared"), ("simultaneous", "private"), ("turns", "shared"), ("turns", "private"), ("turns", "shared"))
SEATS: Final = (2, 4, 3, 2, 4)
SHIPPED: Final = Path(bots.reference.valuation.__file__).parent


def tongiaki_value(read: Callable[[], Mapping[str, Any]]) -> tongiaki.TongiakiValue:
    """Return the value function for training games, which searches less widely than the bot does."""
    return tongiaki.TongiakiValue(read, tongiaki.BREADTH_OF_TRAINING)


COURSES: Final = {
    "tongiaki": Course(
        sight=tongiaki.SIGHT,
        make=tongiaki_value,
        tables=(Table(2, 3), Table(4, 3), Table(3, 2), Table(5), Table(6)),
        knots=(0.0, 0.08, 0.25, 0.7),
        hidden=8,
        shipped=SHIPPED / "tongiaki.json",
    ),
    "sunda": Course(
        sight=sunda.SIGHT,
        make=partial(sunda.SundaValue, sunda.SIGHT),
        tables=tuple(
            Table(seats, 1, (("level", level), ("mode", mode), ("pots", pots)))
            for seats in SEATS
            for mode, pots in KINDS
            for level in LEVELS
        ),
        knots=(0.0, 0.03, 0.08, 0.16, 0.3, 0.5, 0.75, 1.0),
        shipped=SHIPPED / "sunda.json",
        samples=14,
    ),
}
