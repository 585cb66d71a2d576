"""Tables in a terminal: numbers are never cut, and in a narrow terminal names are shortened and columns are left out."""

from __future__ import annotations

from typing import Final

from rich import table as rich_table
from rich.cells import cell_len
from rich.console import Group
from rich.text import Text

from arena.report.table import FOLDED, NAMES, Table

_NAME_COLUMNS: Final = 12
"""The least width of a name; below it, columns of the table are left out."""
_FOLDED_COLUMNS: Final = 20
"""The least width of folded text."""
_LONGEST: Final = 20
"""The most characters examined per column of width, since some characters have no width; the middle of longer texts is skipped."""
LEAST_NAME: Final = 6
GAP: Final = 2
_JOINED: Final = "\N{ZERO WIDTH JOINER}\N{VARIATION SELECTOR-16}"
"""Characters that combine with the one before them."""


def terminal(table: Table, width: int = 80) -> Group:
    """Return the table with its title and notes for a terminal that is ``width`` columns wide."""
    title = [Text(table.title, style="bold")] if table.title else []
    shown = [*title, _grid(table, width)] if table.rows or not table.empty else [Text(table.empty)]
    return Group(*shown, *(Text(note, style="dim") for note in table.notes))


def _grid(table: Table, width: int) -> rich_table.Table:
    needs = [max(map(cell_len, texts)) for texts in zip(table.columns, *table.rows, strict=True)]
    names = [column for column, header in enumerate(table.columns) if header in NAMES]
    folded = [column for column, header in enumerate(table.columns) if header in FOLDED]
    shown = list(range(len(needs)))

    def taken(name: int) -> int:
        """Return the width of the table in columns of the terminal if names take at most ``name``."""
        most = dict.fromkeys(names, name) | dict.fromkeys(folded, _FOLDED_COLUMNS)
        return sum(min(needs[each], most.get(each, width)) for each in shown) + GAP * (len(shown) - 1)

    for header in table.optional:
        if taken(_NAME_COLUMNS) > width:
            shown.remove(table.columns.index(header))
    room = max((width - taken(0)) // max(len(names), 1), LEAST_NAME)
    grid = rich_table.Table(box=None, pad_edge=False, header_style="bold")
    for column in shown:
        if column in folded:
            grid.add_column(table.columns[column], overflow="fold")
        else:
            needs[column] = min(needs[column], room) if column in names else needs[column]
            grid.add_column(table.columns[column], justify="left" if column in names else "right", no_wrap=True, width=needs[column])
    for number, row in enumerate(table.rows):
        cells = [(each, row[each], table.styles.get((number, table.columns[each]), "")) for each in shown]
        grid.add_row(*(Text(text if each in folded else shortened(text, needs[each]), style) for each, text, style in cells))
    return grid


def shortened(text: str, width: int) -> str:
    """Return the text in at most ``width`` columns, shortened in the middle if necessary, since names often differ at their ends."""
    text = text if len(text) <= (most := _LONGEST * width) else text[:most] + text[-most:]
    if cell_len(text) <= width:
        return text
    ends = (text[at:] for at in range(len(text) // 2, len(text) + 1))
    end = next(each for each in ends if cell_len(each) <= (width - 1) // 2).lstrip(_JOINED)
    beginnings = (text[:at] for at in range(width, -1, -1))
    return next(f"{each}\N{HORIZONTAL ELLIPSIS}{end}" for each in beginnings if cell_len(each) + 1 + cell_len(end) <= width)
