"""What the tests of Tongiaki share: positions from text, moves by their notation, and what a position shows. It asserts nothing."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import cast

from engine.core import Move, State, View
from engine.tongiaki import TONGIAKI, TongiakiState
from engine.tongiaki.board.board import coordinates
from engine.tongiaki.board.tiles import FIRST_BEACH, N_BEACHES, N_ISLANDS, NAMES, SHIPS
from engine.tongiaki.rules.landing import packed_seats

ROOT = Path(__file__).parents[3]
VECTORS = sorted((ROOT / "tests/vectors/tongiaki").glob("*.json"))
DECK = "deck W02 Mangareva W04 Rarotonga"
SMALL = """tongiaki
players 3
decides 1 turn
Tonga 0,0 0: 01 0 - 2 - 1
Samoa 1,-1 4: 0 112 -
Nauru -1,0 2 royal 2
W05 0,1 1
"""
"""A position to draw."""


def position(text: str, deck: str = DECK) -> TongiakiState:
    """The position of that text; with the deck ``DECK`` where it writes none."""
    return TONGIAKI.position(text if "deck" in text else f"{text}\n{deck}")


def played(state: TongiakiState, *moves: str) -> TongiakiState:
    """The state, after those moves."""
    for move in moves:
        state.play(TONGIAKI.parse(move))
    return state


def listed(state: State, *words: str) -> list[str]:
    """The legal moves as texts: all, or those that begin with one of the words."""
    return [str(move) for move in state.legal_moves if not words or str(move).split(" ")[0] in words]


def line(state: TongiakiState, name: str) -> str | None:
    """The line of the position's text that begins with the word."""
    return next((row for row in state.text.splitlines() if row.split(" ")[0] == name), None)


def somewhere(players: int, seed: int, moves: int) -> TongiakiState:
    """The position after that many random moves, or where the game ended before."""
    state = TONGIAKI.new(players, seed)
    rng = Random(seed)
    for _ in range(moves):
        if state.actor is None:
            break
        state.play(state.legal_moves.random(rng))
    return state


def ships_counted(state: TongiakiState) -> list[int]:
    """The ships of each seat, wherever they are."""
    board = state.board
    ships = list(state.supply)
    for packed in (*board.packed, *board.stranded.values(), state.group):
        for seat in packed_seats(packed):
            ships[seat] += 1
    for seat in board.royal:
        if seat >= 0:
            ships[seat] += 1
    return ships


def picture(state: TongiakiState) -> dict[str, object]:
    """All there is to see, in the words of ``plain.Plain.board``."""
    board = state.board
    tiles = [(coordinates(cell), tile) for cell, tile in board.cells.items()]
    islands = [(cell, tile) for cell, tile in tiles if tile < N_ISLANDS]
    return {
        "tiles": sorted((cell, NAMES[tile], board.turned[tile]) for cell, tile in tiles),
        "ships": sorted(
            (cell, [list(packed_seats(board.packed[FIRST_BEACH[tile] + beach])) for beach in range(N_BEACHES[tile])])
            for cell, tile in islands
        ),
        "royal": sorted((cell, board.royal[tile]) for cell, tile in islands if board.royal[tile] >= 0),
        "waters": sorted((cell, list(packed_seats(board.stranded[tile]))) for cell, tile in tiles if tile in board.stranded),
        "supply": state.supply,
        "deck": [NAMES[tile] for tile in reversed(state.deck)],
        "hand": NAMES[state.hand] if state.hand >= 0 else None,
    }


def fifteen_each(state: TongiakiState) -> bool:
    """Whether no ship was lost or made."""
    return ships_counted(state) == [SHIPS] * state.players


def parsed(text: str) -> Move:
    """The move of that notation."""
    return TONGIAKI.parse(text)


def view_of(state: TongiakiState, seat: int) -> View[TongiakiState]:
    """``state.view(seat)``, as what it is at this game."""
    return cast("View[TongiakiState]", state.view(seat))
