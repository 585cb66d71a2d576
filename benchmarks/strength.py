"""The ladder of strength of both games: plays it, then writes its tables into docs/strength.md, and its anchors.

python -m benchmarks.strength [--quick] [--workers N]

Everything played is kept in ``out/strength.db``: after Ctrl-C, the same command goes on. With ``--quick`` few blocks are played in a
database of their own, and all files stay as they are.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import fill

from arena.report.calibration_tables import short_markdown
from arena.run.calibration import Calibration, CalibrationConfig, bots_at_tables, gather
from benchmarks.common import Marks
from leaderboard.ratings.anchors import SHIPPED
from leaderboard.storage.store import Store

PAGE = Path("docs", "strength.md")
SUMMARY = Marks("<!-- summary: make ladder writes what is between these marks -->", "<!-- end of summary -->")
GAMES = {"tongiaki": "Tongiaki", "sunda": "Sunda to Sahul, level 0"}


def configs_of(*, quick: bool) -> list[CalibrationConfig]:
    """What is measured of each game."""
    configs = [CalibrationConfig(game, bots_at_tables(game)) for game in GAMES]
    return [replace(config, blocks=4, search_blocks=2, nodes=50) for config in configs] if quick else configs


def command(config: CalibrationConfig, database: Path, more: Sequence[str]) -> list[str]:
    """What plays a game's part."""
    numbers = {"--blocks": config.blocks, "--search-blocks": config.search_blocks, "--nodes": config.nodes, "--seed": config.seed}
    options = [str(each) for option in numbers.items() if option[1] is not None for each in option]
    arena = [sys.executable, "-c", "from arena.cli import main; main()", "calibrate"]
    return [*arena, "--game", config.game, *options, "--db", str(database), *more]


def summary(calibration: Calibration) -> str:
    """One game in short, for the head of the page."""
    config = calibration.config
    blocks = ", ".join(f"{table.blocks} at {table.players} seats" for table in calibration.tables)
    figures = f"strength with its 95 % interval and share of wins over {calibration.played:,} matches (blocks: {blocks})"
    return f"{fill(f'**{GAMES[config.game]}**: {figures}.', 120)}\n\n{short_markdown(calibration)}"


def main() -> None:
    """Play both games, and write what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few blocks; all files stay as they are")
    parser.add_argument("--workers", type=int, help="Ray workers; default: one for each core")
    given = parser.parse_args()
    database = Path("out", "strength-quick.db" if given.quick else "strength.db")
    database.parent.mkdir(exist_ok=True)
    if given.quick:
        for suffix in ("", "-wal", "-shm"):
            database.with_name(database.name + suffix).unlink(missing_ok=True)
    configs = configs_of(quick=given.quick)
    more = [*(["--workers", str(given.workers)] if given.workers else []), *([] if given.quick else ["--anchors", str(SHIPPED)])]
    for config in configs:
        done = subprocess.run(command(config, database, more), check=False)  # noqa: S603  # our own
        if done.returncode:
            sys.exit(done.returncode)
    if given.quick:
        print("Few blocks: this only shows that everything runs; no file was written.")
        return
    with Store.read(database) as store:
        calibrations = [gather(store, config) for config in configs]
    SUMMARY.put(PAGE, "\n\n".join(map(summary, calibrations)))
    print(f"{PAGE} and {SHIPPED.name} have these ratings now")


if __name__ == "__main__":
    main()
