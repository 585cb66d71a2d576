"""What a move of Sunda to Sahul would do, drawn over the table before it: the edge of a tile, rings at vertices, who challenges whom."""

from __future__ import annotations

from engine.core import Move, State
from engine.render.sketch import LINE, Point, Sketch, around, arrow, middle, rimmed, ring
from engine.sunda.board.board import SundaBoard
from engine.sunda.board.trigrid import corners_of, lozenge_of
from engine.sunda.notation.moves import CHALLENGE, CLAIM, JOIN, LAKE, PLACE, RESOURCE, SHIFT, START, SundaMove
from engine.sunda.render.drawing import place_of
from engine.sunda.render.layout import point_of
from engine.sunda.render.panel import sunda_state
from engine.sunda.render.pictures import tile_edge

_TOKEN = 24.0


def sketch(state: State, move: Move) -> Sketch | None:
    """Return what the move would do in the state; None for one that is nowhere on the table.

    Raises TypeError for a state or a move of another game.
    """
    known = sunda_state(state)
    if not isinstance(move, SundaMove):
        raise TypeError(f"this sketches moves of sunda, not {type(move).__name__}")
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
