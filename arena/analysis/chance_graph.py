"""Draws the chances of all seats over a match as text for a terminal, with the key moments marked by letters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.analysis.key_moments import drawn_chances
from arena.analysis.match_analysis import MatchAnalysis, Unit
from engine.render.palette import SEAT_COLORS
from engine.text import figure

SHADES: Final = "█░▓▒▚·"
"""The characters that fill each seat's part of the graph if there are no colours."""
ROWS: Final = 12
_MARGIN: Final = 6
_WIDTH, _HEIGHT = 960, 360
_LINE: Final = 18
_LEFT, _TOP, _RIGHT, _BOTTOM = 52, 64, 24, 58
_CHARACTERS: Final = 140
"""The maximum length of a line below the picture, in characters."""
_LETTER: Final = 11
"""The least distance between two letters, in columns."""
_GREY: Final = "#767676"


def letter(number: int) -> str:
    """Return the letter that marks a key moment; key moments are numbered from 0."""
    return "abc"[number]


def order_of(analysis: MatchAnalysis) -> list[int]:
    """Return the seats in order of rank, which is their order in the graph from bottom to top."""
    return sorted(range(analysis.players), key=lambda seat: (analysis.ranks[seat], seat))


def graph_lines(analysis: MatchAnalysis, width: int = 80, *, color: bool = True) -> list[str]:
    """Return the lines of the graph, at most ``width`` columns wide. A column shows all chances at one time, the winner's at the bottom."""
    columns = max(10, width - _MARGIN - 1)
    cells = [_column(analysis, round(column * analysis.total / (columns - 1))) for column in range(columns)]
    labels = _labels(analysis)
    lines = []
    for row in range(ROWS):
        label = labels.get(row, "")
        lines.append(f"{label:>{_MARGIN - 1}} " + _painted([cell[ROWS - 1 - row] for cell in cells], color=color))
    lines.append(" " * _MARGIN + _marks(analysis, columns))
    end = str(analysis.total)
    lines.append(" " * _MARGIN + "0" + "decisions".center(columns - 1 - len(end)) + end)
    return lines


def _labels(analysis: MatchAnalysis) -> dict[int, str]:
    if analysis.unit is Unit.CHANCE:
        return {0: "100%", ROWS // 2: "50%", ROWS - 1: "0%"}
    return {0: figure(round(_top(analysis))), ROWS - 1: "0"}


def _top(analysis: MatchAnalysis) -> float:
    return max(1.0, *(max(each) for each in analysis.chances))


def _column(analysis: MatchAnalysis, frame: int) -> list[int]:
    """Return the seat of each cell from the bottom up; -1 for no seat, and for cells that were not computed in time."""
    if frame >= len(analysis.chances):
        return [-1] * ROWS
    chances = drawn_chances(analysis, frame)
    if analysis.unit is Unit.POINTS:
        filled = round(ROWS * max(0.0, chances[0]) / _top(analysis))
        return [0] * filled + [-1] * (ROWS - filled)
    bounds = []
    reached = 0.0
    for seat in order_of(analysis):
        reached += chances[seat]
        bounds.append((reached, seat))
    return [next((seat for bound, seat in bounds if (row + 0.5) / ROWS <= bound), bounds[-1][1]) for row in range(ROWS)]


def _painted(seats: Sequence[int], *, color: bool) -> str:
    return "".join(_cell(seat, color=color) for seat in seats)


def _cell(seat: int, *, color: bool) -> str:
    if seat < 0:
        return " "
    shade = SHADES[seat % len(SHADES)]
    if not color:
        return shade
    paint = SEAT_COLORS[seat % len(SEAT_COLORS)].xterm
    return f"\x1b[38;5;{paint}m{shade}\x1b[0m"


def _marks(analysis: MatchAnalysis, columns: int) -> str:
    """Return a line with a letter below the end of each moment's turn, and dashes that lead to it from the turn's start."""
    marks = [" "] * columns
    ends = []
    for number, moment in enumerate(analysis.moments):
        at = round((moment.last + 1) * (columns - 1) / analysis.total)
        while at + 1 < columns and marks[at] != " ":
            at += 1
        marks[at] = letter(number)
        ends.append(at)
    for moment, end in zip(analysis.moments, ends, strict=True):
        for at in range(round(moment.first * (columns - 1) / analysis.total) + 1, end):
            if marks[at] == " ":
                marks[at] = "-"
    return "".join(marks).rstrip()
