"""Tables for a terminal: the leaderboard, places, matches, and how far a tournament is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Group
from rich.table import Table
from rich.text import Text

from arena.analysis.tables import HEADERS, Standing, cells_of
from arena.tournament.formats.base import Place
from arena.tournament.status import RoundStatus, Status
from leaderboard.storage.store import StoredMatch, StoredTournament

_LESS_NEEDED = ("sigma", "mu", "points", "rank")
"""The columns to leave out first in a narrow terminal."""
_BOT_COLUMNS = 12


def _headers_for(cells: Sequence[tuple[str, ...]], width: int) -> list[str]:
    """Return the headers of the columns that fit without cutting a number."""
    needs = {header: max(len(header), *(len(row[column]) for row in cells), 0) for column, header in enumerate(HEADERS)}
    needs["bot"] = min(needs["bot"], _BOT_COLUMNS)
    left = list(HEADERS)
    for header in _LESS_NEEDED:
        if sum(needs[each] + 2 for each in left) <= width + 2:
            break
        left.remove(header)
    return left


def leaderboard_table(lines: Sequence[Standing], tournament: StoredTournament, width: int = 80) -> Table:
    """Return the leaderboard for a terminal ``width`` columns wide, leaving out columns that don't fit."""
    rows = [cells_of(line) for line in lines]
    headers = _headers_for(rows, width)
    table = Table(title=Text(f"{tournament.name} ({tournament.game})"), title_justify="left", box=None, pad_edge=False, header_style="bold")
    for header in headers:
        if header == "bot":
            table.add_column(header, overflow="ellipsis", no_wrap=True, ratio=1)
        else:
            table.add_column(header, justify="right", no_wrap=True)
    for line, row in zip(lines, rows, strict=True):
        cells = {header: Text(cell) for header, cell in zip(HEADERS, row, strict=True)}
        if line.rank == 1:
            cells["bot"].stylize("bold green")
        if line.faults:
            cells["faults"].stylize("red")
        table.add_row(*(cells[header] for header in headers))
    return table


_PLACES = {"swiss": "Swiss standing", "knockout": "Knockout"}
"""The titles of standings that are determined by the format instead of ratings."""


def places_table(places: Sequence[Place], kind: str) -> Table:
    """Return the standings by the rules of a format."""
    table = Table(title=Text(_PLACES.get(kind, kind)), title_justify="left", box=None, pad_edge=False, header_style="bold")
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("bot", overflow="ellipsis", no_wrap=True, max_width=40)
    table.add_column("", overflow="ellipsis", no_wrap=True)
    for each in places:
        table.add_row(str(each.place), Text(each.bot, style="bold green" if each.place == 1 else ""), Text(each.note))
    return table


def matches_table(matches: Sequence[StoredMatch], tournament: StoredTournament) -> Table:
    """Return a table of matches, one per line: seats in order of rank with their scores. ``block`` is the block's number and seating."""
    title = Text(f"{tournament.name} ({tournament.game}), newest first")
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    table.add_column("match", no_wrap=True)
    table.add_column("block", justify="right")
    table.add_column("result, best first", ratio=1)
    table.add_column("end", no_wrap=True)
    table.add_column("moves", justify="right")
    for match in matches:
        order = sorted(range(len(match.seats)), key=lambda seat: (match.seats[seat].rank, seat))
        result = Text(", ").join(_seat_text(match, seat) for seat in order)
        table.add_row(match.id, f"{match.block}.{match.rotation}", result, match.end, str(match.decisions))
    return table


def _seat_text(match: StoredMatch, seat: int) -> Text:
    result = match.seats[seat]
    alone = len(match.seats) == 1  # a solo match has no ranks to show; the leaderboard ranks a block's bots against each other
    text = Text(f"{result.bot} {result.score}" if alone else f"{result.rank}. {result.bot} {result.score}")
    if result.rank == 1 and not alone:
        text.stylize("bold")
    if result.fault is not None:
        text.append(f" ({result.fault.kind.value})", style="red")
    return text


SHOWN_ROUNDS: Final = 12


def status_view(status: Status, database: str) -> Group:
    """Return the status as a terminal shows it."""
    parts: list[Text | Table] = [Text(f"{status.tournament} ({status.game}, {status.format})", style="bold")]
    parts += [Text(f"{name:<9}", style="dim").append(text, style="not dim") for name, text in _lines(status, database)]
    if status.by_round:
        parts.append(_round_table(status.by_round))
    return Group(*parts)


def _lines(status: Status, database: str) -> list[tuple[str, str]]:
    if status.is_complete:
        matches = f"all {status.played} played"
    elif status.matches is None:
        matches = f"{status.played} played; how many there will be is not known"
    else:
        matches = f"{status.played} of {status.matches} played, {status.left} left"
    lines = [("matches", matches + (f", {status.void} void" if status.void else ""))]
    lines.append(("blocks", f"{status.blocks_complete}{'' if status.blocks is None else f' of {status.blocks}'} complete"))
    if status.by_round:
        lines.append(("round", f"{status.by_round[-1].round}{'' if status.rounds is None else f' of {status.rounds}'}"))
    if status.waiting:
        lines.append(("waiting", f"{', '.join(status.waiting)}, for the next round"))
    if status.anchors:
        lines.append(("anchors", f"{', '.join(status.anchors)}, whose ratings are fixed"))
    if status.open_seed is not None:
        lines.append(("seed", f"open ({status.open_seed}): anyone can compute every deck"))
    if status.commitment is not None:
        lines.append(("commit", status.commitment))
    return [*lines, ("run", _run(status, database))]


def _run(status: Status, database: str) -> str:
    if status.is_running:
        left = "" if status.seconds_left is None else f", {duration(status.seconds_left)} left"
        return f"going on in this database, {status.rate or 0.0:.1f} matches/s{left}"
    if status.is_complete:
        return "nothing is left to be played"
    return f"none; go on with: arena run SPEC --db {database}"


def _round_table(rounds: tuple[RoundStatus, ...]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for header in ("round", "played", "of", "blocks complete"):
        table.add_column(header, justify="right")
    if len(rounds) > SHOWN_ROUNDS:
        table.add_row("...", "", "", "")
    for each in rounds[-SHOWN_ROUNDS:]:
        table.add_row(str(each.round), str(each.played), "" if each.matches is None else str(each.matches), str(each.blocks_complete))
    return table


def duration(seconds: float) -> str:
    """Return seconds as ``minutes:seconds``, or ``hours:minutes:seconds``."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
