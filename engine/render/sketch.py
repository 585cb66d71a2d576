"""Sketches: the effect of a move, drawn over the board before it. The sketches of each game are made of these marks."""

from __future__ import annotations

from math import hypot
from typing import Final, NamedTuple, TypeAlias

from engine.render.scene import Box
from engine.render.svg import number, stroke

Point: TypeAlias = tuple[float, float]
LINE: Final = "#7dffb0"
"""The colour of a sketch, which no seat and no tile has; a dark rim makes it visible on every ground."""
RIM: Final = "#06281a"
_LEAST: Final = 40.0
"""The least length of an arrow, in units of the board."""
_DASHES: Final = 'stroke-dasharray="13 9"'


class Sketch(NamedTuple):
    """A move as marks over the board: ``markup`` to draw, the rectangle that it needs, and the point that the move is about.

    ``is_arrow`` tells whether an arrow is among the marks, so that a page need not add one.
    """

    markup: str
    box: Box
    at: Point
    is_arrow: bool = False


def around(points: list[Point], margin: float) -> Box:
    """Return the rectangle that holds these points with a margin."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return Box(min(xs) - margin, min(ys) - margin, max(xs) - min(xs) + 2 * margin, max(ys) - min(ys) + 2 * margin)


def middle(points: list[Point]) -> Point:
    """Return the mean of points."""
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def rimmed(shape: str, width: float = 5, dashes: str = _DASHES) -> str:
    """Return a shape as a dashed line of the sketch's colour on a dark one; ``shape`` is an element up to its last attribute."""
    return f'{shape} fill="none" {stroke(RIM, width + 5)} stroke-opacity=".75"/>{shape} fill="none" {stroke(LINE, width, dashes)}/>'


def ring(at: Point, radius: float) -> str:
    """Return a ring around a point."""
    return rimmed(f'<circle cx="{number(at[0])}" cy="{number(at[1])}" r="{radius:g}"', 5, 'stroke-dasharray="9 6"')


def arrow(start: Point, end: Point, *, short: float = 0) -> str:
    """Return an arrow from one point to another that stops ``short`` of it; nothing where they are too close for one."""
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
