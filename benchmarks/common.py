"""What the benchmarks share: medians with spread, tables, and JSON beside them."""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Figure:
    """One measured quantity: the median of its runs, the smallest and the largest."""

    name: str
    unit: str
    median: float
    low: float
    high: float
    wanted: str = ""


def measure(name: str, unit: str, runs: int, once: Callable[[], float], wanted: str = "") -> Figure:
    """The figure that ``once`` gives, over that many runs after one that is not counted."""
    once()
    values = [once() for _ in range(runs)]
    return Figure(name, unit, statistics.median(values), min(values), max(values), wanted)


def figure_of(name: str, unit: str, values: Sequence[float], wanted: str = "") -> Figure:
    """The figure of values that have been measured already."""
    return Figure(name, unit, statistics.median(values), min(values), max(values), wanted)


def report(title: str, figures: Sequence[Figure], path: Path | None) -> None:
    """Print a table; write JSON if there is a path."""
    machine = f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores"
    table = Table(title=f"{title} ({machine})", title_justify="left", box=None, pad_edge=False)
    table.add_column("what")
    for header in ("median", "low", "high"):
        table.add_column(header, justify="right")
    table.add_column("unit")
    table.add_column("wanted")
    for figure in figures:
        table.add_row(figure.name, *(f"{value:,.4g}" for value in (figure.median, figure.low, figure.high)), figure.unit, figure.wanted)
    Console().print(table)
    if path is not None:
        path.write_text(
            json.dumps({"title": title, "machine": machine, "figures": [asdict(figure) for figure in figures]}, indent=2) + "\n"
        )


def report_forms(title: str, compiled: Sequence[Figure], plain: Sequence[Figure], path: Path | None) -> None:
    """Print the same figures of the compiled and the plain engine side by side, each with its range; write JSON if there is a path."""
    machine = f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores"
    table = Table(title=f"{title} ({machine})", title_justify="left", box=None, pad_edge=False)
    table.add_column("what")
    for header in ("compiled", "plain", "ratio"):
        table.add_column(header, justify="right")
    table.add_column("unit")
    table.add_column("wanted")
    for one, other in zip(compiled, plain, strict=True):
        ratio = max(one.median, other.median) / min(one.median, other.median)
        table.add_row(one.name, f"{one.median:,.4g}", f"{other.median:,.4g}", f"{ratio:.1f}", one.unit, one.wanted)
    Console().print(table)
    if path is not None:
        forms = {"compiled": [asdict(figure) for figure in compiled], "plain": [asdict(figure) for figure in plain]}
        path.write_text(json.dumps({"title": title, "machine": machine, "figures": forms["compiled"], **forms}, indent=2) + "\n")


def arguments(description: str, runs: int = 5) -> argparse.ArgumentParser:
    """A parser with the options that every benchmark has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--runs", type=int, default=runs, help="counted runs of each figure")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    return parser
