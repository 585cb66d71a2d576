"""How a game without drawings is shown: its text in a frame, and a table of the seats."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from html import escape
from textwrap import wrap
from typing import Final

from engine.core import Move, State
from engine.render.drawer import Drawer, Sheet
from engine.render.palette import SEAT_COLORS
from engine.render.scene import BoardSummary, Box, EventText, Scene, Sign
from engine.render.svg import fitted, number
from engine.text import figure, plain_lines

_PAPER: Final = "#f4efe4"
_INK: Final = "#23313a"
_ROW: Final = 20.0
_LETTER: Final = 8.6
_LONGEST: Final = 72
_ROOM: Final = 16.0
_LEAST: Final = 180.0
_FONT: Final = 'font-family="\'DejaVu Sans Mono\',Menlo,Consolas,monospace" font-weight="400" text-anchor="start"'
"""All said, since a page that shows pieces of a board centres its letters."""


@lru_cache(maxsize=64)
def plain_drawer(title: str) -> Drawer:
    """Return the drawer of a game that brings none, by its title."""
    return Drawer(_svg, _lines, _scene, _summarize, _legend, _supply, EventText, Sheet(title, "", _PAPER))


def text_of(state: State, width: int = _LONGEST) -> list[str]:
    """Return the lines of ``str(state)``, folded at that many columns."""
    return [part for line in plain_lines(str(state)).splitlines() for part in (wrap(line, width, drop_whitespace=False) or [""])]


def _scene(state: State, *, last: Move | None = None, before: State | None = None) -> Scene:
    lines = text_of(state)
    width = 2 * _ROOM + _LETTER * max(map(len, lines), default=1)
    left = min(0.0, (width - _LEAST) / 2)  # a small board is not blown up to the size of the page
    scene = Scene(Box(left, 0, max(width, _LEAST), 2 * _ROOM + _ROW * len(lines)))
    for row, line in enumerate(lines):
        place = f'x="{number(_ROOM)}" y="{number(_ROOM + _ROW * (row + 0.75))}"'
        scene.add(
            f"line {row}", f'<text {place} {_FONT} font-size="14" fill="{_INK}" xml:space="preserve">{escape(line)}</text>', order=row
        )
    return scene


def _svg(state: State, *, last: Move | None = None, before: State | None = None, names: Sequence[str] = ()) -> str:
    scene = _scene(state)
    summary = _summarize(state)
    top = scene.box.height
    rows = [("", tuple(summary.columns))] + [
        (names[seat] if names else f"Seat {seat}", tuple(figure(column[seat]) for column in summary.columns.values()))
        for seat in range(state.players)
    ]
    width = max(scene.box.width, 320.0, 2 * _ROOM + 200 + 90.0 * len(summary.columns))
    parts = []
    for row, (name, cells) in enumerate(rows):
        y = number(top + _ROW * (row + 0.75))
        color = SEAT_COLORS[(row - 1) % len(SEAT_COLORS)].hex if row else "none"
        parts.append(f'<rect x="{number(_ROOM)}" y="{number(top + _ROW * row + 5)}" width="12" height="12" rx="3" fill="{color}"/>')
        for column, words in enumerate((name, *cells)):
            x = _ROOM + 20 if not column else _ROOM + 200 + 90.0 * (column - 1)
            shown = escape(fitted(words, 170 if not column else 85, 13))
            parts.append(f'<text x="{number(x)}" y="{y}" {_FONT} font-size="13" fill="{_INK}">{shown}</text>')
    status_y = top + _ROW * len(rows) + _ROOM
    parts.append(f'<text x="{number(_ROOM)}" y="{number(status_y)}" {_FONT} font-size="13" fill="{_INK}">{escape(summary.status)}</text>')
    height = status_y + _ROOM
    paper = f'<rect width="{number(width)}" height="{number(height)}" fill="{_PAPER}"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}" role="img">'
        f"<title>{escape(summary.status)}</title>{paper}{scene.drawn()}{''.join(parts)}</svg>"
    )


def _lines(
    state: State, *, last: Move | None = None, before: State | None = None, width: int = 80, height: int | None = None, color: bool = True
) -> list[str]:
    lines = text_of(state, width)
    if height is not None and len(lines) > height:
        lines = [*lines[: max(height - 1, 0)], f"… {len(lines) - max(height - 1, 0)} more lines"[:width]]
    return lines


def _summarize(state: State) -> BoardSummary:
    outcome = state.outcome
    status = f"Seat {state.actor} has to decide" if outcome is None else f"Over: {outcome.ending}"
    return BoardSummary(status, (), state.tally(), ())


def _legend(state: State) -> tuple[Sign, ...]:
    return ()


def _supply(state: State) -> None:
    return None
