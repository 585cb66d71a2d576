"""A position of Tongiaki in plain words."""

from __future__ import annotations

from typing import Final

from engine.core import State, View
from engine.description import counted, seat_name, sentence, written
from engine.tongiaki.board.board import coordinates
from engine.tongiaki.board.tiles import BERTHS, FIRST_BEACH, N_BEACHES, N_ISLANDS, NAMES, PIERS, POINTS, WATERS
from engine.tongiaki.render.last_move import tongiaki_state
from engine.tongiaki.rules.landing import packed_seats
from engine.tongiaki.state import TongiakiState

_RULES: Final = (
    "Ships spread over islands of hexagons. In your turn you do one thing: expand on an island where you have ships, by one new ship on"
    " each of as many of its beaches as you have ships there; or make an island that only you hold royal, which closes it for everybody; or"
    " take all your ships back and colonise anew; or enter, if you have no ship on a beach.",
    "When every berth of a beach is taken, all its ships, of all seats, must sail by one of its piers. They discover a tile in an empty"
    " cell, cross a water only if they have as many colours as its route asks, and land on the island that they reach; otherwise they go"
    " back to their owners. Each island is worth its points to everybody with a ship on it. The game ends when the last island or water is"
    " laid.",
    "Cells are q,r; direction 0 is north, and 1 to 5 go on clockwise. A tile that lies turned by n has its side 0 in direction n.",
)


def describe(view: View[State]) -> str:
    """Return rules, position and legal moves in plain words, as far as the seat knows them."""
    state = tongiaki_state(view.position)
    board = [_island(view, state, island) for island in state.board.islands]
    board += [_water(view, state, tile) for tile in range(N_ISLANDS, len(NAMES)) if state.board.where[tile] >= 0]
    if state.hand >= 0:
        board.append(f"In hand, still to be laid: {_name(state.hand)}.")
    if state.group:
        board.append(f"About to land on {_name(state.target)}: {_ships(view, state.group)}.")
    return written(view, rules=_RULES, board=board)


def _name(tile: int) -> str:
    return NAMES[tile].replace("_", " ")


def _place(state: TongiakiState, tile: int) -> str:
    q, r = coordinates(state.board.where[tile])
    return f"at {q},{r}, turned by {state.board.turned[tile]}"


def _island(view: View[State], state: TongiakiState, island: int) -> str:
    beaches = []
    for number, beach in enumerate(range(FIRST_BEACH[island], FIRST_BEACH[island] + N_BEACHES[island])):
        piers = ", ".join(map(str, PIERS[beach]))
        packed = state.board.packed[beach]
        there = f" with {_ships(view, packed)}" if packed else ", empty"
        beaches.append(f"beach {number}: {counted(BERTHS[beach], 'berth')}{there}; {'piers' if len(PIERS[beach]) > 1 else 'pier'} {piers}")
    royal = state.board.royal[island]
    owner = f", royal island of {seat_name(view, royal)}" if royal >= 0 else ""
    points = counted(POINTS[island], "point")
    return f"Island {_name(island)} {_place(state, island)}, {points}{owner}. {'. '.join(map(sentence, beaches))}."


def _water(view: View[State], state: TongiakiState, tile: int) -> str:
    water = WATERS[tile - N_ISLANDS]
    routes = ", ".join(f"{a} to {b} for {counted(colors, 'colour')}" for (a, b), colors in water.routes)
    stranded = state.board.stranded.get(tile, 0)
    there = f" Stranded there: {_ships(view, stranded)}." if stranded else ""
    return f"Water {_name(tile)} {_place(state, tile)}: routes {routes}.{there}"


def _ships(view: View[State], packed: int) -> str:
    seats = packed_seats(packed)
    return ", ".join(f"{counted(seats.count(seat), 'ship')} of {seat_name(view, seat)}" for seat in sorted(set(seats)))
