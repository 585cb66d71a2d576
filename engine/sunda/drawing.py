"""A position of Sunda to Sahul as an SVG picture. It only arranges: ``pictures`` draws pieces, ``panel`` what stands beside the table."""

from __future__ import annotations

from typing import Final

from engine.core import Move, State
from engine.sunda.layout import Point, point_of, polygon
from engine.sunda.moves import CHALLENGE, CLAIM, JOIN, LAKE, PLACE, RESOURCE, SHIFT, START, SundaMove
from engine.sunda.panel import WIDTH, panel, setting, status
from engine.sunda.pictures import GOLD, INK, PAPER, marker, stack, terrain_of, tile_edge, tile_title, water_right
from engine.sunda.position import MEND
from engine.sunda.state import SundaState
from engine.sunda.tiles import IDS, LAND
from engine.sunda.trigrid import corners_of, corners_of_triangle, lozenge_of
from engine.svg import move_to, number, stroke

_MARGIN: Final = 34.0
_SCALE: Final = 0.8
"""Pixels for each unit, where the page doesn't say otherwise."""


def svg(state: State, *, last: Move | None = None, before: State | None = None) -> str:
    """The position as a standalone SVG document, with what ``last``, the move that led to it, concerned marked.

    ``before``, the position ``last`` was played in, is taken as all drawings take it; a move of this game says enough without it. Raises
    TypeError for what is of another game.
    """
    known = sunda_state(state)
    points = [point_of(vertex) for vertex in known.inside.board.types] or [(0.0, 0.0)]
    left, right = min(x for x, _ in points) - 12, max(x for x, _ in points) + 12
    top, bottom = min(y for _, y in points) - 12, max(y for _, y in points) + 12
    beside, panel_height = panel(known)
    width = right - left + WIDTH + 3 * _MARGIN
    height = max(bottom - top, panel_height) + 2 * _MARGIN
    table_at = (_MARGIN - left, (height - top - bottom) / 2)
    panel_at = (right - left + 2 * _MARGIN, _MARGIN)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {number(width)} {number(height)}" '
        f'width="{width * _SCALE:.0f}" height="{height * _SCALE:.0f}" '
        'font-family="\'DejaVu Sans\',Verdana,\'Segoe UI\',sans-serif" font-weight="700" text-anchor="middle">\n'
        f"<title>{_title(known)}</title>\n<desc>{_description(known)}</desc>\n"
        f'<rect width="{number(width)}" height="{number(height)}" rx="18" fill="{PAPER}"/>\n'
        f'<g class="table" stroke-linejoin="round" {move_to(table_at)}>\n{_table(known, last)}</g>\n'
        f'<g class="panel" {move_to(panel_at)}>{beside}</g>\n</svg>\n'
    )


def sunda_state(state: State) -> SundaState:
    """The state as one of this game. Raises TypeError for another game's."""
    if not isinstance(state, SundaState):
        raise TypeError(f"{state.game.name} is not drawn here")
    return state


def _title(state: SundaState) -> str:
    return f"Sunda to Sahul, {setting(state)}: {status(state)}"


def _description(state: SundaState) -> str:
    """The table in words, for those who hear the picture."""
    board = state.inside.board
    islands = [still_open for body, still_open in board.islands.open.items() if board.types[body] == LAND]
    words = [f"{len(board.lies)} tiles make {len(islands)} islands, {islands.count(0)} of them complete"]
    words += [f"seat {seat} has {points} points" for seat, points in enumerate(state.points)]
    return "; ".join(words) + "."


def _table(state: SundaState, last: Move | None) -> str:
    """The land and the sea, the edges of the tiles, the marks, and above them what players have put there."""
    board = state.inside.board
    edges = [
        tile_edge(tile, placement, f'data-tile="{IDS[tile]}"').replace("/>", f">{tile_title(tile, placement)}</path>")
        for tile, placement in sorted(board.lies.items())
    ]
    faint = f'class="tiles" fill="#fff" fill-opacity="0" {stroke(INK, 1)} stroke-opacity=".34"'
    parts = [terrain_of(board).drawn(), f"<g {faint}>{''.join(edges)}</g>", *_marks(state, last), _pieces(state)]
    return "\n".join(part for part in parts if part) + "\n"


def _marks(state: SundaState, last: Move | None) -> list[str]:
    """The last tile, the vertices of the last move, and a triangular space that waits for its shift."""
    p = state.inside
    marks: list[str] = []
    if p.phase == MEND:
        space = p.board.spots.spaces_at(lozenge_of(p.board.lies[p.newest]))[0]
        shape = polygon([point_of(vertex) for vertex in corners_of_triangle(space)])
        marks.append(f'<path class="space" d="{shape}" fill="#d55e00" fill-opacity=".35" {stroke("#d55e00", 3)} stroke-dasharray="7 6"/>')
    if not isinstance(last, SundaMove):
        return marks
    if last.kind == SHIFT:
        shape = polygon([point_of(vertex) for vertex in corners_of(lozenge_of(last.first))])
        marks.append(f'<path class="left" d="{shape}" fill="none" {stroke(GOLD, 4)} stroke-dasharray="5 9"/>')
    if last.kind in {PLACE, SHIFT, START}:
        placement = 0 if last.kind == START else last.second
        tile = p.board.tile_on(lozenge_of(placement))
        if tile >= 0:
            marks.append(tile_edge(tile, p.board.lies[tile], f'class="last" fill="none" {stroke(GOLD, 5)}'))
    vertices = {CLAIM: [last.first], JOIN: [last.first], LAKE: [last.first], RESOURCE: [last.second], CHALLENGE: [last.first, last.second]}
    for vertex in vertices.get(last.kind, []):
        x, y = _place_of(state, vertex)
        marks.append(f'<circle class="last" cx="{number(x)}" cy="{number(y)}" r="23" fill="{GOLD}" fill-opacity=".3" {stroke(GOLD, 5)}/>')
    return marks


def _pieces(state: SundaState) -> str:
    """Nodes without a token, tribes, water rights and markers, from the north to the south."""
    p = state.inside
    board, claims = p.board, p.claims
    pieces: list[tuple[float, str]] = []
    for vertex, kind in board.types.items():
        if kind == LAND and vertex not in claims.tribes and board.is_closed(vertex):
            fill, radius = (GOLD, 8) if vertex in p.nodes else ("#ffffff", 4.5)
            x, y = point_of(vertex)
            circle = f'<circle class="node" cx="{number(x)}" cy="{number(y)}" r="{radius:g}" fill="{fill}" {stroke(INK, 1.3)}/>'
            pieces.append((y, circle))
    for vertex, tribe in claims.tribes.items():
        at = point_of(vertex)
        pieces.append((at[1], stack(tribe, at)))
    for lake, seat in claims.lakes.items():
        at = _place_of(state, lake)
        pieces.append((at[1], water_right(seat, at)))
    beside: dict[int, int] = {}
    for value, vertex in claims.markers:
        x, y = _place_of(state, vertex)
        shift = beside.get(vertex, 0)
        beside[vertex] = shift + 1
        pieces.append((y + 0.5, marker(value, (x + 25 + 24 * shift, y + 2))))
    pieces.sort()
    return f'<g class="pieces">{"".join(piece for _, piece in pieces)}</g>'


def _place_of(state: SundaState, vertex: int) -> Point:
    """Where a token or marker is drawn: at its vertex, or for a claimed lake at that vertex of it which lies nearest to its middle."""
    if vertex not in state.inside.claims.lakes:
        return point_of(vertex)
    islands = state.inside.board.islands
    points = sorted(point_of(member) for member in islands.members(islands.name[vertex]))
    x, y = sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)
    return min(points, key=lambda point: (point[0] - x) ** 2 + (point[1] - y) ** 2)
