"""Writes the table of docs/performance.md, between two marks, from the figures that the benchmarks have written to ``out/bench``.

python -m benchmarks.summary [--print-only]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from benchmarks.__main__ import OUT
from benchmarks.common import Figure, Marks, number

PAGE = Path("docs", "performance.md")
MARKS = Marks("<!-- figures: make bench writes what is between these marks -->", "<!-- end of figures -->")


@dataclass(frozen=True)
class Claim:
    """A row of the table: the program, its figure (``*`` matches anything), and the figure's name in the table."""

    program: str
    figure: str
    name: str


ON_THE_PAGE = (
    Claim("engine", "Tongiaki, 4 seats: playouts", "Tongiaki, random games, 4 seats"),
    Claim("engine", "Tongiaki, 4 seats: verified", "Tongiaki, replays verified, 4 seats"),
    Claim("engine", "Sunda L0, 2 seats: playouts", "Sunda to Sahul, level 0, random games, 2 seats"),
    Claim("engine", "Sunda L0, 2 seats: verified", "Sunda to Sahul, level 0, replays verified"),
    Claim("long_run", "matches", "Tournament of 100,000 matches, random bots, 4 workers"),
    Claim("long_run", "memory of the driver, at most", "Peak memory of this tournament's driver"),
    Claim("storage", "driver, for a result at a table of 4", "Driver time per stored match"),
    Claim("startup", "arena run, first match stored", "`arena run` until its first stored match"),
    Claim("isolation", "L3, memory of a bot (PSS)", "Memory of a sealed bot (PSS)"),
    Claim("protocol", "tongiaki: isolated matches relative to in process", "Rate of sealed `random` matches, relative to in-process ones"),
    Claim("analysis", "Tongiaki, 4 seats: analysis", "Analysis of a Tongiaki match, 4 seats"),
    Claim("analysis", "Sunda to Sahul, 2 seats: analysis", "Analysis of a Sunda to Sahul match, 2 seats"),
    Claim("web", "standings under load", "Standings page under load, server on one core"),
)
CLAIMS = (
    *ON_THE_PAGE,
    Claim("engine", "Tongiaki, 4 seats: listed", "Tongiaki, random games with all legal moves listed"),
    Claim("engine", "Tongiaki, 4 seats: playouts, relative to plain", "Tongiaki, random games, compiled relative to plain Python"),
    Claim("engine", "Tongiaki: copy()", "Tongiaki, `copy()`"),
    Claim("engine", "Sunda L0, 2 seats: listed", "Sunda to Sahul, random games with all legal moves listed"),
    Claim("engine", "Sunda L0, 2 seats: playouts, relative to plain", "Sunda to Sahul, random games, compiled relative to plain Python"),
    Claim("engine", "Sunda L0: copy()", "Sunda to Sahul, level 0, `copy()`"),
    Claim("peers", "Tongiaki's decisions relative to OpenSpiel, backgammon", "Tongiaki's decisions, relative to OpenSpiel's backgammon"),
    Claim("peers", "Tongiaki's decisions relative to kaggle*", "Decisions in Tongiaki, relative to kaggle-environments' connectx"),
    Claim("runner", "Ray, 1 worker, 5 ms", "Tournament of matches of 5 ms, 1 Ray worker"),
    Claim("runner", "Ray, 2 workers, 5 ms", "the same, 2 Ray workers"),
    Claim("runner", "Ray, 4 workers, 5 ms", "the same, 4 Ray workers"),
    Claim("runner", "Ray / bare, 4 workers, 5 ms: wall", "the same, 4 Ray workers relative to 4 bare processes"),
    Claim("runner", "Ray / bare, 4 workers, 5 ms: CPU", "the same, in CPU time"),
    Claim("runner", "Ray / bare, 4 workers, 25 ms: wall", "matches of 25 ms, 4 Ray workers relative to 4 bare processes"),
    Claim("long_run", "last / first * matches: rate", "Matches per second, the tournament's last thousand relative to its first"),
    Claim("long_run", "last / first tenth: CPU of a match", "CPU time per match in its last tenth, relative to its first"),
    Claim("long_run", "last result to final table", "time from its last result to the final table"),
    Claim("storage", "fold of stored results, tables of 2 to 6", "Ratings and standings, tables of 2 to 6"),
    Claim("storage", "* seats: leaderboard", "Leaderboard of a database with 1,000,000 seats"),
    Claim("startup", "arena --help", "`arena --help`"),
    Claim("startup", "arena match, isolation none", "`arena match`, in process"),
    Claim("startup", "arena match, isolation best", "`arena match`, sealed"),
    Claim("startup", "arena leaderboard", "`arena leaderboard`"),
    Claim("startup", "its libraries: python -c 'import sqlmodel, typer, rich.table'", "the same, only importing its libraries"),
    Claim("isolation", "plain process, round trip of a line", "Round trip of a line to a plain process"),
    Claim("isolation", "L3, round trip of a line", "Round trip of a line to a sealed bot"),
    Claim("protocol", "tongiaki: time that isolation adds to a decision", "Time that sealing adds to a decision in Tongiaki"),
    Claim("viewer", "Tongiaki, 6 seats: first view", "The viewer: a replay's first view"),
    Claim("statistics", "all statistics of * seats", "All statistics of 1,000,000 seats"),
)

Report = Mapping[str, Any]


def reports(folder: Path) -> dict[str, Report]:
    """Return what each program has written, by the program's name."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}


def find(claim: Claim, found: Mapping[str, Report]) -> Figure | None:
    """Return the claim's figure, or None if it was not measured."""
    figures = found.get(claim.program, {}).get("figures", ())
    return next((Figure(**figure) for figure in figures if fnmatchcase(figure["name"], claim.figure)), None)


def table(found: Mapping[str, Report], claims: Iterable[Claim]) -> list[str]:
    """Return the lines of the table; figures that were not measured are left out and listed on standard error."""
    lines = ["| | median | range | unit | target | |", "|---|---:|---:|---|---:|---|"]
    for claim in claims:
        figure = find(claim, found)
        if figure is None:
            sys.stderr.write(f"not measured: {claim.name} ({claim.program}: {claim.figure})\n")
            continue
        spread = "" if figure.low == figure.high else f"{number(figure.low)} to {number(figure.high)}"
        lines.append(f"| {claim.name} | {number(figure.median)} | {spread} | {figure.unit} | {figure.wanted} | {figure.verdict} |")
    return lines


def text(found: Mapping[str, Report], claims: Iterable[Claim] = CLAIMS) -> str:
    """Return the text between the marks: the machine and the table."""
    machines = sorted({report["machine"] for report in found.values()})
    loads = [report["load"] for report in found.values()]
    where = f"{'; '.join(machines)}. Load average before each benchmark, raised by earlier ones: {min(loads):.1f} to {max(loads):.1f}."
    return "\n".join([where, "", *table(found, claims)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--print-only", action="store_true", help="don't change the page")
    given = parser.parse_args()
    found = reports(OUT)
    if not found:
        sys.exit(f"there are no figures in {OUT}; run 'make bench' first")
    print(text(found))
    if not given.print_only:
        MARKS.put(PAGE, text(found, ON_THE_PAGE))
        print(f"The first {len(ON_THE_PAGE)} rows are in {PAGE}")


if __name__ == "__main__":
    main()
