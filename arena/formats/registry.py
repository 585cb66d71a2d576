"""The formats there are, by the name that ``schedule.format`` gives them.

A new one is a module beside this, a model of its ``[schedule]`` table in ``plans`` (also listed there in ``PLANS`` and ``SchedulePlan``),
and a line here. ``arena.entries.stored_tournament`` says what a changed file may add to a tournament of each format, and
``arena.report.leaderboard_table`` how its places are shown.
"""

from __future__ import annotations

from typing import Any, Final

from arena.formats.base import Format
from arena.formats.gauntlet import Gauntlet
from arena.formats.knockout import Knockout
from arena.formats.ladder import Ladder
from arena.formats.round_robin import RoundRobin
from arena.formats.swiss import Swiss

FORMATS: Final[dict[str, type[Format[Any]]]] = {
    "round-robin": RoundRobin,
    "gauntlet": Gauntlet,
    "swiss": Swiss,
    "ladder": Ladder,
    "knockout": Knockout,
}
