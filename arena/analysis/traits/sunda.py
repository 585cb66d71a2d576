"""The traits of moves of Sunda to Sahul: tiles by their kind, what they complete, tribes and lakes, and how many tokens are left."""

from __future__ import annotations

from typing import Final

from engine.core import Move, State
from engine.sunda.board.board import SundaBoard
from engine.sunda.board.tiles import LAND
from engine.sunda.notation.moves import (
    CLAIM,
    JOIN,
    PLACE,
    SKIP,
    SundaMove,
)
from engine.sunda.position import LAKE_RIGHT, LAND_RIGHT, RESOURCE_RIGHT
from engine.sunda.state import SundaState

_PASSED_UP: Final = {
    LAND_RIGHT: "passing up new land",
    LAKE_RIGHT: "passing up a lake",
    RESOURCE_RIGHT: "passing up a resource",
}


def traits(state: State, move: Move) -> list[str]:
    """Return the traits of a legal move."""
    assert isinstance(state, SundaState), "a position of this game"
    assert isinstance(move, SundaMove), "a move of this game"
    p = state.inside
    if move.kind == SKIP and p.phase in _PASSED_UP:
        return [_PASSED_UP[p.phase]]
    if move.kind not in {PLACE, CLAIM, JOIN} or p.ticks or state.actor is None:
        return []
    seat = state.actor
    after = state.copy()
    after.read_only = False
    after.play(move)
    found = []
    if move.kind == PLACE:
        done = _complete(after.inside.board) - _complete(p.board)
        found.append("completing an island" if done > 0 else "laying a tile that completes no island")
        if after.inside.nodes or after.inside.lakes:
            found.append("laying a tile that lets it claim something")
        else:
            found.append("laying a tile that claims nothing")
    gained = [now - before for now, before in zip(after.points, state.points, strict=True)]
    if any(gain > 0 for other, gain in enumerate(gained) if other != seat):
        found.append("giving a rival points")
    return found


def _complete(board: SundaBoard) -> int:
    """Return the number of complete islands."""
    return sum(still_open == 0 and board.types[body] == LAND for body, still_open in board.islands.open.items())
