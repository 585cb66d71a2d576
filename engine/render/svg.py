"""Small SVG elements for the pictures of all games, and the marks of a sketch, which shows the effect of a move on the board."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from math import hypot
from typing import Final

from engine.render.scene import Box, Point

LETTERS: Final = 'font-family="\'DejaVu Sans\',Verdana,\'Segoe UI\',sans-serif" font-weight="700" text-anchor="middle"'
"""The attributes of all text in a picture."""


def number(value: float) -> str:
    """Return a coordinate with at most one decimal, as short as possible."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def move_to(point: tuple[float, float], angle: float = 0, scale: float = 1) -> str:
    """Return the ``transform`` attribute that scales a shape, turns it by ``angle`` degrees and moves it to the point."""
    rotate = f" rotate({number(angle)})" if angle else ""
    zoom = f" scale({scale:g})" if scale != 1 else ""
    return f'transform="translate({number(point[0])} {number(point[1])}){rotate}{zoom}"'


def text(words: str, at: tuple[float, float], size: float, ink: str, more: str = "") -> str:
    """Return a line of text with its baseline at a point; ``more`` holds further attributes."""
    place = f'x="{number(at[0])}" y="{number(at[1])}"'
    return f'<text {place} font-size="{size:g}" fill="{ink}"{" " + more if more else ""}>{escape(words)}</text>'


def from_one(words: str, names: Sequence[str] = ()) -> str:
    """Return the text with each "seat N" (counted from 0) changed to the player's name or, without ``names``, to "seat N+1"."""
    return re.sub(r"\b([Ss]eat) ([0-9]+)\b", lambda seat: names[int(seat[2])] if names else f"{seat[1]} {int(seat[2]) + 1}", words)


def stroke(color: str, width: float, more: str = "") -> str:
    """Return the attributes of a line; ``more`` holds further attributes."""
    return f'stroke="{color}" stroke-width="{width:g}"{" " + more if more else ""}'


def fitted(words: str, width: float, size: float) -> str:
    """Return the text, shortened with an ellipsis if it might not fit into the width in bold type of this size."""
    room = max(int(width / (size * 0.7)), 1)
    return words if len(words) <= room else words[: room - 1] + "…"


LINE: Final = "#7dffb0"
"""The colour of sketches, which no seat or tile has; a dark rim makes it visible on any background."""
RIM: Final = "#06281a"
_LEAST: Final = 40.0
"""The minimum length of an arrow, in units of the board."""
_DASHES: Final = 'stroke-dasharray="13 9"'


def around(points: list[Point], margin: float) -> Box:
    """Return the rectangle that contains these points, with a margin."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return Box(min(xs) - margin, min(ys) - margin, max(xs) - min(xs) + 2 * margin, max(ys) - min(ys) + 2 * margin)


def middle(points: list[Point]) -> Point:
    """Return the mean of the points."""
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def rimmed(shape: str, width: float = 5, dashes: str = _DASHES) -> str:
    """Return a shape as a dashed line over a dark line; ``shape`` is the beginning of an element, up to its last attribute."""
    return f'{shape} fill="none" {stroke(RIM, width + 5)} stroke-opacity=".75"/>{shape} fill="none" {stroke(LINE, width, dashes)}/>'


def ring(at: Point, radius: float) -> str:
    """Return a ring around a point."""
    return rimmed(f'<circle cx="{number(at[0])}" cy="{number(at[1])}" r="{radius:g}"', 5, 'stroke-dasharray="9 6"')


def arrow(start: Point, end: Point, *, short: float = 0) -> str:
    """Return an arrow that ends ``short`` units before the point ``end``, or an empty string if the points are too close."""
    (x, y), (to_x, to_y) = start, end
    length = hypot(to_x - x, to_y - y)
    if length < short + _LEAST:
        return ""
    dx, dy = (to_x - x) / length, (to_y - y) / length
    tip = (to_x - dx * short, to_y - dy * short)
    neck = (tip[0] - dx * 20, tip[1] - dy * 20)
    wings = [(neck[0] - dy * 12, neck[1] + dx * 12), (neck[0] + dy * 12, neck[1] - dx * 12)]
    line = f"M{_write(start)}L{_write(neck)}"
    head = f"M{_write(wings[0])}L{_write(tip)}L{_write(wings[1])}Z"
    return (
        f'<path d="{line}" fill="none" {stroke(RIM, 12)} stroke-opacity=".75" stroke-linecap="round"/>'
        f'<path d="{line}" fill="none" {stroke(LINE, 7)} stroke-linecap="round"/>'
        f'<path d="{head}" fill="{LINE}" {stroke(RIM, 3)} stroke-linejoin="round"/>'
    )


def _write(point: Point) -> str:
    return f"{number(point[0])} {number(point[1])}"
