"""The pieces of a picture of the table: sea and land, the edges of tiles, stacks of tokens, water rights and markers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from engine.palette import SEAT_COLORS
from engine.sunda.board import Board
from engine.sunda.layout import SHOAL, Point, coast_line, coast_on_tab, cut_off, half_knob, inward, knob, outline, point_of, polygon, write
from engine.sunda.moves import write_placement
from engine.sunda.tiles import HALF_TURN, IDS, LAND, PATTERN_OF_TILE, side_kind
from engine.sunda.trigrid import OUTER, corners_of, lozenge_of
from engine.svg import move_to, stroke, text

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


class Terrain:
    """Shapes to fill, by colour, from the lowest layer up: the base of tiles, shallow water, then what lies inside of that."""

    def __init__(self) -> None:
        self.layers: list[dict[str, list[str]]] = [{}, {}, {}]
        self.coasts: list[str] = []
        self.holes: list[str] = []

    def add(self, layer: int, color: str, shape: str) -> None:
        """Add a closed shape to a layer."""
        self.layers[layer].setdefault(color, []).append(shape)

    def drawn(self) -> str:
        """All of it as SVG, one path for each layer and colour; thin lines of the same colour close the seams between tiles."""
        parts = []
        for number_of_layer, layer in enumerate(self.layers):
            seam = 'stroke-width=".8"' if number_of_layer == 0 else 'stroke-width="0"'
            parts += [f'<path fill="{color}" stroke="{color}" {seam} d="{"".join(shapes)}"/>' for color, shapes in sorted(layer.items())]
        parts.append(f'<path class="coasts" fill="none" {stroke(COAST, 2.2)} stroke-linecap="round" d="{"".join(self.coasts)}"/>')
        parts.append(f'<path class="blanks" fill="{PAPER}" {stroke(PAPER, 0.8)} d="{"".join(self.holes)}"/>')
        return "\n".join(parts)


def shown_pattern(tile: int, placement: int) -> int:
    """The pattern a tile shows on its lozenge."""
    pattern = PATTERN_OF_TILE[tile]
    return pattern if placement == lozenge_of(placement) else HALF_TURN[pattern]


def land_color(board: Board, vertex: int) -> str:
    """Land is green once its island is complete."""
    return COMPLETE_LAND if board.is_complete(vertex) else OPEN_LAND


def water_colors(board: Board, vertex: int) -> tuple[str, str]:
    """Deep and shallow water of the body of a vertex: lakes are greener than the sea."""
    return (FRESH, FRESH_SHOAL) if board.is_complete(vertex) else (SEA, SEA_SHOAL)


def terrain_of(board: Board) -> Terrain:
    """The sea and the islands of all tiles on the table."""
    terrain = Terrain()
    for tile, placement in board.lies.items():
        _add_tile(terrain, board, tile, placement)
    return terrain


def _add_tile(terrain: Terrain, board: Board, tile: int, placement: int) -> None:
    vertices = corners_of(lozenge_of(placement))
    c = tuple(map(point_of, vertices))
    kinds = [board.types[vertex] for vertex in vertices]
    cuts = cuts_of(kinds)
    inside = {i for first, last in cuts for i in ((first,) if first == last else (first, last))}
    main = next(i for i in (1, 3, 0, 2) if i not in inside)  # an obtuse corner, if any, belongs to the greater part
    deep, shoal = ("", "") if kinds[main] == LAND else water_colors(board, vertices[main])
    terrain.add(0, land_color(board, vertices[main]) if kinds[main] == LAND else deep, polygon(c))
    for first, last in cuts:
        if kinds[first] == LAND:
            terrain.add(1, shoal, cut_off(c, first, last, 0.5 + SHOAL))
            terrain.add(2, land_color(board, vertices[first]), cut_off(c, first, last, 0.5))
        else:
            wedge_deep, wedge_shoal = water_colors(board, vertices[first])
            terrain.add(1, wedge_shoal, cut_off(c, first, last, 0.5))
            terrain.add(2, wedge_deep, cut_off(c, first, last, 0.5 - SHOAL))
        terrain.coasts.append(coast_line(c, first, last))
    _add_edges(terrain, board, tile, placement, c)


def cuts_of(kinds: list[int]) -> list[tuple[int, int]]:
    """Which corners (first to last, counter-clockwise) coasts cut off the rest of a tile whose corners are of these types."""
    alone = [i for i in range(4) if kinds[i] != kinds[i - 1] and kinds[i] != kinds[(i + 1) % 4]]
    if len(alone) == 4:
        return [(0, 0), (2, 2)]  # the obtuse corners are joined across the tile
    if alone:
        return [(i, i) for i in alone]
    return [(i, (i + 1) % 4) for i in range(4) if kinds[i] == LAND == kinds[(i + 1) % 4] and kinds[i - 1] != LAND != kinds[(i + 2) % 4]]


def _add_edges(terrain: Terrain, board: Board, tile: int, placement: int, c: tuple[Point, ...]) -> None:
    """Where no tile lies beside a side, its tab sticks out and its blank shows the table."""
    lozenge = lozenge_of(placement)
    vertices = corners_of(lozenge)
    pattern = shown_pattern(tile, placement)
    for side in range(4):
        if lozenge // 6 * 2 + OUTER[lozenge % 6][side][0] in board.spots.cover:
            continue
        a, b = c[side], c[(side + 1) % 4]
        if side_kind(pattern, side):
            start, curve = knob(a, b, -1)
            terrain.holes.append(f"M{write(start)}{curve}Z")
            continue
        out = inward(b, a)
        if board.types[vertices[side]] != board.types[vertices[(side + 1) % 4]]:
            terrain.coasts.append(coast_on_tab(a, b, out))
        for vertex, near, far in ((vertices[side], a, b), (vertices[(side + 1) % 4], b, a)):
            color = land_color(board, vertex) if board.types[vertex] == LAND else water_colors(board, vertex)[0]
            terrain.add(0, color, half_knob(near, far, out))


def tile_edge(tile: int, placement: int, more: str) -> str:
    """The edge of a tile with its tabs and blanks."""
    c = tuple(map(point_of, corners_of(lozenge_of(placement))))
    pattern = shown_pattern(tile, placement)
    return f'<path d="{outline(c, [side_kind(pattern, side) == 0 for side in range(4)])}" {more}/>'


def tile_title(tile: int, placement: int) -> str:
    """What a tile is called when one points at it."""
    return f"<title>{IDS[tile]} at {write_placement(placement)}</title>"


def stack(seats: Iterable[int], at: Point) -> str:
    """A tribe: its tokens from the bottom up, each with its owner's colour and number."""
    parts = []
    for height, seat in enumerate(seats):
        color = SEAT_COLORS[seat]
        parts.append(
            f"<g {move_to((0, -10.5 * height))}>"
            f'<path d="M-14 -3V4A14 6 0 0 0 14 4V-3Z" fill="{color.hex}" {stroke(INK, 1.1)}/>'
            f'<ellipse cy="-3" rx="14" ry="6" fill="{color.hex}" {stroke(INK, 1.1)}/>'
            f"{text(str(seat), (0, 7.2), 8.5, color.ink)}</g>"
        )
    return f'<g class="tribe" {move_to(at)}>{"".join(parts)}</g>'


def water_right(seat: int, at: Point) -> str:
    """The token on a lake."""
    color = SEAT_COLORS[seat]
    waves = f'<path d="M-9 7q3 -3 6 0t6 0t6 0" fill="none" {stroke(color.ink, 1.6)}/>'
    return (
        f'<g class="water-right" {move_to(at)}><circle r="14" fill="{color.hex}" {stroke(PAPER, 3)}/>'
        f'<circle r="14" fill="none" {stroke(INK, 1.1)}/>{text(str(seat), (0, 3), 14, color.ink)}{waves}</g>'
    )


def marker(value: int, at: Point) -> str:
    """A resource marker with its value."""
    shape = f'<path d="M0 -13L12 -4L8 11H-8L-12 -4Z" fill="#5b3a8c" {stroke(PAPER, 2)} stroke-linejoin="round"/>'
    return f'<g class="resource" {move_to(at)}>{shape}{text(str(value), (0, 6), 14, "#ffffff")}</g>'
