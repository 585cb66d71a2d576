"""Moves of Sunda to Sahul in the words in which they are offered: tiles by their kind, and where by the compass, not in notation."""

from __future__ import annotations

from arena.web.play.move_picker.sunda_tray import direction, kind_of, middle_of
from engine.core import Move, View
from engine.core import State as Position
from engine.sunda.notation.moves import CHALLENGE, CLAIM, JOIN, LAKE, NOTHING, PLACE, RAID, RESOURCE, SEIZE, SHIFT, START, SundaMove
from engine.sunda.notation.parse import explain_move
from engine.sunda.render.drawing import sunda_state
from engine.sunda.render.layout import Point, point_of


def say(view: View[Position], move: Move, *, is_done: bool) -> str:  # the words are those of a move to be made
    """Return the move as a sentence without its subject. Where something lies is said of the board of the view."""
    assert isinstance(move, SundaMove), "it is of this game"
    board = sunda_state(view.position).inside.board

    def where(point: Point) -> str:
        return direction(board, point)

    first, second = move.first, move.second
    if move.kind == START:
        return "begins with open sea"
    if move.kind == PLACE:
        return f"lays {kind_of(first)} {where(middle_of(second))}"
    if move.kind == SHIFT:
        return f"moves the tile {where(middle_of(first))}, to close a gap"
    if move.kind == CLAIM:
        return f"puts a token on the new land node {where(point_of(first))}"
    if move.kind == JOIN:
        return f"wants to add a token to the tribe {where(point_of(first))}"
    if move.kind == LAKE:
        return f"claims the lake {where(point_of(first))}"
    if move.kind == RESOURCE:
        return f"adds the resource {first} {where(point_of(second))}"
    if move.kind == CHALLENGE:
        return f"challenges the tribe {where(point_of(second))} with the tribe {where(point_of(first))}"
    if move.kind == RAID:
        return f"raids seat {second} for {kind_of(first)}"
    if move.kind == SEIZE:
        more = "" if second == NOTHING else f" and {kind_of(second)}"
        return f"takes {kind_of(first)}{more} from the raider's pot"
    return explain_move(move)
