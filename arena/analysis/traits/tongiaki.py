"""The traits of moves of Tongiaki: where ships go, what they leave, royal islands, and what is left of the deck."""

from __future__ import annotations

from engine.core import Move, State
from engine.tongiaki.board.board import EMPTY, FAILS
from engine.tongiaki.board.tiles import BEACH_OF_PIER, BERTHS, FIRST_BEACH
from engine.tongiaki.notation.moves import CROWN, EXPAND, LAND, SAIL, TAKE, TongiakiMove
from engine.tongiaki.position import Phase
from engine.tongiaki.rules.landing import packed_colors, packed_seats
from engine.tongiaki.state import TongiakiState


def _target(state: TongiakiState, move: TongiakiMove) -> int:
    """Return where a voyage leads, as ``TongiakiBoard.voyage`` does."""
    packed = state.board.packed[BEACH_OF_PIER[6 * move.island + move.numbers[0]]]
    return state.board.voyage(move.island, move.numbers[0], packed_colors(packed))


def traits(state: State, move: Move) -> list[str]:
    """Return the traits of a legal move."""
    assert isinstance(state, TongiakiState), "a position of this game"
    assert isinstance(move, TongiakiMove), "a move of this game"
    code = move.code
    found = ["passing up a royal island"] if code != CROWN and _may_crown(state) else []
    if code == EXPAND:
        board = state.board
        beaches = [FIRST_BEACH[move.island] + number for number in move.numbers]
        fills = any(board.count[beach] + 1 == BERTHS[beach] for beach in beaches)
        found.append("filling a beach" if fills else "expanding without filling a beach")
    elif code == TAKE:
        if state.board.ships_of(state.active, move.island) == 1:
            found.append("taking its last ship off an island")
    elif code == SAIL:
        found.extend(_voyage(state, move))
    elif code == LAND and not move.ships:
        found.append("landing on a full island")
    elif code == LAND and sum(len(seats) for _, seats in move.ships) < len(packed_seats(state.group)):
        found.append("landing on an island without berths for all")
    return found


def _voyage(state: TongiakiState, move: TongiakiMove) -> list[str]:
    board, seat = state.board, state.active
    packed = board.packed[BEACH_OF_PIER[6 * move.island + move.numbers[0]]]
    target = _target(state, move)
    seats = set(packed_seats(packed))
    rest = board.ashore[move.island] - packed
    found = []
    if seat in seats and not rest >> 4 * seat & 15 and board.royal[move.island] != seat:
        found.append("leaving an island for good")
    if target == FAILS:
        return [*found, "sailing a route that fails"]
    if target == EMPTY:
        found.append("sailing out for a new island")
        return [*found, "taking rivals along"] if seats - {seat} else found
    if target == move.island:
        return [*found, "sailing to a royal island"]
    held = board.ashore[target] >> 4 * seat & 15
    found.append("sailing to an island that it held" if held else "sailing to an island that it did not hold")
    if any(not board.ashore[target] >> 4 * other & 15 for other in seats - {seat}):
        found.append("taking rivals along")
    return found


def _may_crown(state: TongiakiState) -> bool:
    return state.phase == Phase.TURN and any(isinstance(each, TongiakiMove) and each.code == CROWN for each in state.list_moves())
