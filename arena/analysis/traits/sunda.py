"""The traits of moves of Sunda to Sahul: tiles by their kind, what they complete, tribes and lakes, and how many tokens are left."""

from __future__ import annotations

from typing import Final

from arena.analysis.traits.base import Traits
from engine.core import Move, State
from engine.render.drawing import describe_move
from engine.sunda.board.board import SundaBoard
from engine.sunda.board.tiles import LAND
from engine.sunda.notation.moves import (
    ACCEPT,
    AGREE,
    CHALLENGE,
    CLAIM,
    JOIN,
    KIND_WORDS,
    LAKE,
    PLACE,
    RAID,
    RESOURCE,
    SEIZE,
    SHIFT,
    SKIP,
    SundaMove,
)
from engine.sunda.position import FIGHT, LAKE_RIGHT, LAND_RIGHT, RESOURCE_RIGHT
from engine.sunda.state import SundaState

_KINDS: Final = {
    PLACE: "tile placements",
    SHIFT: "shifts of tiles",
    CLAIM: "claims of land",
    JOIN: "tokens for tribes",
    ACCEPT: "answers to a token",
    LAKE: "lakes",
    RESOURCE: "resources",
    CHALLENGE: "challenges",
    RAID: "raids",
    SEIZE: "tiles taken after a raid",
    AGREE: "offers to end the game",
}
_GERUNDS: Final = {
    "lays": "laying",
    "moves": "moving",
    "puts": "putting",
    "wants": "wanting",
    "claims": "claiming",
    "adds": "adding",
    "challenges": "challenging",
    "raids": "raiding",
    "takes": "taking",
}
_PASSED_UP: Final = {
    LAND_RIGHT: "passing up new land",
    LAKE_RIGHT: "passing up a lake",
    RESOURCE_RIGHT: "passing up a resource",
}


def traits(state: State, move: Move) -> Traits:
    """Return the traits of a legal move."""
    assert isinstance(state, SundaState), "a position of this game"
    assert isinstance(move, SundaMove), "a move of this game"
    verb, _, rest = describe_move(state, move).partition(" ")
    deed = f"{_GERUNDS[verb]} {rest}" if verb in _GERUNDS else ""
    if move.kind == SKIP:
        deed = _PASSED_UP.get(state.inside.phase, "challenging nobody" if state.inside.phase == FIGHT else "")
    kind = _KINDS.get(move.kind, f"'{KIND_WORDS[move.kind]}' decisions")
    return Traits(kind, deed, tuple(_habits(state, move)))


def _habits(state: SundaState, move: SundaMove) -> list[str]:
    p = state.inside
    if move.kind == SKIP and p.phase in _PASSED_UP:
        return [_PASSED_UP[p.phase]]
    if move.kind not in {PLACE, CLAIM, JOIN} or p.ticks or state.actor is None:
        return []
    seat = state.actor
    after = state.copy()
    after.read_only = False
    after.play(move)
    habits = []
    if move.kind == PLACE:
        done = _complete(after.inside.board) - _complete(p.board)
        habits.append("completing an island" if done > 0 else "laying a tile that completes no island")
        if after.inside.nodes or after.inside.lakes:
            habits.append("laying a tile that lets it claim something")
        else:
            habits.append("laying a tile that claims nothing")
    gained = [now - before for now, before in zip(after.points, state.points, strict=True)]
    if any(gain > 0 for other, gain in enumerate(gained) if other != seat):
        habits.append("giving a rival points")
    return habits


def _complete(board: SundaBoard) -> int:
    """Return the number of complete islands."""
    return sum(still_open == 0 and board.types[body] == LAND for body, still_open in board.islands.open.items())
