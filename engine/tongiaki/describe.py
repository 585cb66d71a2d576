"""Tongiaki in plain words: its rules for a first match (docs/rules/tongiaki.md has every detail), and any position."""

from __future__ import annotations

from typing import Final

from engine.core import State, View
from engine.description import seat_name, sentence, written
from engine.plugin import Chapter
from engine.text import counted
from engine.tongiaki.board.board import coordinates
from engine.tongiaki.board.tiles import BERTHS, FIRST_BEACH, N_BEACHES, N_ISLANDS, NAMES, PIERS, POINTS, WATERS
from engine.tongiaki.render.last_move import tongiaki_state
from engine.tongiaki.rules.landing import packed_seats
from engine.tongiaki.state import TongiakiState

RULES: Final = (
    Chapter(
        "What it is about",
        (
            "You lead a people of the South Seas. At the start all peoples live on one island, Tonga. Ships crowd its beaches, and"
            " a beach that is full sends all its ships out to sea, yours and everybody else's together. Voyages discover islands and"
            " stretches of water, tile by tile.",
            "At the end each island is worth its points to everybody who has a ship there. So you want to be on many islands, and"
            " you need the others to get there: many waters can only be crossed by ships of several colours.",
        ),
    ),
    Chapter(
        "The board",
        (
            "- An island shows its points and two to six beaches. A beach has a number of berths, one for each ship, and one or"
            " more piers by which ships leave. Ships may arrive from any side, with or without a pier.",
            "- A water shows foam routes, each from one of its sides to another. A number on a route says how many different"
            " colours a group of ships needs to pass; a route without a number lets everybody pass.",
            "- The small red crest marks a tile's first side. A tile that is discovered is laid with its crest towards the ships"
            " that discover it.",
        ),
    ),
    Chapter(
        "Your turn",
        (
            "At the beginning everybody puts two ships on Tonga. After that, do exactly one of these in your turn:",
            "- Expand: choose an island where you have ships, and put one new ship on each of as many of its beaches as you have"
            " ships there (fewer only if there are fewer beaches, or fewer ships in your supply). The number is fixed, the beaches"
            " are your choice.",
            "- Found a royal island: on an island other than Tonga where only you have ships, one of them becomes its king and the"
            " rest come back to your supply. Its points are yours, and nobody can enter, leave or cross it any more. You may do this"
            " twice in a game.",
            "- Colonise anew: take all your ships off the beaches, then draw tiles and lay them wherever they touch the map until"
            " you draw an island. Put one ship there. It costs you everything you held, so it is a way out of trouble.",
            "- Enter: if you have no ship on any beach, put two on Tonga, or one on any other island that is not royal.",
            "With an empty supply you may first take one of your ships off a beach and expand with that one, or pass.",
        ),
    ),
    Chapter(
        "Voyages",
        (
            "When the last berth of a beach is taken, all ships on that beach must sail together, even if most are not yours. If it"
            " is your turn, you choose which full beach goes first and by which of its piers.",
            "- Into an empty place: draw a tile and lay it there.",
            "- Onto a water: the group follows the route from the side where it comes in. If it has fewer colours than the route"
            " asks, the voyage fails and every ship goes back to its owner's supply.",
            "- Onto an island: it lands. You share the ships out among the beaches with free berths: each of them gets one while"
            " there are enough ships. Ships for which there is no berth go back to their owners.",
            "- To a royal island: the group turns round and goes back the way it came.",
            "A landing can fill other beaches, whose ships sail on in the same turn.",
            "Very rarely every way from a crowded island leads back to it. Then it sinks: its tile leaves the game, and its ships"
            " go back to their owners.",
        ),
    ),
    Chapter(
        "The end",
        (
            "When the last island or the last water is laid, the turn is played out without drawing more tiles, and the game is"
            " over. It also ends when nobody has discovered anything for ten rounds.",
            "You score the points of every island on which you have a ship, royal islands included. Tonga scores nothing. If it is"
            " a tie, more islands decide, then fewer ships on the board.",
        ),
    ),
    Chapter(
        "For your first match",
        (
            "- Fill a beach that has several colours: only mixed groups cross the difficult waters.",
            "- A beach you share sails when anybody fills it, so the others move your ships as well. Spread out.",
            "- A royal island is safe, but it is closed: found it where you are alone and have little left to win.",
        ),
    ),
)


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


def _name(tile: int) -> str:
    """Return a tile's name as in moves, but with spaces."""
    return NAMES[tile].replace("_", " ")


def _water(view: View[State], state: TongiakiState, tile: int) -> str:
    water = WATERS[tile - N_ISLANDS]
    routes = ", ".join(f"{a} to {b} for {counted(colors, 'colour')}" for (a, b), colors in water.routes)
    stranded = state.board.stranded.get(tile, 0)
    there = f" Stranded there: {_ships(view, stranded)}." if stranded else ""
    return f"Water {_name(tile)} {_place(state, tile)}: routes {routes}.{there}"


def _ships(view: View[State], packed: int) -> str:
    seats = packed_seats(packed)
    return ", ".join(f"{counted(seats.count(seat), 'ship')} of {seat_name(view, seat)}" for seat in sorted(set(seats)))
