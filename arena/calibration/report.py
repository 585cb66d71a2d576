"""The ladder of strength as tables for a terminal of 80 columns, as JSON and as Markdown. It computes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Final

from rich.console import Group
from rich.text import Text

from arena.analysis.statistics_report import FEW_BLOCKS, Titled, make_table, number_text, range_text, rank_text
from arena.calibration.config import Course
from arena.calibration.measure import Ladder, Table
from leaderboard.ratings.bradley_terry import Strength
from leaderboard.statistics.summary import reversed_pair

_HEADERS: Final = ("#", "rank 95%", "bot", "strength", "95%", "wins %", "95%", "blocks")
_LONGEST_NAME: Final = 8


def ladder_view(ladder: Ladder) -> Group:
    """All tables, for a terminal."""
    parts: list[object] = [Text(f"The ladder of strength at {_game(ladder.course)}: {_matches(ladder)}")]
    for table in ladder.tables:
        shown = make_table(_title(table), _HEADERS, [_row(table, line) for line in _ranked(table)], "No block is complete yet.")
        parts += [Text(), *_parts(shown)]
        if table.players == 2 and table.contests:
            names = [line.bot for line in _ranked(table)]
            headers = ("bot", *(name[:_LONGEST_NAME] for name in names))
            parts += [Text(), *_parts(make_table(_CONTESTS, headers, list(_matrix(table, names)), ""))]
    parts += [Text(), *(Text(note, style="dim") for note in notes(ladder))]
    return Group(*parts)  # type: ignore[arg-type]


def _parts(shown: Titled | str) -> list[object]:
    return [Text(shown)] if isinstance(shown, str) else [Text(shown.title, style="bold"), shown.table]


_CONTESTS: Final = "Head to head at 2 seats: share of matches that the bot of the row won from that of the column, ties half, in %"


def _game(course: Course) -> str:
    options = ", ".join(f"{key} {value}" for key, value in sorted(course.options.items()))
    return f"{course.game} ({options})" if options else course.game


def _matches(ladder: Ladder) -> str:
    return f"{ladder.played} matches" if ladder.is_whole else f"{ladder.played} of {ladder.total} matches"


def _title(table: Table) -> str:
    blocks = f"{table.blocks} block{'' if table.blocks == 1 else 's'}"
    return f"{table.players} seats: {blocks}; a fair share of wins is {100 / table.players:.1f} %"


def _ranked(table: Table) -> list[Strength]:
    """The bots that have a block, best first."""
    return [line for line in table.strengths if line.strength is not None]


def _row(table: Table, line: Strength) -> tuple[str, ...]:
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


def _matrix(table: Table, names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The share of each bot against each, in percent, best first both ways."""
    pairs = {(each.bot, each.other): each for line in table.contests for each in (line, reversed_pair(line))}
    for name in names:
        yield name, *(number_text(pairs[name, other].share, 0, 100) if (name, other) in pairs else "" for other in names)


def notes(ladder: Ladder) -> list[str]:
    """What a reader of the tables should know."""
    found = [
        "Strength in points: 1500 is the average of a table's bots, 400 more are odds of 10 to 1. Intervals of 95 % over blocks: "
        "a line-up and a seed in every seating."
    ]
    if few := sorted({line.bot for table in ladder.tables for line in _ranked(table) if line.blocks < FEW_BLOCKS}):
        found.append(f"Fewer than {FEW_BLOCKS} blocks at some tables: take the intervals of {', '.join(few)} as rough.")
    if apart := [str(table.players) for table in ladder.tables if len({line.group for line in _ranked(table)}) > 1]:
        found.append(
            f"At {' and '.join(apart)} seats some bots have lost everything to others: how far apart they are is not known, "
            "and set by one virtual tied block for each bot."
        )
    here = {table.players for table in ladder.tables}
    if ladder.is_whole and (left := [str(players) for players in ladder.course.tables if players not in here]):
        found.append(f"No table of {' or '.join(left)}: either the game has none, or {len(ladder.course.bots)} bots don't fill it.")
    return found


def ladder_json(ladder: Ladder) -> str:
    """The ladder as a JSON object: what was played, a list of tables, TrueSkill over all of them, the digests of results."""
    course = ladder.course
    data = {
        "game": course.game,
        "options": dict(course.options),
        "seed": course.seed,
        "nodes": course.nodes,
        "bots": course.bots,
        "matches": {"played": ladder.played, "total": ladder.total},
        "tables": [
            {
                "players": table.players,
                "blocks": table.blocks,
                "fair_share": 1 / table.players,
                "bots": [_record(table, line) for line in _ranked(table)],
                "head_to_head": [asdict(each) for each in table.contests],
            }
            for table in ladder.tables
        ],
        "ratings": [{"bot": each.bot, "mu": each.mu, "sigma": each.sigma, "matches": each.number} for each in ladder.ratings],
        "results": dict(ladder.results),
    }
    return json.dumps(data, indent=2, allow_nan=False)


def _record(table: Table, line: Strength) -> dict[str, object]:
    share = table.shares[line.bot]
    return asdict(line) | {"matches": share.matches, "win_share": share.share, "win_share_low": share.low, "win_share_high": share.high}


def ladder_markdown(ladder: Ladder) -> str:
    """All tables in Markdown."""
    lines = []
    for table in ladder.tables:
        ranked = _ranked(table)
        lines += [f"{_game(ladder.course)}, {_title(table)}", "", *_markdown(_HEADERS, [_row(table, line) for line in ranked]), ""]
        if table.players == 2 and table.contests:
            names = [line.bot for line in ranked]
            lines += [_CONTESTS, "", *_markdown(("bot", *names), list(_matrix(table, names))), ""]
    return "\n".join([*lines, *notes(ladder)]) + "\n"


def short_markdown(ladder: Ladder) -> str:
    """One table in Markdown for all numbers of seats: strengths with intervals, and shares of wins."""
    headers = ["bot", *(f"{table.players} seats (fair: {100 / table.players:.0f} %)" for table in ladder.tables)]
    order = dict.fromkeys(line.bot for table in ladder.tables for line in _ranked(table))
    return "\n".join(_markdown(headers, [[name, *(_cell(table, name) for table in ladder.tables)] for name in order]))


def _cell(table: Table, name: str) -> str:
    line = next((line for line in _ranked(table) if line.bot == name), None)
    if line is None:
        return ""
    wins = number_text(table.shares[name].share, 0, 100)
    return f"{number_text(line.strength, 0)} ({range_text(line.low, line.high)}), {wins} %"


def _markdown(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    rule = ["---" if header == "bot" else "---:" for header in headers]
    return [f"| {' | '.join(row)} |" for row in (headers, rule, *rows)]
