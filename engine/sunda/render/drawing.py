"""Draws the Sunda to Sahul board, using the shapes in ``pictures``. ``sketch`` draws the effect of a move on top of it; ``DRAWER`` bundles
all drawing functions for the plug-in.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from engine.core import Move, State
from engine.render.scene import Box, Drawer, Scene, Sheet, Sketch
from engine.render.svg import LINE, around, arrow, middle, number, rimmed, ring, stroke
from engine.sunda.board.board import SundaBoard
from engine.sunda.board.tiles import IDS, LAND
from engine.sunda.board.trigrid import corners_of, corners_of_triangle, lozenge_of
from engine.sunda.notation.moves import (
    CHALLENGE,
    CLAIM,
    JOIN,
    LAKE,
    PLACE,
    RESOURCE,
    SHIFT,
    START,
    SundaMove,
    write_placement,
    write_vertex,
)
from engine.sunda.position import MEND
from engine.sunda.render.move_text import describe_event, describe_move
from engine.sunda.render.panel import ENDINGS, legend, summarize, sunda_state, supply
from engine.sunda.render.pictures import (
    GOLD,
    INK,
    PAPER,
    Point,
    add_terrain,
    marker,
    point_of,
    polygon,
    stack,
    tile_edge,
    tile_title,
    water_right,
)
from engine.sunda.render.terminal import lines, marked_tile, marked_vertices
from engine.sunda.state import SundaState


def scene(state: State, *, last: Move | None = None, before: State | None = None) -> Scene:
    """Return a picture of only the board: terrain, edges of tiles, marks and pieces. Raises TypeError for a state of a different game."""
    known = sunda_state(state)
    board = known.inside.board
    points = [point_of(vertex) for vertex in board.types or corners_of(0)]
    left, right = min(x for x, _ in points) - 12, max(x for x, _ in points) + 12
    top, bottom = min(y for _, y in points) - 12, max(y for _, y in points) + 12
    picture = Scene(Box(left, top, right - left, bottom - top))
    add_terrain(picture, board)
    picture.group("tiles", f'class="tiles" fill="#fff" fill-opacity="0" {stroke(INK, 1)} stroke-opacity=".34"', order=_TILES)
    for tile, placement in board.lies.items():
        picture.add(f"tile {IDS[tile]}", _edge(tile, placement), parent="tiles", order=tile)
    _add_marks(picture, known, last)
    _add_pieces(picture, known)
    return picture


_TILES, _SPACE, _LEFT, _LAST, _PIECES = 10, 20, 21, 22, 30
"""The drawing order of the elements on top of the terrain."""


@lru_cache(maxsize=4096)
def _edge(tile: int, placement: int) -> str:
    edge = tile_edge(tile, placement, f'data-tile="{IDS[tile]}" data-placement="{write_placement(placement)}"')
    return edge.replace("/>", f">{tile_title(tile, placement)}</path>")


def _add_marks(scene: Scene, state: SundaState, last: Move | None) -> None:
    p = state.inside
    if p.phase == MEND:
        space = p.board.spots.spaces_at(lozenge_of(p.board.lies[p.newest]))[0]
        shape = polygon([point_of(vertex) for vertex in corners_of_triangle(space)])
        red = f'fill="#d55e00" fill-opacity=".35" {stroke("#d55e00", 3)} stroke-dasharray="7 6"'
        scene.add("space", f'<path class="space" d="{shape}" {red}/>', order=_SPACE)
    if isinstance(last, SundaMove) and last.kind == SHIFT:
        shape = polygon([point_of(vertex) for vertex in corners_of(lozenge_of(last.first))])
        scene.add("left", f'<path class="left" d="{shape}" fill="none" {stroke(GOLD, 4)} stroke-dasharray="5 9"/>', order=_LEFT)
    tile = marked_tile(state, last)
    if tile >= 0:
        scene.add("last tile", tile_edge(tile, p.board.lies[tile], f'class="last" fill="none" {stroke(GOLD, 5)}'), order=_LAST)
    for index, vertex in enumerate(marked_vertices(last)):
        x, y = place_of(state, vertex)
        ring = f'<circle class="last" cx="{number(x)}" cy="{number(y)}" r="23" fill="{GOLD}" fill-opacity=".3" {stroke(GOLD, 5)}/>'
        scene.add(f"last vertex {index}", ring, order=_LAST)


def _add_pieces(scene: Scene, state: SundaState) -> None:
    p = state.inside
    board, claims = p.board, p.claims
    scene.group("pieces", 'class="pieces"', order=_PIECES)
    for vertex, kind in board.types.items():
        if kind == LAND and vertex not in claims.tribes and board.is_closed(vertex):
            scene.add(f"node {vertex}", _node(vertex, vertex in p.nodes), parent="pieces", order=point_of(vertex)[1])
    for vertex, tribe in claims.tribes.items():
        at = point_of(vertex)
        scene.add(f"tribe {vertex}", stack(tribe, at, write_vertex(vertex)), parent="pieces", order=at[1])
    for lake, seat in claims.lakes.items():
        at = place_of(state, lake)
        scene.add(f"lake {lake}", water_right(seat, at, write_vertex(lake)), parent="pieces", order=at[1])
    beside: dict[int, int] = {}
    for value, vertex in claims.markers:
        x, y = place_of(state, vertex)
        shift = beside.get(vertex, 0)
        beside[vertex] = shift + 1
        scene.add(f"marker {vertex}.{shift}", marker(value, (x + 25 + 24 * shift, y + 2)), parent="pieces", order=y + 0.5)


@lru_cache(maxsize=4096)
def _node(vertex: int, fresh: bool) -> str:  # arguments of a cached function are positional
    """Draw a land node without a token; if it is ``fresh``, it may be claimed now."""
    fill, radius = (GOLD, 8) if fresh else ("#ffffff", 4.5)
    x, y = point_of(vertex)
    where = f'cx="{number(x)}" cy="{number(y)}" r="{radius:g}" data-vertex="{write_vertex(vertex)}"'
    return f'<circle class="node" {where} fill="{fill}" {stroke(INK, 1.3)}/>'


def place_of(state: SundaState, vertex: int) -> Point:
    """Return where a token or marker is drawn: at its vertex or, for a claimed lake, at the vertex nearest to the lake's centre."""
    if vertex not in state.inside.claims.lakes:
        return point_of(vertex)
    islands = state.inside.board.islands
    points = sorted(point_of(member) for member in islands.members(islands.name[vertex]))
    x, y = sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)
    return min(points, key=lambda point: (point[0] - x) ** 2 + (point[1] - y) ** 2)


_TOKEN: Final = 24.0


def sketch(state: State, move: Move) -> Sketch | None:
    """Return a sketch of the move, or None if it has no place on the board. Raises TypeError for a state or move of a different game."""
    known = sunda_state(state)
    if not isinstance(move, SundaMove):
        raise TypeError(f"expected a Sunda to Sahul move, not {type(move).__name__}")
    if move.kind in {START, PLACE}:
        return _tile(move.first, 0 if move.kind == START else move.second)
    if move.kind == SHIFT:
        return _shifted(known.inside.board, move)
    if move.kind == CHALLENGE:
        own, other = place_of(known, move.first), place_of(known, move.second)
        marks = ring(own, _TOKEN) + ring(other, _TOKEN) + arrow(own, other, short=_TOKEN)
        return Sketch(marks, around([own, other], 2 * _TOKEN), other, is_arrow=True)
    if move.kind in {CLAIM, JOIN, LAKE, RESOURCE}:
        at = place_of(known, move.second if move.kind == RESOURCE else move.first)
        return Sketch(ring(at, _TOKEN), around([at], 2 * _TOKEN), at)
    return None


def _tile(tile: int, placement: int) -> Sketch:
    points: list[Point] = [point_of(vertex) for vertex in corners_of(lozenge_of(placement))]
    edge = tile_edge(tile, placement, "").removesuffix("/>")
    ground = f'{edge} fill="{LINE}" fill-opacity=".22"/>'
    return Sketch(f"<g>{ground}{rimmed(edge, 5)}</g>", around(points, 20), middle(points))


def _shifted(board: SundaBoard, move: SundaMove) -> Sketch:
    tile = board.tile_on(lozenge_of(move.first))
    old, new = _tile(tile, move.first), _tile(tile, move.second)
    return Sketch(new.markup + arrow(old.at, new.at), new.box, new.at, is_arrow=True)


DRAWER: Final = Drawer(
    lines,
    scene,
    summarize,
    legend,
    supply,
    describe_event,
    Sheet("Sunda to Sahul", "", PAPER, "#1d2a31"),
    sketch,
    describe_move,
    ENDINGS,
)
