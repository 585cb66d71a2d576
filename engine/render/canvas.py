"""A grid of characters on which boards are drawn for a terminal, rendered to lines with or without colours."""

from __future__ import annotations

from itertools import groupby
from typing import Final, NamedTuple, final


class Style(NamedTuple):
    """How a character looks; ``ink`` and ``paper`` are numbers of the 256 terminal colours, or -1 for the default colour."""

    ink: int = -1
    paper: int = -1
    bold: bool = False
    underline: bool = False


PLAIN: Final = Style()
_RESET: Final = "\x1b[0m"
_LIGHT: Final = " ╵╶└╷│┌├╴┘─┴┐┤┬┼"
_HEAVY: Final = " ╹╺┗╻┃┏┣╸┛━┻┓┫┳╋"
_UP, _RIGHT, _DOWN, _LEFT = 1, 2, 4, 8


class Window(NamedTuple):
    """A rectangle of a canvas."""

    left: int
    top: int
    width: int
    height: int


@final
class Canvas:
    """A grid of characters; columns and rows may be negative. Each character is one column wide and replaces any earlier one."""

    def __init__(self) -> None:
        self._cells: dict[tuple[int, int], tuple[str, Style]] = {}
        self._joints: dict[tuple[int, int], int] = {}

    def write(self, column: int, row: int, text: str, style: Style = PLAIN) -> int:
        """Write a text and return the column after it."""
        for character in text:
            self._cells[column, row] = (character, style)
            column += 1
        return column

    def fill(self, area: Window, style: Style) -> None:
        """Fill an area with blanks."""
        for row in range(area.top, area.top + area.height):
            self.write(area.left, row, " " * area.width, style)

    def tint(self, area: Window, paper: int) -> None:
        """Hide an area's content behind a colour; if colours are off, the content stays visible."""
        for column in range(area.left, area.left + area.width):
            for row in range(area.top, area.top + area.height):
                character, _ = self._cells.get((column, row), (" ", PLAIN))
                self._cells[column, row] = (character, Style(paper, paper))

    def frame(self, area: Window, style: Style = PLAIN) -> None:
        """Draw the edge of an area with thin lines, joined to the lines of other frames."""
        for (column, row), arms in _edge(area).items():
            joint = self._joints.get((column, row), 0) | arms
            self._joints[column, row] = joint
            self._cells[column, row] = (_LIGHT[joint], style)

    def thick_frame(self, area: Window, style: Style = PLAIN) -> None:
        """Draw the edge of an area with thick lines, replacing what was there."""
        for (column, row), arms in _edge(area).items():
            self._cells[column, row] = (_HEAVY[arms], style)

    def extent(self) -> Window:
        """Return the smallest window that shows everything."""
        columns = [column for column, _ in self._cells] or [0]
        rows = [row for _, row in self._cells] or [0]
        return Window(min(columns), min(rows), max(columns) - min(columns) + 1, max(rows) - min(rows) + 1)

    def lines(self, window: Window, *, color: bool) -> list[str]:
        """Return the window's rows as text without trailing blanks, with ANSI sequences only if ``color`` is true."""
        return [self._line(window, row, color) for row in range(window.top, window.top + window.height)]

    def _line(self, window: Window, row: int, color: bool) -> str:
        blank = (" ", PLAIN)
        cells = [self._cells.get((column, row), blank) for column in range(window.left, window.left + window.width)]
        while cells and cells[-1] == blank:
            cells.pop()
        if not color:
            return "".join(character for character, _ in cells).rstrip()
        return "".join(
            _colored("".join(character for character, _ in run), style) for style, run in groupby(cells, key=lambda cell: cell[1])
        )


def _edge(area: Window) -> dict[tuple[int, int], int]:
    """Return the cells of an area's edge, each with the directions in which its line continues."""
    left, top, right, bottom = area.left, area.top, area.left + area.width - 1, area.top + area.height - 1
    edge = {(column, row): _LEFT | _RIGHT for column in range(left + 1, right) for row in (top, bottom)}
    edge |= {(column, row): _UP | _DOWN for column in (left, right) for row in range(top + 1, bottom)}
    return edge | {(left, top): _RIGHT | _DOWN, (right, top): _LEFT | _DOWN, (left, bottom): _RIGHT | _UP, (right, bottom): _LEFT | _UP}


def _colored(text: str, style: Style) -> str:
    codes = ["1"] if style.bold else []
    codes += ["4"] if style.underline else []
    codes += [f"38;5;{style.ink}"] if style.ink >= 0 else []
    codes += [f"48;5;{style.paper}"] if style.paper >= 0 else []
    return f"\x1b[{';'.join(codes)}m{text}{_RESET}" if codes else text
