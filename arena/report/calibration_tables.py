"""A calibration as tables, as JSON and as Markdown."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Final

from arena.report.statistics_tables import FEW_BLOCKS
from arena.report.table import Table, json_text, markdown, number_text, range_text, rank_text
from arena.run.calibration import Calibration, CalibrationConfig, TableStrengths
from leaderboard.statistics.bradley_terry import Strength
from leaderboard.statistics.summary import reversed_pair

_COLUMNS: Final = ("#", "rank 95%", "bot", "strength", "95%", "wins %", "95%", "blocks")
_CONTESTS: Final = "Head to head at 2 seats: share of matches that the row's bot won against the column's bot, ties half, in %"
LONGEST_COLUMN: Final = 8
"""The most letters of a bot's name above a column in a terminal."""


def calibration_heading(calibration: Calibration) -> str:
    """Return a description of the measurement, in one line."""
    return f"Strength of the reference bots at {_game(calibration.config)}: {_matches(calibration)}"


def calibration_tables(calibration: Calibration, longest: int = LONGEST_COLUMN) -> list[Table]:
    """Return for each number of seats the strengths, and, at two seats, the share of each bot against every other."""
    tables = []
    for each in calibration.tables:
        rows = [_row(each, line) for line in _ranked(each)]
        tables.append(Table("strengths", _title(each), _COLUMNS, rows, empty="No block is complete yet."))
        if each.players == 2 and each.contests:
            names = [line.bot for line in _ranked(each)]
            tables.append(Table("contests", _CONTESTS, ("bot", *(name[:longest] for name in names)), list(_matrix(each, names))))
    return tables


def _game(config: CalibrationConfig) -> str:
    options = ", ".join(f"{key} {value}" for key, value in sorted(config.options.items()))
    return f"{config.game} ({options})" if options else config.game


def _matches(calibration: Calibration) -> str:
    return f"{calibration.played} matches" if calibration.is_whole else f"{calibration.played} of {calibration.total} matches"


def _title(table: TableStrengths) -> str:
    blocks = f"{table.blocks} block{'' if table.blocks == 1 else 's'}"
    return f"{table.players} seats: {blocks}; a fair share of wins is {100 / table.players:.1f} %"


def _ranked(table: TableStrengths) -> list[Strength]:
    """Return the bots that have a complete block, best first."""
    return [line for line in table.strengths if line.strength is not None]


def _row(table: TableStrengths, line: Strength) -> tuple[str, ...]:
    share = table.shares[line.bot]
    return (
        str(line.rank),
        rank_text(line.best_rank, line.worst_rank),
        line.bot,
        number_text(line.strength, 0),
        range_text(line.low, line.high),
        number_text(share.share, 1, 100),
        range_text(share.low, share.high, 0, 100),
        str(line.blocks),
    )


def _matrix(table: TableStrengths, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each bot: its share against every other in percent, rows and columns best first."""
    pairs = {(each.bot, each.other): each for line in table.contests for each in (line, reversed_pair(line))}
    for name in names:
        yield name, *(number_text(pairs[name, other].share, 0, 100) if (name, other) in pairs else "" for other in names)


def notes(calibration: Calibration) -> list[str]:
    """Return notes on the tables, as sentences."""
    sentences = [
        "Strength in points: 1500 is the average of a table's bots, 400 more are odds of 10 to 1. Intervals of 95 % over blocks: "
        "a line-up and a seed in every seating."
    ]
    if few := sorted({line.bot for table in calibration.tables for line in _ranked(table) if line.blocks < FEW_BLOCKS}):
        sentences.append(f"Fewer than {FEW_BLOCKS} blocks at some tables: take the intervals of {', '.join(few)} as rough.")
    if apart := [str(table.players) for table in calibration.tables if len({line.group for line in _ranked(table)}) > 1]:
        sentences.append(
            f"At {' and '.join(apart)} seats some bots have lost everything to others: how far apart they are is not known, "
            "and set by one virtual tied block for each bot."
        )
    here = {table.players for table in calibration.tables}
    if calibration.is_whole and (left := [str(players) for players in calibration.config.tables if players not in here]):
        sentences.append(
            f"No table of {' or '.join(left)}: either the game has none, or {len(calibration.config.bots)} bots don't fill it."
        )
    return sentences


def calibration_json(calibration: Calibration) -> str:
    """Return the calibration as a JSON object: its matches, a list of tables, TrueSkill over all of them, the digests of results."""
    config = calibration.config
    data = {
        "game": config.game,
        "options": dict(config.options),
        "seed": config.seed,
        "nodes": config.nodes,
        "bots": config.bots,
        "matches": {"played": calibration.played, "total": calibration.total},
        "tables": [
            {
                "players": table.players,
                "blocks": table.blocks,
                "fair_share": 1 / table.players,
                "bots": [_record(table, line) for line in _ranked(table)],
                "head_to_head": [asdict(each) for each in table.contests],
            }
            for table in calibration.tables
        ],
        "ratings": [{"bot": each.bot, "mu": each.mu, "sigma": each.sigma, "matches": each.number} for each in calibration.ratings],
        "results": dict(calibration.results),
    }
    return json_text(data)


def _record(table: TableStrengths, line: Strength) -> dict[str, object]:
    share = table.shares[line.bot]
    return asdict(line) | {"matches": share.matches, "win_share": share.share, "win_share_low": share.low, "win_share_high": share.high}


def calibration_markdown(calibration: Calibration) -> str:
    """Return all tables in Markdown."""
    parts = []
    for table in calibration_tables(calibration, sys.maxsize):
        title = table.title if table.name == "contests" else f"{_game(calibration.config)}, {table.title}"
        parts.append(f"{title}\n\n{markdown(table)}\n")
    return "".join(parts) + "\n".join(notes(calibration)) + "\n"


def short_markdown(calibration: Calibration) -> str:
    """Return one table in Markdown for all numbers of seats: strengths with intervals, and shares of wins."""
    columns = ["bot", *(f"{table.players} seats (fair: {100 / table.players:.0f} %)" for table in calibration.tables)]
    order = dict.fromkeys(line.bot for table in calibration.tables for line in _ranked(table))
    rows = [[name, *(_cell(table, name) for table in calibration.tables)] for name in order]
    return markdown(Table("strengths", "", columns, rows)).rstrip("\n")


def _cell(table: TableStrengths, name: str) -> str:
    line = next((line for line in _ranked(table) if line.bot == name), None)
    if line is None:
        return ""
    wins = number_text(table.shares[name].share, 0, 100)
    return f"{number_text(line.strength, 0)} ({range_text(line.low, line.high)}), {wins} %"
