"""The training of Sunda to Sahul's value function: tables of two to four, all levels, in turns and simultaneous, most at level 0."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

import bots.reference.valuation
from benchmarks.train.course import Course, Table
from benchmarks.train.sunda_fit import fit_together
from bots.reference.valuation.sunda import SIGHT, SundaValue

LEVELS: Final = (0, 1, 2, 0, 3, 4, 0, 5)
KINDS: Final = (("turns", "shared"), ("simultaneous", "private"), ("turns", "shared"), ("turns", "private"), ("turns", "shared"))
SEATS: Final = (2, 4, 3, 2, 4)

COURSE: Final = Course(
    sight=SIGHT,
    make=partial(SundaValue, SIGHT),
    tables=tuple(
        Table(seats, 1, (("level", level), ("mode", mode), ("pots", pots))) for seats in SEATS for mode, pots in KINDS for level in LEVELS
    ),
    knots=(0.0, 0.03, 0.08, 0.16, 0.3, 0.5, 0.75, 1.0),
    shipped=Path(bots.reference.valuation.__file__).with_name("sunda.json"),
    samples=14,
    fit=fit_together,
)
