"""The geometry of a picture of the table: points, coasts and jigsaw edges as SVG path data."""

from __future__ import annotations

from functools import cache
from math import sqrt
from typing import Final

from engine.render.svg import number
from engine.sunda.board.trigrid import corners_of, lozenge_of, x_of, y_of

UNIT: Final = 64.0
"""Pixels between neighbouring vertices."""

SHOAL: Final = 0.13
"""How far shallow water reaches from the coast, as a fraction of a tile's side."""

Point = tuple[float, float]


@cache
def point_of(vertex: int) -> Point:
    """Return where a vertex is drawn; y grows downwards."""
    x, y = x_of(vertex), y_of(vertex)
    return UNIT * (x + y / 2), -UNIT * sqrt(0.75) * y


def between(a: Point, b: Point, part: float) -> Point:
    """Return the point that is ``part`` of the way from one point to another."""
    return a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part


def middle_of(placement: int) -> Point:
    """Return the middle of a tile with this placement."""
    corners = corners_of(lozenge_of(placement))
    x, y = between(point_of(corners[0]), point_of(corners[2]), 0.5)
    return round(x, 1), round(y, 1)


def write(point: Point) -> str:
    """Return a point as path data."""
    return f"{number(point[0])} {number(point[1])}"


def polygon(points: tuple[Point, ...] | list[Point]) -> str:
    """Return a closed shape with straight edges."""
    return "M" + "L".join(map(write, points)) + "Z"


def inward(a: Point, b: Point) -> Point:
    """Return the unit vector at right angles to the side from a to b, towards its left in lattice coordinates: into the tile."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = sqrt(dx * dx + dy * dy)
    return dy / length, -dx / length


def coast(c: tuple[Point, ...], first: int, last: int, reach: float) -> tuple[Point, str, Point]:
    """Return a curve that cuts the corners ``first`` to ``last`` (counter-clockwise) off a lozenge: its start, its path data, its end.

    It starts on the side before ``first`` and ends on the side after ``last``, ``reach`` of a side away from these corners, and crosses
    both sides at right angles, so that the curves of neighbouring tiles meet without a kink.
    """
    before, after = c[first - 1], c[(last + 1) % 4]
    start, end = between(c[first], before, reach), between(c[last], after, reach)
    bend = UNIT * (0.3 if first == last else 0.36) * (0.55 + 0.9 * reach)
    n_start, n_end = inward(before, c[first]), inward(c[last], after)
    one = (start[0] + n_start[0] * bend, start[1] + n_start[1] * bend)
    other = (end[0] + n_end[0] * bend, end[1] + n_end[1] * bend)
    return start, f"C{write(one)} {write(other)} {write(end)}", end


def cut_off(c: tuple[Point, ...], first: int, last: int, reach: float) -> str:
    """Return the closed shape between the curve of ``coast`` and the corners that it cuts off."""
    start, curve, _ = coast(c, first, last, reach)
    back = [c[last]] if first == last else [c[last], c[first]]
    return f"M{write(start)}{curve}" + "".join(f"L{write(corner)}" for corner in back) + "Z"


def coast_line(c: tuple[Point, ...], first: int, last: int) -> str:
    """Return the coast itself, half-way along the sides."""
    start, curve, _ = coast(c, first, last, 0.5)
    return f"M{write(start)}{curve}"


def knob(a: Point, b: Point, way: float) -> tuple[Point, str]:
    """Return where a jigsaw tab leaves the side from a to b, and its curve back to it; ``way`` is 1 for out of the tile, -1 for in."""
    nx, ny = inward(b, a)
    depth = way * UNIT * 0.17
    far, near = between(a, b, 0.36), between(a, b, 0.64)
    one = (far[0] + nx * depth, far[1] + ny * depth)
    other = (near[0] + nx * depth, near[1] + ny * depth)
    return between(a, b, 0.43), f"C{write(one)} {write(other)} {write(between(a, b, 0.57))}"


def half_knob(near: Point, far: Point, out: Point) -> str:
    """Return the half of a side's tab that is nearer to one end, as a closed shape; ``out`` is the unit vector out of the tile."""
    depth = UNIT * 0.17
    left, middle = between(near, far, 0.43), between(near, far, 0.5)
    one, other = ((x + out[0] * depth, y + out[1] * depth) for x, y in (between(near, far, 0.36), between(near, far, 0.64)))
    first = between(left, one, 0.5)  # de Casteljau's construction at the middle of the curve
    second = between(first, between(one, other, 0.5), 0.5)
    top = (middle[0] + out[0] * depth * 0.75, middle[1] + out[1] * depth * 0.75)
    return f"M{write(left)}C{write(first)} {write(second)} {write(top)}L{write(middle)}Z"


def coast_on_tab(a: Point, b: Point, out: Point) -> str:
    """Return the part of a coast that goes on from the middle of a side over its tab."""
    middle = between(a, b, 0.5)
    depth = UNIT * 0.17 * 0.75
    return f"M{write(middle)}L{write((middle[0] + out[0] * depth, middle[1] + out[1] * depth))}"


def outline(c: tuple[Point, ...], tabs: list[bool]) -> str:
    """Return a tile's edge with its tabs and blanks, counter-clockwise from corner 0."""
    path = f"M{write(c[0])}"
    for side in range(4):
        a, b = c[side], c[(side + 1) % 4]
        start, curve = knob(a, b, 1 if tabs[side] else -1)
        path += f"L{write(start)}{curve}L{write(b)}"
    return path + "Z"
