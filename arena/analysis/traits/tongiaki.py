"""The traits of moves of Tongiaki: where ships go, what they leave, royal islands, and what is left of the deck."""

from __future__ import annotations

from typing import Final

from arena.analysis.traits.base import Traits
from engine.core import Move, State
from engine.render.drawing import describe_move
from engine.tongiaki.board.board import EMPTY, FAILS
from engine.tongiaki.board.tiles import BEACH_OF_PIER, BERTHS, FIRST_BEACH
from engine.tongiaki.notation.moves import CROWN, EXPAND, LAND, LAY, RECOLONISE, SAIL, SETTLE, TAKE, Kind, TongiakiMove
from engine.tongiaki.position import Phase
from engine.tongiaki.render.pictures import tile_name
from engine.tongiaki.rules.landing import packed_colors, packed_seats
from engine.tongiaki.state import TongiakiState

_KINDS: Final = {
    Kind.PLACE: "first ships",
    Kind.EXPAND: "expansions",
    Kind.TAKE: "ships taken back",
    Kind.PASS: "passes",
    Kind.CROWN: "crownings",
    Kind.RECOLONISE: "recolonisations",
    Kind.ENTER: "recolonisations",
    Kind.LAY: "tile placements",
    Kind.SETTLE: "settlements",
    Kind.SAIL: "voyages",
    Kind.LAND: "landings",
}


def traits(state: State, move: Move) -> Traits:
    """Return the traits of a legal move."""
    assert isinstance(state, TongiakiState), "a position of this game"
    assert isinstance(move, TongiakiMove), "a move of this game"
    return Traits(_KINDS[move.kind], _deed(state, move), tuple(_habits(state, move)))


def _deed(state: TongiakiState, move: TongiakiMove) -> str:
    code = move.code
    if code == EXPAND:
        return f"expanding on {tile_name(move.island)}"
    if code == TAKE:
        return f"taking a ship off {tile_name(move.island)}"
    if code == CROWN:
        return f"making {tile_name(move.island)} a royal island"
    if code == RECOLONISE:
        return "recolonising"
    if code == SAIL:
        target = _target(state, move)
        where = f"to {tile_name(target)}" if target >= 0 else describe_move(state, move).rpartition(" ")[2]
        return f"sailing from {tile_name(move.island)} {where}"
    if code == LAND:
        return f"landing on {tile_name(state.target)}"
    if code == SETTLE:
        return describe_move(state, move).replace("settles", "settling", 1)
    return describe_move(state, move).replace("lays the tile", "laying the tile", 1) if code == LAY else ""


def _target(state: TongiakiState, move: TongiakiMove) -> int:
    """Return where a voyage leads, as ``TongiakiBoard.voyage`` does."""
    packed = state.board.packed[BEACH_OF_PIER[6 * move.island + move.numbers[0]]]
    return state.board.voyage(move.island, move.numbers[0], packed_colors(packed))


def _habits(state: TongiakiState, move: TongiakiMove) -> list[str]:
    code = move.code
    habits = ["passing up a royal island"] if code != CROWN and _may_crown(state) else []
    if code == EXPAND:
        board = state.board
        beaches = [FIRST_BEACH[move.island] + number for number in move.numbers]
        fills = any(board.count[beach] + 1 == BERTHS[beach] for beach in beaches)
        habits.append("filling a beach" if fills else "expanding without filling a beach")
    elif code == TAKE:
        if state.board.ships_of(state.active, move.island) == 1:
            habits.append("taking its last ship off an island")
    elif code == SAIL:
        habits.extend(_voyage(state, move))
    elif code == LAND and not move.ships:
        habits.append("landing on a full island")
    elif code == LAND and sum(len(seats) for _, seats in move.ships) < len(packed_seats(state.group)):
        habits.append("landing on an island without berths for all")
    return habits


def _voyage(state: TongiakiState, move: TongiakiMove) -> list[str]:
    board, seat = state.board, state.active
    packed = board.packed[BEACH_OF_PIER[6 * move.island + move.numbers[0]]]
    target = _target(state, move)
    seats = set(packed_seats(packed))
    rest = board.ashore[move.island] - packed
    habits = []
    if seat in seats and not rest >> 4 * seat & 15 and board.royal[move.island] != seat:
        habits.append("leaving an island for good")
    if target == FAILS:
        return [*habits, "sailing a route that fails"]
    if target == EMPTY:
        habits.append("sailing out for a new island")
        return [*habits, "taking rivals along"] if seats - {seat} else habits
    if target == move.island:
        return [*habits, "sailing to a royal island"]
    held = board.ashore[target] >> 4 * seat & 15
    habits.append("sailing to an island that it held" if held else "sailing to an island that it did not hold")
    if any(not board.ashore[target] >> 4 * other & 15 for other in seats - {seat}):
        habits.append("taking rivals along")
    return habits


def _may_crown(state: TongiakiState) -> bool:
    return state.phase == Phase.TURN and any(isinstance(each, TongiakiMove) and each.code == CROWN for each in state.list_moves())
