"""Measures the strength of the reference bots in both games: plays them against each other, and writes the tables of docs/strength.md.

python -m benchmarks.strength [--quick] [--workers N]

The tournaments are ordinary round-robins, one or two for each number of seats. All matches are kept in ``out/strength.db``: after Ctrl-C,
the same command continues. With ``--quick``, few blocks are played with a separate database, and the page is not changed.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from math import ceil, comb
from pathlib import Path
from textwrap import fill
from typing import Any, Final

from arena.bots import plays
from arena.play.executors.process_executor import ProcessExecutor
from arena.report.table import Table, markdown, number_text, range_text
from arena.run.runner import run_tournament
from arena.spec.spec import Spec, make_spec
from arena.tournament import stored_spec
from benchmarks.common import Marks
from bots.loader.reference_bots import REFERENCE_BOTS
from engine.registry import find_game
from leaderboard.statistics.blocks import find_blocks
from leaderboard.statistics.bradley_terry import Strength, strengths
from leaderboard.statistics.columns import joined, read_results
from leaderboard.statistics.summary import WinShare, win_shares
from leaderboard.storage.store import Store

PAGE = Path("docs", "strength.md")
SUMMARY = Marks("<!-- summary: make ladder writes what is between these marks -->", "<!-- end of summary -->")
GAMES = {"tongiaki": "Tongiaki", "sunda": "Sunda to Sahul, level 0"}
SIZES: Final = (2, 3, 4, 6)
SEED: Final = 2026
SOLO_ONLY: Final = frozenset({"planner"})
"""Reference bots that only play solo."""
SEARCHERS: Final = frozenset({"flat", "mcts"})
"""Reference bots that search a fixed number of positions. They are slow, so they play fewer blocks."""
LONGEST_DECISION: Final = 3600.0
"""CPU seconds: enough for a search to reach its number of positions on any machine, so that it never ends because of the time."""


@dataclass(frozen=True, slots=True)
class Length:
    """How much is played.

    - ``blocks``: how many blocks of two-player matches each bot plays; with more players, it plays fewer blocks, so that it always plays
      about the same number of matches
    - ``search_blocks``: the number for line-ups that include a bot that searches
    - ``nodes``: how many positions such a bot examines for each decision, or None for its default
    """

    blocks: int = 120
    search_blocks: int = 8
    nodes: int | None = None


QUICK: Final = Length(4, 2, 50)


def make_specs(game: str, length: Length) -> tuple[Spec, ...]:
    """Return the tournaments of a game, fewest players first; bots that don't search play most of their blocks among themselves."""
    bots = tuple(name for name in REFERENCE_BOTS if name not in SOLO_ONLY and plays(name, game))
    quick = tuple(bot for bot in bots if bot not in SEARCHERS)
    specs = []
    for players in SIZES:
        if players > min(find_game(game).max_players, len(bots)):
            continue
        if len(quick) >= players:
            specs.append(_spec(game, players, quick, length.blocks, length, "-quick"))
        specs.append(_spec(game, players, bots, length.search_blocks, length, ""))
    return tuple(specs)


def _spec(game: str, players: int, bots: Sequence[str], blocks: int, length: Length, suffix: str) -> Spec:
    """Return a tournament: every line-up equally often if there are enough blocks, otherwise a balanced sample of line-ups."""
    sitting = max(1, round(blocks * 2 / players))
    wanted = ceil(sitting * len(bots) / players)
    every = comb(len(bots), players)
    lineups: dict[str, object] = {"blocks": round(wanted / every)} if wanted >= every else {"lineups": wanted}
    data: dict[str, Any] = {
        "name": f"strength-{game}-{players}{suffix}",
        "game": game,
        "seed": SEED,
        "bots": list(bots),
        "schedule": {"tables": [players], "seats": "rotations", **lineups},
        "clock": {"mode": "budget", "move": LONGEST_DECISION, "nodes": length.nodes},
        "isolation": "none",  # reference bots are trusted
    }
    return make_spec(data, "the ladder of strength")


@dataclass(frozen=True, slots=True)
class TableStrengths:
    """The strengths and shares of wins in matches of ``players`` players, best first."""

    players: int
    blocks: int
    strengths: tuple[Strength, ...]
    shares: Mapping[str, WinShare]


def gather(store: Store, specs: Sequence[Spec]) -> list[TableStrengths]:
    """Compute the strengths for each number of players from the stored tournaments."""
    tables = []
    for players in sorted({spec.schedule.tables[0] for spec in specs}):
        here = [store.tournament(spec.name) for spec in specs if spec.schedule.tables == (players,)]
        stored = [each for each in here if each is not None]
        blocks = find_blocks(joined([read_results(store, each) for each in stored]), stored_spec(stored[0]).schedule.count_seatings)
        tables.append(TableStrengths(players, blocks.complete, strengths(blocks), {each.bot: each for each in win_shares(blocks)}))
    return tables


def summary(game: str, tables: Sequence[TableStrengths], matches: int) -> str:
    """Return the table of a game for the page: strengths with intervals, and shares of wins."""
    blocks = ", ".join(f"{table.blocks}{'' if at else ' blocks'} at {table.players} seats" for at, table in enumerate(tables))
    figures = f"Elo with its 95% interval, and share of wins, in {matches:,} matches ({blocks})"
    columns = ["bot", *(f"{table.players} seats (fair: {100 / table.players:.0f}%)" for table in tables)]
    order = dict.fromkeys(line.bot for table in tables for line in table.strengths)
    rows = [[bot, *(_cell(table, bot) for table in tables)] for bot in order]
    text = markdown(Table("strengths", "", columns, rows)).rstrip("\n")
    return f"{fill(f'**{GAMES[game]}**: {figures}.', 120)}\n\n{text}"


def _cell(table: TableStrengths, bot: str) -> str:
    line = next(line for line in table.strengths if line.bot == bot)
    wins = number_text(table.shares[bot].share, 0, 100)
    return f"{number_text(line.elo, 0)} ({range_text(line.low, line.high)}), {wins}%"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="play few blocks, and don't change the page")
    parser.add_argument("--workers", type=int, help="how many processes play; default: one for each core")
    given = parser.parse_args()
    database = Path("out", "strength-quick.db" if given.quick else "strength.db")
    database.parent.mkdir(exist_ok=True)
    if given.quick:
        for suffix in ("", "-wal", "-shm"):
            database.with_name(database.name + suffix).unlink(missing_ok=True)
    parts = []
    with Store.create(database) as store, closing(ProcessExecutor(given.workers)) as executor:
        for game in GAMES:
            specs = make_specs(game, QUICK if given.quick else Length())
            played = 0
            for spec in specs:
                played += run_tournament(spec, store=store, executor=executor).stored
                print(f"{spec.name}: {played} matches of {game} so far")
            parts.append(summary(game, gather(store, specs), played))
    if given.quick:
        print("\n\n".join([*parts, "Few blocks: this only shows that everything runs; no file was written."]))
        return
    SUMMARY.put(PAGE, "\n\n".join(parts))
    print(f"Written to {PAGE}")


if __name__ == "__main__":
    main()
