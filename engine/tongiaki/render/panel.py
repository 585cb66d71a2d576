"""The side panel of a Tongiaki picture: the pending decision, the deck, the tile in hand or the group about to land, and the legend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.core import State
from engine.render.scene import BoardSummary, Box, Supply, Symbol
from engine.render.svg import move_to, stroke
from engine.text import counted
from engine.tongiaki.board.tiles import N_ISLANDS, SHIPS
from engine.tongiaki.position import Ending, Phase
from engine.tongiaki.render.last_move import tongiaki_state
from engine.tongiaki.render.pictures import GOLD, TILE_BOX, badge, beach_picture, mask, ship, tile_name, tile_picture
from engine.tongiaki.rules.landing import packed_seats
from engine.tongiaki.state import TongiakiState

ENDINGS: Final[Mapping[str, str]] = {
    Ending.ISLANDS: "the last island is laid",
    Ending.WATERS: "the last water is laid",
    Ending.IDLE: "no tile was laid for too long",
}


def status(state: TongiakiState) -> str:
    """Return the pending decision in words."""
    seat = f"Seat {state.active}"
    target = tile_name(state.target) if state.target >= 0 else ""
    words = {
        Phase.SETUP: f"{seat} places a ship on Tonga",
        Phase.TURN: f"{seat} is to move",
        Phase.TAKEN: f"{seat} expands with the ship taken",
        Phase.LAY: f"{seat} lays the tile in hand",
        Phase.SETTLE: f"{seat} settles on {target}",
        Phase.SAIL: f"{seat}: a full beach must sail",
        Phase.LAND: f"{seat} lands on {target}",
    }
    if state.ending is not None and state.phase is Phase.OVER:
        return f"Over: {ENDINGS[state.ending]}"
    return words[state.phase]


def _deck(state: TongiakiState) -> str:
    islands = sum(tile < N_ISLANDS for tile in state.deck)
    return f"undrawn: {counted(islands, 'island')}, {counted(len(state.deck) - islands, 'water')}"


def _group(state: TongiakiState) -> str:
    return "".join(ship(seat, (14 + 21 * index, 28)) for index, seat in enumerate(packed_seats(state.group)))


def summarize(state: State) -> BoardSummary:
    """Return the text next to the board on a page. Raises TypeError for a state of a different game."""
    state = tongiaki_state(state)
    waiting: tuple[Symbol, ...] = ()
    if state.phase is Phase.LAY:
        waiting = (Symbol(f"in hand: {tile_name(state.hand)}", tile_picture(state.hand), TILE_BOX),)
    elif state.phase is Phase.LAND:
        size = len(packed_seats(state.group))
        box = Box(0, 8, 28 + 21 * (size - 1), 40)
        waiting = (Symbol(f"to land on {tile_name(state.target)}", f'<g font-size="13">{_group(state)}</g>', box),)
    return BoardSummary(status(state), (_deck(state),), state.tally(), waiting)


def supply(state: State) -> Supply:
    """Return the supply of ships, with the number that each seat has at the start."""
    return Supply("supply", "ship", SHIPS)


def legend(state: State) -> tuple[Symbol, ...]:
    """Return the legend of the signs on the board."""
    return LEGEND


_SIGN: Final = Box(0, -16, 32, 32)
LEGEND: Final = (
    Symbol("a ship of seat 0; its bow points to the sea", f'<g font-size="13">{ship(0, (16, 0))}</g>', _SIGN),
    Symbol("a beach with free berths", beach_picture((16, 0), full=False), _SIGN),
    Symbol("a full beach: its ships must sail", beach_picture((16, 0), full=True), _SIGN),
    Symbol("a pier: ships of its beach sail from here", f'<use href="#tg-pier" {move_to((16, 62), scale=0.85)}/>', _SIGN),
    Symbol("a group of 3 or more colours may pass", badge(3, (16, 0)), _SIGN),
    Symbol("a royal island, here of seat 0", mask(0, (16, 0), 0.48), _SIGN),
    Symbol("the crest, side 0 of a tile", f'<use href="#tg-crest" {move_to((16, 79))}/>', _SIGN),
    Symbol("the last move", f'<rect x="4" y="-9" width="24" height="18" rx="4" fill="none" {stroke(GOLD, 4)}/>', _SIGN),
)
"""The meanings of the signs on the board."""
