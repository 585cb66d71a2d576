"""The table of docs/performance.md, made of what the benchmarks have written to ``out/bench``, between two marks on that page.

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
    """A row of the table: which figure of which program (``*`` stands for anything), and what it is called there."""

    program: str
    figure: str
    name: str


ON_THE_PAGE = (
    Claim("engine", "Tongiaki, 4 seats: playouts", "Tongiaki, random games, 4 seats"),
    Claim("engine", "Tongiaki, 4 seats: verified", "Tongiaki, replays verified, 4 seats"),
    Claim("engine", "Sunda L0, 2 seats: playouts", "Sunda to Sahul, level 0, random games, 2 seats"),
    Claim("engine", "Sunda L0, 2 seats: verified", "Sunda to Sahul, level 0, replays verified"),
    Claim("long_run", "matches", "Tournament of 100,000 matches, random bots, 4 workers"),
    Claim("long_run", "memory of the driver, at most", "its driver's memory, at most"),
    Claim("storage", "driver, for a result at a table of 4", "The driver, for each match stored"),
    Claim("startup", "arena run, first match stored", "`arena run` to its first stored match"),
    Claim("isolation", "L3, memory of a bot (PSS)", "Memory of a sealed bot (PSS)"),
    Claim("protocol", "tongiaki: isolated matches to those in process", "Sealed matches of `random` to those in process"),
    Claim("analysis", "Tongiaki, 4 seats: analysis", "Analysis of a match of Tongiaki, four seats"),
    Claim("analysis", "Sunda to Sahul, 2 seats: analysis", "Analysis of a match of Sunda to Sahul, two seats"),
    Claim("web", "standings asked for by many", "Standings in the browser, one core, asked for by many"),
)
CLAIMS = (
    *ON_THE_PAGE,
    Claim("engine", "Tongiaki, 4 seats: listed", "Tongiaki, random games with all legal moves listed"),
    Claim("engine", "Tongiaki, 4 seats: playouts, to plain", "Tongiaki, random games, compiled to plain Python"),
    Claim("engine", "Tongiaki: copy()", "Tongiaki, `copy()`"),
    Claim("engine", "Sunda L0, 2 seats: listed", "Sunda to Sahul, random games with all legal moves listed"),
    Claim("engine", "Sunda L0, 2 seats: playouts, to plain", "Sunda to Sahul, random games, compiled to plain Python"),
    Claim("engine", "Sunda L0: copy()", "Sunda to Sahul, level 0, `copy()`"),
    Claim("peers", "Tongiaki's decisions to those of OpenSpiel, backgammon", "Tongiaki's decisions to OpenSpiel's backgammon (C++)"),
    Claim("peers", "Tongiaki's decisions to those of kaggle*", "Tongiaki's decisions to kaggle-environments' connectx"),
    Claim("runner", "Ray, 1 worker, 5 ms", "Tournament of matches of 5 ms, 1 Ray worker"),
    Claim("runner", "Ray, 2 workers, 5 ms", "the same, 2 Ray workers"),
    Claim("runner", "Ray, 4 workers, 5 ms", "the same, 4 Ray workers"),
    Claim("runner", "Ray / bare, 4 workers, 5 ms: wall", "the same, 4 Ray workers to 4 bare processes"),
    Claim("runner", "Ray / bare, 4 workers, 5 ms: CPU", "that, by CPU time"),
    Claim("runner", "Ray / bare, 4 workers, 25 ms: wall", "4 Ray workers to 4 bare processes, matches of 25 ms"),
    Claim("long_run", "last / first * matches: rate", "The tournament's last thousand matches to its first: matches a second"),
    Claim("long_run", "last / first tenth: CPU of a match", "its last tenth to its first: CPU of a match"),
    Claim("long_run", "last result to final table", "from its last result to the final table"),
    Claim("storage", "fold of stored results, tables of 2 to 6", "Ratings and standings, tables of 2 to 6"),
    Claim("storage", "* seats: leaderboard", "Leaderboard of a database of 1,000,000 seats"),
    Claim("startup", "arena --help", "`arena --help`"),
    Claim("startup", "arena match, isolation none", "`arena match`, in process"),
    Claim("startup", "arena match, isolation best", "`arena match`, sealed"),
    Claim("startup", "arena leaderboard", "`arena leaderboard`"),
    Claim("startup", "its libraries: python -c 'import sqlmodel, typer, rich.table'", "the same, its libraries alone"),
    Claim("isolation", "plain process, round trip of a line", "A line to a plain process and back"),
    Claim("isolation", "L3, round trip of a line", "A line to a sealed bot and back"),
    Claim("protocol", "tongiaki: what isolation adds to a decision", "What a seal adds to a decision at Tongiaki"),
    Claim("viewer", "Tongiaki, 6 seats: first view", "The viewer: a replay's first view"),
    Claim("statistics", "all statistics of * seats", "All statistics of 1,000,000 seats"),
)

Report = Mapping[str, Any]


def reports(folder: Path) -> dict[str, Report]:
    """What each program has written, by its name."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}


def find(claim: Claim, found: Mapping[str, Report]) -> Figure | None:
    """The claim's figure, if it was measured."""
    figures = found.get(claim.program, {}).get("figures", ())
    return next((Figure(**figure) for figure in figures if fnmatchcase(figure["name"], claim.figure)), None)


def table(found: Mapping[str, Report], claims: Iterable[Claim]) -> list[str]:
    """The lines of the table; what was not measured has no row, but a word on standard error."""
    lines = ["| | median | range | unit | wanted | |", "|---|---:|---:|---|---:|---|"]
    for claim in claims:
        figure = find(claim, found)
        if figure is None:
            sys.stderr.write(f"not measured: {claim.name} ({claim.program}: {claim.figure})\n")
            continue
        spread = "" if figure.low == figure.high else f"{number(figure.low)} to {number(figure.high)}"
        lines.append(f"| {claim.name} | {number(figure.median)} | {spread} | {figure.unit} | {figure.wanted} | {figure.verdict} |")
    return lines


def text(found: Mapping[str, Report], claims: Iterable[Claim] = CLAIMS) -> str:
    """What stands between the marks: on what it was measured, and the table."""
    machines = sorted({report["machine"] for report in found.values()})
    loads = [report["load"] for report in found.values()]
    where = f"{'; '.join(machines)}. The machine's load was {min(loads):.1f} to {max(loads):.1f} when the programs began."
    return "\n".join([where, "", *table(found, claims)])


def main() -> None:
    """Print the table, and put its first rows into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--print-only", action="store_true", help="leave the page as it is")
    given = parser.parse_args()
    found = reports(OUT)
    if not found:
        sys.exit(f"there are no figures in {OUT}; 'make bench' makes them")
    print(text(found))
    if not given.print_only:
        MARKS.put(PAGE, text(found, ON_THE_PAGE))
        print(f"The first {len(ON_THE_PAGE)} rows are in {PAGE}")


if __name__ == "__main__":
    main()
