"""What the benchmarks share: medians with their ranges, printed tables, and JSON files."""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

_LOAD = os.getloadavg()[0]
"""The machine's load when the program began."""
_LIMIT = re.compile(r"(<|<=|>=) ([0-9.,]+)")


@dataclass(frozen=True)
class Figure:
    """One measured quantity: the median, minimum and maximum of its runs. ``wanted`` is a limit such as ``>= 300``, or empty."""

    name: str
    unit: str
    median: float
    low: float
    high: float
    wanted: str = ""

    @property
    def verdict(self) -> str:
        """Whether the median meets the limit: ``ok``, ``missed``, or an empty string if there is no limit."""
        if not self.wanted:
            return ""
        found = _LIMIT.fullmatch(self.wanted)
        if found is None:
            raise ValueError(f"{self.name}: '{self.wanted}' is not a limit")
        limit = float(found[2].replace(",", ""))
        kept = {"<": self.median < limit, "<=": self.median <= limit, ">=": self.median >= limit}
        return "ok" if kept[found[1]] else "missed"


def number(value: float) -> str:
    """Return a figure's value with a sensible number of digits."""
    if value == 0 or 0.001 <= abs(value) < 1:
        return f"{value:.3f}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def measure(name: str, unit: str, runs: int, once: Callable[[], float], wanted: str = "") -> Figure:
    """Call ``once`` in each run and return the figure; if there are several runs, one more is made first and not counted."""
    if runs > 1:
        once()
    values = [once() for _ in range(runs)]
    return Figure(name, unit, statistics.median(values), min(values), max(values), wanted)


def figure_of(name: str, unit: str, values: Sequence[float], wanted: str = "") -> Figure:
    """Return the figure for values that have already been measured."""
    return Figure(name, unit, statistics.median(values), min(values), max(values), wanted)


def machine() -> str:
    """Return a description of this machine."""
    return f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores"


def _wanted(figure: Figure) -> str:
    return f"{figure.wanted} {figure.verdict}".strip()


def _table(title: str, headers: Sequence[str]) -> Table:
    table = Table(title=f"{title} ({machine()}, load {_LOAD:.1f})", title_justify="left", box=None, pad_edge=False, padding=(0, 1))
    table.add_column("what")
    for header in headers:
        table.add_column(header, justify="right", no_wrap=True)
    table.add_column("unit", no_wrap=True)
    table.add_column("wanted", no_wrap=True)
    return table


def _write(path: Path | None, title: str, forms: dict[str, Sequence[Figure]]) -> None:
    if path is None:
        return
    lists = {form: [asdict(figure) for figure in figures] for form, figures in forms.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"title": title, "machine": machine(), "load": _LOAD, **lists}, indent=2) + "\n")


def write_figures(path: Path | None, title: str, figures: Sequence[Figure]) -> None:
    """Write the figures as JSON, if a path is given."""
    _write(path, title, {"figures": figures})


def report(title: str, figures: Sequence[Figure], path: Path | None) -> None:
    table = _table(title, ("median", "range"))
    for figure in figures:
        spread = "" if figure.low == figure.high else f"{number(figure.low)} - {number(figure.high)}"
        table.add_row(figure.name, number(figure.median), spread, figure.unit, _wanted(figure))
    Console().print(table)
    _write(path, title, {"figures": figures})


def report_forms(title: str, compiled: Sequence[Figure], plain: Sequence[Figure], ratios: Sequence[Figure], path: Path | None) -> None:
    """Print figures of the compiled and the plain engine side by side, then ratios; write them as JSON if a path is given."""
    table = _table(title, ("compiled", "plain", "ratio"))
    for one, other in zip(compiled, plain, strict=True):
        table.add_row(one.name, number(one.median), number(other.median), f"{ratio(one, other):.1f}", one.unit, _wanted(one))
    for each in ratios:
        table.add_row(each.name, "", "", f"{each.median:.1f}", each.unit, _wanted(each))
    Console().print(table)
    _write(path, title, {"figures": [*compiled, *ratios], "plain": plain})


def ratio(one: Figure, other: Figure) -> float:
    """Return the larger of two medians divided by the smaller."""
    return max(one.median, other.median) / min(one.median, other.median)


def arguments(description: str, runs: int = 5) -> argparse.ArgumentParser:
    """Return a parser with the options that all benchmarks share."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--runs", type=int, default=runs, help="how many runs of each figure are counted")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    return parser


@dataclass(frozen=True)
class Marks:
    """The lines in a page that mark the beginning and the end of text written by a program."""

    begin: str
    end: str

    def put(self, path: Path, lines: str) -> None:
        """Replace what is between the marks in a file. Raises ValueError unless it contains both marks, in order."""
        try:
            text = self.between(path.read_text(encoding="utf-8"), lines)
        except ValueError as error:
            raise ValueError(f"{path} {error}") from None
        path.write_text(text, encoding="utf-8")

    def between(self, text: str, lines: str) -> str:
        """Return the text with ``lines`` between the marks. Raises ValueError unless it contains both marks, in order."""
        before, begin, rest = text.partition(self.begin)
        _, end, after = rest.partition(self.end)
        if not begin or not end:
            raise ValueError(f"lacks the marks {self.begin} and {self.end}")
        return f"{before}{self.begin}\n{lines}\n{self.end}{after}"
