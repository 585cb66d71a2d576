"""The SVG shapes that a picture of the board consists of: sea and land, edges of tiles, tokens, water rights and markers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from math import sqrt
from typing import Final

from engine.render.palette import SEAT_COLORS
from engine.render.scene import Box, Piece, Scene
from engine.render.svg import move_to, number, stroke, text
from engine.sunda.board.board import SundaBoard
from engine.sunda.board.tiles import HALF_TURN, IDS, LAND, PATTERN_OF_TILE, side_kind
from engine.sunda.board.trigrid import OUTER, corners_of, lozenge_of, x_of, y_of
from engine.sunda.notation.moves import write_placement

UNIT: Final = 64.0
"""The distance between neighbouring vertices in pixels."""

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
    """Return the path data of a polygon."""
    return "M" + "L".join(map(write, points)) + "Z"


def inward(a: Point, b: Point) -> Point:
    """Return the unit normal of the side from a to b that points into the tile, i.e. to the left of a→b in lattice coordinates."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = sqrt(dx * dx + dy * dy)
    return dy / length, -dx / length


def coast(c: tuple[Point, ...], first: int, last: int, reach: float) -> tuple[Point, str, Point]:
    """Return the start, path data and end of a curve that cuts the corners ``first`` to ``last`` (counter-clockwise) off a lozenge.

    It starts on the side before ``first`` and ends on the side after ``last``; its distance from these corners is the fraction ``reach`` of
    a side. It crosses both sides at right angles, so that the curves of neighbouring tiles meet without a kink.
    """
    before, after = c[first - 1], c[(last + 1) % 4]
    start, end = between(c[first], before, reach), between(c[last], after, reach)
    bend = UNIT * (0.3 if first == last else 0.36) * (0.55 + 0.9 * reach)
    n_start, n_end = inward(before, c[first]), inward(c[last], after)
    one = (start[0] + n_start[0] * bend, start[1] + n_start[1] * bend)
    other = (end[0] + n_end[0] * bend, end[1] + n_end[1] * bend)
    return start, f"C{write(one)} {write(other)} {write(end)}", end


def cut_off(c: tuple[Point, ...], first: int, last: int, reach: float) -> str:
    """Return the path data of the area between the curve of ``coast`` and the corners that it cuts off."""
    start, curve, _ = coast(c, first, last, reach)
    back = [c[last]] if first == last else [c[last], c[first]]
    return f"M{write(start)}{curve}" + "".join(f"L{write(corner)}" for corner in back) + "Z"


def coast_line(c: tuple[Point, ...], first: int, last: int) -> str:
    """Return the path data of the coastline around corners ``first`` to ``last``: the curve of ``coast`` that crosses sides half-way."""
    start, curve, _ = coast(c, first, last, 0.5)
    return f"M{write(start)}{curve}"


def knob(a: Point, b: Point, way: float) -> tuple[Point, str]:
    """Return where a jigsaw tab starts on the side from a to b, and the path data of its curve; ``way`` is 1 (out) or -1 (in)."""
    nx, ny = inward(b, a)
    depth = way * UNIT * 0.17
    far, near = between(a, b, 0.36), between(a, b, 0.64)
    one = (far[0] + nx * depth, far[1] + ny * depth)
    other = (near[0] + nx * depth, near[1] + ny * depth)
    return between(a, b, 0.43), f"C{write(one)} {write(other)} {write(between(a, b, 0.57))}"


def half_knob(near: Point, far: Point, out: Point) -> str:
    """Return the half of a tab that is closer to ``near``, as a closed shape; ``out`` is the unit vector pointing out of the tile."""
    depth = UNIT * 0.17
    left, middle = between(near, far, 0.43), between(near, far, 0.5)
    one, other = ((x + out[0] * depth, y + out[1] * depth) for x, y in (between(near, far, 0.36), between(near, far, 0.64)))
    first = between(left, one, 0.5)  # de Casteljau's construction at the middle of the curve
    second = between(first, between(one, other, 0.5), 0.5)
    top = (middle[0] + out[0] * depth * 0.75, middle[1] + out[1] * depth * 0.75)
    return f"M{write(left)}C{write(first)} {write(second)} {write(top)}L{write(middle)}Z"


def coast_on_tab(a: Point, b: Point, out: Point) -> str:
    """Return the path data of the coast on a tab: a line from the middle of the side a-b to the tab's tip, towards ``out``."""
    middle = between(a, b, 0.5)
    depth = UNIT * 0.17 * 0.75
    return f"M{write(middle)}L{write((middle[0] + out[0] * depth, middle[1] + out[1] * depth))}"


def outline(c: tuple[Point, ...], tabs: list[bool]) -> str:
    """Return the path data of a tile's edge with its tabs and blanks, counter-clockwise from corner 0."""
    path = f"M{write(c[0])}"
    for side in range(4):
        a, b = c[side], c[(side + 1) % 4]
        start, curve = knob(a, b, 1 if tabs[side] else -1)
        path += f"L{write(start)}{curve}L{write(b)}"
    return path + "Z"


PAPER: Final = "#fbf8f0"
INK: Final = "#23303a"
GOLD: Final = "#e69f00"
SEA: Final = "#86bfdc"
SEA_SHOAL: Final = "#b4dcec"
FRESH: Final = "#5fb9a8"
FRESH_SHOAL: Final = "#a0dccb"
OPEN_LAND: Final = "#e3cf8e"
COMPLETE_LAND: Final = "#9cc76b"
COAST: Final = "#9a8450"


Shape = tuple[int, str, str]
"""The layer, colour and path data of a shape. Layers: 0 ground of a tile, 1 shallows, 2 the area inside them, 3 coasts, 4 blanks."""

Corner = tuple[int, str, str]
"""How the corner of a tile is drawn: its type, its colour, and (for water) the colour of its shallows."""

_COLORS: Final = sorted((SEA, SEA_SHOAL, FRESH, FRESH_SHOAL, OPEN_LAND, COMPLETE_LAND))
_COASTS, _BLANKS = 3, 4
"""The numbers of the two topmost layers of a ``Shape``."""


def add_terrain(scene: Scene, board: SundaBoard) -> None:
    """Add the sea and the islands of all tiles on the board: a group for each layer and colour, with a path for each tile."""
    cover = board.spots.cover  # read only once: a compiled board recreates it each time
    looks = {vertex: _corner(kind, is_complete=board.is_complete(vertex)) for vertex, kind in board.types.items()}
    for tile, placement in board.lies.items():
        lozenge = lozenge_of(placement)
        a, b, c, d = corners_of(lozenge)
        spaces, sides = lozenge // 6 * 2, OUTER[lozenge % 6]
        bare = tuple(spaces + side[0] not in cover for side in sides)
        scene.pieces.update(_terrain(tile, placement, (looks[a], looks[b], looks[c], looks[d]), bare))


@lru_cache(maxsize=4096)  # from one position to the next, most tiles look the same
def _terrain(tile: int, placement: int, corners: tuple[Corner, ...], bare: tuple[bool, ...]) -> dict[str, Piece]:
    scene = Scene(Box(0, 0, 0, 0))
    for layer, color, data in _shapes(tile, placement, corners, bare):
        name = scene.group(f"ground {layer}{color}", _paint(layer, color), order=layer + _order(color) / 10)
        scene.add(f"{name} {IDS[tile]}", f'<path d="{data}"/>', parent=name)
    return scene.pieces


def _order(color: str) -> int:
    return _COLORS.index(color) if color in _COLORS else 0


def _paint(layer: int, color: str) -> str:
    """Return the SVG attributes for the shapes of a layer; thin lines of the same colour close the seams between tiles."""
    if layer == _COASTS:
        return f'class="coasts" fill="none" {stroke(color, 2.2)} stroke-linecap="round"'
    if layer == _BLANKS:
        return f'class="blanks" fill="{color}" {stroke(color, 0.8)}'
    return f'fill="{color}" stroke="{color}" stroke-width="{".8" if layer == 0 else "0"}"'


def _corner(kind: int, *, is_complete: bool) -> Corner:
    """Return how a vertex is drawn: land turns green when its island is complete, and lakes are greener than the sea."""
    if kind == LAND:
        return LAND, COMPLETE_LAND if is_complete else OPEN_LAND, ""
    return (kind, FRESH, FRESH_SHOAL) if is_complete else (kind, SEA, SEA_SHOAL)


def shown_pattern(tile: int, placement: int) -> int:
    """Return the pattern that a tile shows on its lozenge."""
    pattern = PATTERN_OF_TILE[tile]
    return pattern if placement == lozenge_of(placement) else HALF_TURN[pattern]


def _shapes(tile: int, placement: int, corners: tuple[Corner, ...], bare: tuple[bool, ...]) -> tuple[Shape, ...]:
    """Return the terrain of a tile, with a shape for each layer and colour; ``bare`` is, for each side, whether no tile is adjacent."""
    c = tuple(map(point_of, corners_of(lozenge_of(placement))))
    kinds = [kind for kind, _, _ in corners]
    cuts = cuts_of(kinds)
    inside = {i for first, last in cuts for i in ((first,) if first == last else (first, last))}
    main = next(i for i in (1, 3, 0, 2) if i not in inside)  # an obtuse corner, if any, belongs to the greater part
    _, ground, shoal = corners[main]
    shapes: list[Shape] = [(0, ground, polygon(c))]
    for first, last in cuts:
        _, color, shallow = corners[first]
        if kinds[first] == LAND:
            shapes += [(1, shoal, cut_off(c, first, last, 0.5 + SHOAL)), (2, color, cut_off(c, first, last, 0.5))]
        else:
            shapes += [(1, shallow, cut_off(c, first, last, 0.5)), (2, color, cut_off(c, first, last, 0.5 - SHOAL))]
        shapes.append((_COASTS, COAST, coast_line(c, first, last)))
    shapes += _edges(shown_pattern(tile, placement), c, corners, bare)
    joined: dict[tuple[int, str], str] = {}
    for layer, color, data in shapes:
        joined[layer, color] = joined.get((layer, color), "") + data
    return tuple((layer, color, data) for (layer, color), data in joined.items())


def cuts_of(kinds: list[int]) -> list[tuple[int, int]]:
    """Return the runs of corners that are cut off by coasts, each as (first, last) counter-clockwise; ``kinds`` are the corners' types."""
    alone = [i for i in range(4) if kinds[i] != kinds[i - 1] and kinds[i] != kinds[(i + 1) % 4]]
    if len(alone) == 4:
        return [(0, 0), (2, 2)]  # the obtuse corners are joined across the tile
    if alone:
        return [(i, i) for i in alone]
    return [(i, (i + 1) % 4) for i in range(4) if kinds[i] == LAND == kinds[(i + 1) % 4] and kinds[i - 1] != LAND != kinds[(i + 2) % 4]]


def _edges(pattern: int, c: tuple[Point, ...], corners: tuple[Corner, ...], bare: tuple[bool, ...]) -> Iterator[Shape]:
    """Yield the shapes of sides without an adjacent tile: a tab sticks out, and a blank shows the background."""
    for side in range(4):
        if not bare[side]:
            continue
        one, other = corners[side], corners[(side + 1) % 4]
        a, b = c[side], c[(side + 1) % 4]
        if side_kind(pattern, side):
            start, curve = knob(a, b, -1)
            yield _BLANKS, PAPER, f"M{write(start)}{curve}Z"
            continue
        out = inward(b, a)
        if one[0] != other[0]:
            yield _COASTS, COAST, coast_on_tab(a, b, out)
        yield 0, one[1], half_knob(a, b, out)
        yield 0, other[1], half_knob(b, a, out)


@lru_cache(maxsize=4096)
def tile_edge(tile: int, placement: int, more: str) -> str:
    """Return the edge of a tile with its tabs and blanks; ``more`` contains additional SVG attributes."""
    c = tuple(map(point_of, corners_of(lozenge_of(placement))))
    pattern = shown_pattern(tile, placement)
    return f'<path d="{outline(c, [side_kind(pattern, side) == 0 for side in range(4)])}" {more}/>'


def tile_title(tile: int, placement: int) -> str:
    """Return the tooltip of a tile."""
    return f"<title>{IDS[tile]} at {write_placement(placement)}</title>"


def stack(seats: Iterable[int], at: Point, vertex: str) -> str:
    """Draw a tribe on the board; ``vertex`` is the notation of its vertex."""
    return f'<g class="tribe" data-vertex="{vertex}" {move_to(at)}>{tokens(seats)}</g>'


def tokens(seats: Iterable[int]) -> str:
    """Draw a stack of tokens, given from the bottom up, each with the colour and number of its owner."""
    parts = []
    for height, seat in enumerate(seats):
        color = SEAT_COLORS[seat]
        parts.append(
            f"<g {move_to((0, -10.5 * height))}>"
            f'<path d="M-14 -3V4A14 6 0 0 0 14 4V-3Z" fill="{color.hex}" {stroke(INK, 1.1)}/>'
            f'<ellipse cy="-3" rx="14" ry="6" fill="{color.hex}" {stroke(INK, 1.1)}/>'
            f"{text(str(seat + 1), (0, 7.2), 8.5, color.ink)}</g>"
        )
    return "".join(parts)


def water_right(seat: int, at: Point, vertex: str) -> str:
    """Draw the token on a lake; ``vertex`` is the notation of the lake's smallest vertex."""
    return f'<g class="water-right" data-vertex="{vertex}" {move_to(at)}>{water_token(seat)}</g>'


def water_token(seat: int) -> str:
    """Draw a water-rights token, without its place on the board."""
    color = SEAT_COLORS[seat]
    waves = f'<path d="M-9 7q3 -3 6 0t6 0t6 0" fill="none" {stroke(color.ink, 1.6)}/>'
    return (
        f'<circle r="14" fill="{color.hex}" {stroke(PAPER, 3)}/><circle r="14" fill="none" {stroke(INK, 1.1)}/>'
        f"{text(str(seat + 1), (0, 3), 14, color.ink)}{waves}"
    )


def marker(value: int, at: Point) -> str:
    """Draw a resource marker with its value."""
    shape = f'<path d="M0 -13L12 -4L8 11H-8L-12 -4Z" fill="#5b3a8c" {stroke(PAPER, 2)} stroke-linejoin="round"/>'
    return f'<g class="resource" {move_to(at)}>{shape}{text(str(value), (0, 6), 14, "#ffffff")}</g>'
