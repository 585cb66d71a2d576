"""Applies a legal move to a position: turns, voyages, collapses and the end (RULES 3 to 6).

The ships of a full beach sail, and their landing may fill the next beach (``_go_on``). ``rules.legal`` checks whether a move is legal.
"""

from __future__ import annotations

from typing import Final

from engine.tongiaki.board.board import DELTA, cell_of
from engine.tongiaki.board.tiles import BEACH_OF_PIER, FIRST_BEACH, N_BEACHES, N_ISLANDS, NAMES, ROUTE_COLORS, ROUTE_EXIT, SHIPS
from engine.tongiaki.notation.moves import (
    CROWN,
    ENTER,
    EXPAND,
    LAND,
    LAY,
    PASS,
    PLACE,
    RECOLONISE,
    SAIL,
    SETTLE,
    TAKE,
    TongiakiMove,
)  # fmt: skip
from engine.tongiaki.position import LANDING, LAYING, OVER, SAILING, SETTLING, TAKEN, TURN, Ending, Position
from engine.tongiaki.rules.landing import packed_colors
from engine.tongiaki.rules.legal import DEPARTURES_GUARD, collapsing, returns, sail_moves

IDLE_ROUNDS: Final = 10

_DRAW: Final[list[str]] = [f"draw {name}" for name in NAMES]
_TURNS_BACK: Final[list[str]] = [f"turns back {name}" for name in NAMES]
_FAILS: Final[list[str]] = [f"fails {name}" for name in NAMES]
_STAYS: Final[list[str]] = [f"stays {name}" for name in NAMES]
_COLLAPSES: Final[list[str]] = [f"collapses {name}" for name in NAMES]
"""The texts of these events, by tile."""


def apply(state: Position, move: TongiakiMove) -> None:
    """Play a legal move in place."""
    state.events = ()
    state.moves = None
    state.drawn = None
    code = move.code
    if code == EXPAND:
        _expand(state, move.island, move.numbers)
    elif code == SAIL:
        _sail(state, move.island, move.numbers[0])
    elif code == LAND:
        _land(state, move)
    elif code == LAY:
        _lay(state, move.numbers)
    elif code == PLACE:
        _place(state, move.numbers[0])
    elif code == SETTLE:
        _put(state, FIRST_BEACH[state.target] + move.numbers[0])
        state.target = -1
        _end_turn(state)
    elif code == RECOLONISE:
        _recolonise(state)
    elif code == ENTER:
        for beach in move.numbers:
            _put(state, FIRST_BEACH[move.island] + beach)
        _go_on(state)
    elif code == TAKE:
        state.taken_from = FIRST_BEACH[move.island] + move.numbers[0]
        state.board.take(state.taken_from, state.active)
        state.supply[state.active] += 1
        state.phase = TAKEN
    elif code == CROWN:
        _crown(state, move.island)
    else:
        assert code == PASS
        _end_turn(state)


def _put(state: Position, beach: int) -> None:
    state.board.put(beach, state.active)
    state.supply[state.active] -= 1


def _give_back(state: Position, packed: int) -> None:
    seat = 0
    while packed:
        state.supply[seat] += packed & 15
        packed >>= 4
        seat += 1


def _place(state: Position, beach: int) -> None:
    _put(state, beach)
    state.placed += 1
    state.active = state.placed % state.players
    if state.placed == 2 * state.players:
        state.phase = TURN


def _expand(state: Position, island: int, beaches: tuple[int, ...]) -> None:
    state.taken_from = -1
    for beach in beaches:
        _put(state, FIRST_BEACH[island] + beach)
    _go_on(state)


def _crown(state: Position, island: int) -> None:
    for beach in range(FIRST_BEACH[island], FIRST_BEACH[island] + N_BEACHES[island]):
        _give_back(state, state.board.clear(beach))
    state.board.royal[island] = state.active
    state.supply[state.active] -= 1
    _end_turn(state)


def _recolonise(state: Position) -> None:
    """Move the seat's ships from all beaches back to its supply, then draw tiles until an island is drawn (RULES 3c)."""
    board = state.board
    for island in board.islands:
        if board.ashore[island] >> 4 * state.active & 15:
            for beach in range(FIRST_BEACH[island], FIRST_BEACH[island] + N_BEACHES[island]):
                for _ in range(board.packed[beach] >> 4 * state.active & 15):
                    board.take(beach, state.active)
                    state.supply[state.active] += 1
    state.recolonising = True
    _draw_to_hand(state)


def _draw(state: Position) -> int:
    tile = state.deck.pop()
    state.events = (*state.events, _DRAW[tile])
    return tile


def _draw_to_hand(state: Position) -> None:
    state.hand = _draw(state)
    state.phase = LAYING


def _put_down(state: Position, tile: int, cell: int, orientation: int) -> bool:
    """Lay a drawn tile and return whether the end is triggered; the last island or water of the deck triggers it (RULES 6)."""
    state.board.lay(tile, cell, orientation)
    state.laid = True
    if state.ending is None and not _is_left(state.deck, tile):
        state.ending = Ending.ISLANDS if tile < N_ISLANDS else Ending.WATERS
    return state.ending is not None


def _is_left(deck: list[int], tile: int) -> bool:
    for left in deck:
        if (left < N_ISLANDS) == (tile < N_ISLANDS):
            return True
    return False


def _lay(state: Position, numbers: tuple[int, ...]) -> None:
    tile = state.hand
    _put_down(state, tile, cell_of(numbers[0], numbers[1]), numbers[2])
    if tile >= N_ISLANDS:
        _draw_to_hand(state)
        return
    state.hand = -1
    if state.recolonising:
        state.target = tile
        state.phase = SETTLING
    else:
        _go_on(state)


def _sail(state: Position, island: int, side: int) -> None:
    if returns(state.board, island, side):
        state.returned[island] = state.returned.get(island, 0) + 1
    state.departures += 1
    group = state.board.clear(BEACH_OF_PIER[6 * island + side])
    target = _voyage(state, island, side, group)
    if target < 0:
        _go_on(state)
        return
    state.group = group
    state.target = target
    state.phase = LANDING


def _voyage(state: Position, island: int, side: int, group: int) -> int:
    """Sail the group, drawing tiles as needed, and return the island to land on, or -1 if it fails or stays on a water."""
    board = state.board
    colors = packed_colors(group)
    direction = (board.turned[island] + side) % 6
    tile = island
    last = False
    while True:
        ahead = board.near[6 * tile + direction]
        if ahead < 0:
            if state.ending is not None:
                _strand(state, tile, group)
                return -1
            ahead = _draw(state)
            last = _put_down(state, ahead, board.where[tile] + DELTA[direction], (direction + 3) % 6)
        tile = ahead
        if tile < N_ISLANDS:
            if board.royal[tile] < 0:
                return tile
            state.events = (*state.events, _TURNS_BACK[tile])
            return island
        entry = 6 * tile + (direction + 9 - board.turned[tile]) % 6
        if colors < ROUTE_COLORS[entry]:
            state.events = (*state.events, _FAILS[tile])
            _give_back(state, group)
            return -1
        if last:
            _strand(state, tile, group)
            return -1
        direction = (board.turned[tile] + ROUTE_EXIT[entry]) % 6


def _strand(state: Position, water: int, group: int) -> None:
    state.events = (*state.events, _STAYS[water])
    state.board.stranded[water] = state.board.stranded.get(water, 0) + group


def _land(state: Position, move: TongiakiMove) -> None:
    group = state.group
    first = FIRST_BEACH[state.target]
    for beach, seats in move.ships:
        for seat in seats:
            state.board.put(first + beach, seat)
            group -= 1 << 4 * seat
    _give_back(state, group)
    state.group = 0
    state.target = -1
    _go_on(state)


def _go_on(state: Position) -> None:
    """Continue the chain while a beach is full, collapsing islands before each departure (RULES 4 and 5), or end the turn."""
    if state.board.full and state.ending is None and _collapse(state) and (not state.board.islands or state.supply[state.active] == SHIPS):
        state.recolonising = False
        _draw_to_hand(state)
        return
    if not state.board.full:
        _end_turn(state)
        return
    if state.ending is not None and (state.departures >= DEPARTURES_GUARD or not sail_moves(state.board, True)):
        _end_turn(state)
        return
    state.phase = SAILING


def _collapse(state: Position) -> bool:
    doomed = collapsing(state.board, state.departures, state.returned)
    for island in doomed:
        state.events = (*state.events, _COLLAPSES[island])
        _give_back(state, state.board.remove(island))
        state.returned.pop(island, None)
    return bool(doomed)


def _end_turn(state: Position) -> None:
    state.idle = 0 if state.laid else state.idle + 1
    if state.ending is None and state.idle >= IDLE_ROUNDS * state.players:
        state.ending = Ending.IDLE
    state.laid = False
    state.recolonising = False
    state.departures = 0
    state.returned = {}
    if state.ending is not None:
        state.phase = OVER
    else:
        state.active = (state.active + 1) % state.players
        state.phase = TURN
