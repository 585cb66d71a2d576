"""The training of Tongiaki's value function: tables of two to six, most of them of two and four."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import bots.reference.valuation
from benchmarks.train.course import Course, Table
from bots.reference.valuation.tongiaki import BREADTH_OF_TRAINING, SIGHT, TongiakiValue


def make_value(read: Callable[[], Mapping[str, Any]]) -> TongiakiValue:
    """Return the value function as games of training play by it: with less breadth than the bot has."""
    return TongiakiValue(read, BREADTH_OF_TRAINING)


COURSE: Final = Course(
    sight=SIGHT,
    make=make_value,
    tables=(Table(2, 3), Table(4, 3), Table(3, 2), Table(5), Table(6)),
    knots=(0.0, 0.08, 0.25, 0.7),
    hidden=8,
    shipped=Path(bots.reference.valuation.__file__).with_name("tongiaki.json"),
)
