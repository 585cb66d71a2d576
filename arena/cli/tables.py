"""Tables for a terminal: the leaderboard, places, matches, and how far a tournament is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from rich.cells import cell_len
from rich.console import Group
from rich.table import Table
from rich.text import Text

from arena.analysis.tables import HEADERS, Standing, cells_of
from arena.tournament.formats.base import Place
from arena.tournament.status import RoundStatus, Status
from leaderboard.storage.store import StoredMatch, StoredTournament

_LESS_NEEDED = ("sigma", "mu", "points", "rank")
"""The columns to leave out first in a narrow terminal."""
_BOT_COLUMNS: Final = 12
"""The columns that a name has at least, before others are left out for it."""
_LEAST_NAME: Final = 6
_LONGEST_PLACED: Final = 40
_LONGEST_END: Final = 20
_GAP: Final = 2
_JOINED: Final = "\N{ZERO WIDTH JOINER}\N{VARIATION SELECTOR-16}"
"""Characters that belong to the one before them."""
_RESULT: Final = "result, best first"


def shortened(text: str, width: int) -> str:
    """Return the text within ``width`` columns of the terminal, if need be without its middle: names often differ at their ends."""
    if cell_len(text) <= width:
        return text
    ends = (text[at:] for at in range(len(text) // 2, len(text) + 1))
    end = next(each for each in ends if cell_len(each) <= (width - 1) // 2).lstrip(_JOINED)
    beginnings = (text[:at] for at in range(width, -1, -1))
    return next(f"{each}\N{HORIZONTAL ELLIPSIS}{end}" for each in beginnings if cell_len(each) + 1 + cell_len(end) <= width)


def _plain_table(title: str = "") -> Table:
    return Table(title=Text(title) if title else None, title_justify="left", box=None, pad_edge=False, header_style="bold")


def _add_column(table: Table, header: str, width: int, *, is_number: bool = True) -> None:
    """Add a column that keeps its width whatever the others need."""
    table.add_column(header, justify="right" if is_number else "left", no_wrap=True, width=width)


def _headers_for(needs: Mapping[str, int], width: int) -> list[str]:
    """Return the headers of the columns that fit without cutting a number."""
    left = list(HEADERS)
    for header in _LESS_NEEDED:
        if sum(min(needs[each], _BOT_COLUMNS) if each == "bot" else needs[each] for each in left) + _GAP * (len(left) - 1) <= width:
            break
        left.remove(header)
    return left


def leaderboard_table(lines: Sequence[Standing], tournament: StoredTournament, width: int = 80) -> Table:
    """Return the leaderboard for a terminal ``width`` columns wide: columns that don't fit are left out, and long names shortened."""
    rows = [cells_of(line) for line in lines]
    needs = {header: max(cell_len(header), *(cell_len(row[column]) for row in rows), 0) for column, header in enumerate(HEADERS)}
    headers = _headers_for(needs, width)
    others = sum(needs[each] for each in headers if each != "bot")
    needs["bot"] = min(needs["bot"], max(_LEAST_NAME, width - others - _GAP * (len(headers) - 1)))
    table = _plain_table(f"{tournament.name} ({tournament.game})")
    for header in headers:
        _add_column(table, header, needs[header], is_number=header != "bot")
    for line, row in zip(lines, rows, strict=True):
        cells = {header: Text(shortened(cell, needs[header])) for header, cell in zip(HEADERS, row, strict=True)}
        if (line.place or line.rank) == 1:
            cells["bot"].stylize("bold green")
        if line.faults:
            cells["faults"].stylize("red")
        table.add_row(*(cells[header] for header in headers))
    return table


_PLACES = {"swiss": "Swiss standing", "knockout": "Knockout"}
"""The titles of standings that are determined by the format instead of ratings."""


def places_table(places: Sequence[Place], kind: str) -> Table:
    """Return the standings by the rules of a format."""
    table = _plain_table(_PLACES.get(kind, kind))
    _add_column(table, "#", max((len(str(each.place)) for each in places), default=1))
    _add_column(table, "bot", max(3, *(min(cell_len(each.bot), _LONGEST_PLACED) for each in places), 0), is_number=False)
    table.add_column("")
    for each in places:
        bot = shortened(each.bot, _LONGEST_PLACED)
        table.add_row(str(each.place), Text(bot, style="bold green" if each.place == 1 else ""), Text(each.note))
    return table


def matches_table(matches: Sequence[StoredMatch], tournament: StoredTournament, width: int = 80) -> Table:
    """Return a table of matches: seats in order of rank with their scores. ``block`` is the block's number and seating.

    In a terminal ``width`` columns wide a result takes as many lines as it needs, and no seat is divided between two.
    """
    rows = [(match.id, f"{match.block}.{match.rotation}", shortened(match.end, _LONGEST_END), str(match.decisions)) for match in matches]
    headers = ("match", "block", "end", "moves")
    needs = [max(cell_len(header), *(cell_len(row[column]) for row in rows), 0) for column, header in enumerate(headers)]
    room = max(len(_RESULT), width - sum(needs) - _GAP * len(headers))
    table = _plain_table(f"{tournament.name} ({tournament.game}), newest first")
    _add_column(table, "match", needs[0], is_number=False)
    _add_column(table, "block", needs[1])
    table.add_column(_RESULT, no_wrap=True)
    _add_column(table, "end", needs[2], is_number=False)
    _add_column(table, "moves", needs[3])
    for match, (name, block, end, moves) in zip(matches, rows, strict=True):
        order = sorted(range(len(match.seats)), key=lambda seat: (match.seats[seat].rank, seat))
        table.add_row(name, block, _in_lines([_seat_text(match, seat, room) for seat in order], room), end, moves)
    return table


def _in_lines(parts: Sequence[Text], width: int) -> Text:
    """Return the parts with commas between them, in lines of at most ``width`` columns."""
    text, taken = Text(), 0
    for number, part in enumerate(parts):
        more = Text.assemble(part, "," if number < len(parts) - 1 else "")
        if taken and taken + 1 + more.cell_len > width:
            text.append("\n")
            taken = 0
        elif taken:
            text.append(" ")
            taken += 1
        text.append_text(more)
        taken += more.cell_len
    return text


def _seat_text(match: StoredMatch, seat: int, width: int) -> Text:
    """Return a seat's result, at most ``width`` columns wide with a comma after it."""
    result = match.seats[seat]
    alone = len(match.seats) == 1  # a solo match has no ranks to show; the leaderboard ranks a block's bots against each other
    rank = "" if alone else f"{result.rank}. "
    fault = f" ({result.fault.kind.value})" if result.fault is not None else ""
    name = shortened(result.bot, max(_LEAST_NAME, width - len(f"{rank} {result.score}{fault},")))
    text = Text(f"{rank}{name} {result.score}")
    if result.rank == 1 and not alone:
        text.stylize("bold")
    return text.append(fault, style="red")


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
    table = _plain_table()
    for header in ("round", "played", "of", "blocks complete"):
        table.add_column(header, justify="right", no_wrap=True)
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
