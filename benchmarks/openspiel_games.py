"""Tests every game that OpenSpiel registers with the battery of laws: which games can be hosted, and why others can't.

Each game is checked in a separate process, since a C++ error ends the process. The table is written to docs/openspiel.md between two marks.

python -m benchmarks.openspiel_games [--only NAME ...] [--print-only] [--seconds 120]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

PAGE: Final = Path("docs", "openspiel.md")
BEGIN: Final = "<!-- table: python -m benchmarks.openspiel_games -->"
END: Final = "<!-- end of the table -->"

MEMBERS: Final = {
    "add_noise": "add_noise(epsilon=1.0,game=kuhn_poker(),seed=1)",
    "cached_tree": "cached_tree(game=kuhn_poker())",
    "coop_to_1p": "coop_to_1p(game=tiny_hanabi())",
    "misere": "misere(game=tic_tac_toe())",
    "normal_form_extensive_game": "normal_form_extensive_game(game=kuhn_poker())",
    "repeated_game": "repeated_game(num_repetitions=10,stage_game=matrix_pd())",
    "repeated_poker": "repeated_poker(max_num_hands=3,reset_stacks=True,universal_poker_game_string=universal_poker())",
    "restricted_nash_response": "restricted_nash_response(game=kuhn_poker())",
    "start_at": "start_at(game=tic_tac_toe(),history=4;0)",
    "turn_based_simultaneous_game": "turn_based_simultaneous_game(game=matrix_rps())",
    "zerosum": "zerosum(game=matrix_pd())",
}
"""Parameters for games that are built from other games; all other games are checked without parameters."""
GAMES: Final = {"bargaining": 5}
"""How many random games to check if two are not enough: in bargaining, few games end with an agreement."""


@dataclass(frozen=True)
class Row:
    """The result for a game's name; ``problem`` is empty if the game obeys all laws."""

    name: str
    member: str
    problem: str = ""


def names() -> list[str]:
    """Return the names that OpenSpiel registers."""
    import pyspiel  # noqa: PLC0415  # this module can be imported without it

    return sorted(str(name) for name in pyspiel.registered_names())


def member_of(name: str) -> str:
    """Return the game (with parameters) that is checked for a name."""
    return MEMBERS.get(name, name)


def check(name: str) -> Row:
    """Check a game in this process."""
    from engine.conformance import Battery, Status, tables_of  # noqa: PLC0415  # only the child process needs them
    from engine.core import OptionsError  # noqa: PLC0415
    from engine.registry import find_game  # noqa: PLC0415

    member = member_of(name)
    try:
        game = find_game(f"openspiel:{member}")
    except OptionsError as error:
        return Row(name, member, problem=str(error).removeprefix(f"{name} ").removeprefix("can't be played here: "))
    verdicts = Battery(tables_of(game.name), games=GAMES.get(name, 2)).run()
    problems = [f"{verdict.law}: {verdict.reason}" for verdict in verdicts if verdict.status is Status.BROKEN]
    return Row(name, member, "; ".join(problems))


def checked(name: str, seconds: float) -> Row:
    """Check a game in a separate process."""
    command = [sys.executable, "-m", "benchmarks.openspiel_games", "--child", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)  # noqa: S603  # our own
    except subprocess.TimeoutExpired:
        return Row(name, member_of(name), problem="checking it takes too long")
    if done.returncode == 0:
        return Row(**json.loads(done.stdout.splitlines()[-1]))
    said = (done.stderr.strip().splitlines() or ["no message"])[-1]
    return Row(name, member_of(name), problem=f"OpenSpiel ends the process with {done.returncode}: {said[:100]}")


def table(rows: list[Row]) -> str:
    """Return, as Markdown, how many games obey the laws, and a table of the games that can't be played, grouped by reason."""
    passed = sum(not row.problem for row in rows)
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row.problem:
            reasons.setdefault(row.problem.replace("|", "\\|").replace("<", "&lt;"), []).append(f"`{row.member}`")
    lines = [
        f"{passed} of the {len(rows)} games that OpenSpiel registers obey all laws. The others can't be played:",
        "",
        "| games | reason |",
        "|---|---|",
    ]
    return "\n".join([*lines, *(f"| {', '.join(games)} | {reason} |" for reason, games in sorted(reasons.items()))])


def write(rows: list[Row]) -> None:
    """Write the table to the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{table(rows)}\n{END}{after}", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="check only these games, and don't change the page")
    parser.add_argument("--print-only", action="store_true", help="don't change the page")
    parser.add_argument("--seconds", type=float, default=300, help="the time limit for a game")
    parser.add_argument("--jobs", type=int, default=2, help="how many games are checked at the same time")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(asdict(check(given.child))))
        return
    chosen = given.only or names()
    rows = []
    with ThreadPoolExecutor(given.jobs) as pool:
        for row in pool.map(lambda name: checked(name, given.seconds), chosen):
            rows.append(row)
            print(f"{row.member}: {row.problem or 'obeys all laws'}", flush=True)
    if not given.only and not given.print_only:
        write(rows)
    print(f"{sum(not row.problem for row in rows)} of {len(rows)} obey all laws.")


if __name__ == "__main__":
    main()
