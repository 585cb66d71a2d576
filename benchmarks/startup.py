"""Measures how long commands that people wait for take from start to end: wall and CPU time of whole processes. CPU time is also given as
a multiple of the CPU time of Python itself (``python -c pass``), which is measured in turns with the commands.

python -m benchmarks.startup [--runs 20] [--json FILE]
"""

from __future__ import annotations

import resource
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

from arena.bots import find_bots
from arena.play.executors.base import InlineExecutor
from arena.run.runner import run_tournament
from arena.spec.spec import make_spec
from benchmarks.common import Figure, arguments, figure_of, report
from leaderboard.storage.store import Store

RUN = """
name = "begins"
game = "tongiaki"
seed = 7
bots = ["random", "greedy", "spoiler", {name = "random-2", source = "random"}]
[schedule]
tables = [2]
"""
PYTHON = "python -c pass"
LIBRARIES = "its libraries: python -c 'import sqlmodel, typer, rich.table'"
PROGRAM = "from arena.cli import main; main()"


@dataclass(frozen=True)
class Command:
    """A command to be timed, its limit in seconds, and the code that Python runs for it."""

    arguments: str
    wanted: str
    program: str = PROGRAM


def commands(db: Path) -> dict[str, Command]:
    """Return the commands to be timed, by the name in the figures."""
    return {
        PYTHON: Command("", "", "pass"),
        "arena --help": Command("--help", "< 0.12"),
        "arena match, isolation none": Command("match random random --game tongiaki --seed 7 --isolation none", "< 0.3"),
        "arena match, isolation best": Command("match random random --game tongiaki --seed 7", "< 0.45"),
        "arena leaderboard": Command(f"leaderboard --db {db}", "< 0.3"),
        LIBRARIES: Command("", "", "import sqlmodel, typer, rich.table"),
    }


def played(db: Path) -> None:
    """Play a small tournament for the leaderboard."""
    data: dict[str, Any] = {
        "name": "startup",
        "game": "tongiaki",
        "seed": 1,
        "bots": ["random", "greedy"],
        "schedule": {"tables": [2], "blocks": 5},
    }
    spec = make_spec(data, "benchmark")
    with Store.create(db) as store:
        run_tournament(spec, find_bots(spec, Path(), None), store, InlineExecutor())


def once(command: Command) -> tuple[float, float]:
    """Run a command in a separate process; return wall and CPU seconds."""
    program = [sys.executable, "-c", command.program, *command.arguments.split()]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    subprocess.run(program, stdout=subprocess.DEVNULL, check=True)  # noqa: S603  # our own program
    seconds, after = perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def begins(folder: Path, number: int) -> tuple[float, float]:
    """Start a run of twelve matches; return the seconds until it has printed its first line and until it has stored a match."""
    spec, db = folder / "begins.toml", folder / f"begins-{number}.db"
    spec.write_text(RUN)
    command = [sys.executable, "-c", PROGRAM, "run", str(spec), "--db", str(db)]
    began = perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:  # noqa: S603  # our own program
        assert process.stdout is not None
        process.stdout.readline()
        line = perf_counter() - began
        while process.poll() is None and not has_match(db):
            sleep(0.01)
        match = perf_counter() - began
        process.stdout.read()
    return line, match


def has_match(db: Path) -> bool:
    """Return whether a match is stored in the database."""
    try:
        with closing(sqlite3.connect(f"file:{db}?mode=ro", uri=True)) as connection:
            return connection.execute("SELECT 1 FROM match LIMIT 1").fetchone() is not None
    except sqlite3.OperationalError:  # there is no database yet, or no table
        return False


def figures(runs: int) -> list[Figure]:
    """Measure all commands in turns, after a round that is not counted (Python compiles modules on first import)."""
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "startup.db"
        played(db)
        known = commands(db)
        seen: dict[str, list[tuple[float, float]]] = {name: [] for name in known}
        for number in range(runs + 1):
            for name, command in known.items():
                spent = once(command)
                if number:
                    seen[name].append(spent)
        starts = [begins(Path(folder), number) for number in range(runs)]
    walls = [figure_of(name, "s", [wall for wall, _ in seen[name]], known[name].wanted) for name in known]
    walls.append(figure_of("arena run, first line", "s", [line for line, _ in starts], "< 0.3"))
    walls.append(figure_of("arena run, first match stored", "s", [match for _, match in starts], "< 0.9"))
    used = {name: [cpu for _, cpu in seen[name]] for name in known}
    ratios = {name: [one / python for one, python in zip(used[name], used[PYTHON], strict=True)] for name in known if name != PYTHON}
    return [
        *walls,
        *(figure_of(f"{name}: CPU", "s", used[name]) for name in known),
        *(figure_of(f"{name}: CPU, relative to Python alone", "times", ratios[name]) for name in ratios),
    ]


if __name__ == "__main__":
    given = arguments(__doc__ or "", runs=20).parse_args()
    report("Start-up", figures(given.runs), given.json)
