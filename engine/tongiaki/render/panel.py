"""The panel beside the board in a picture of Tongiaki: seats, supplies, points, the deck, the tile in hand or the group about to land.

``panel`` draws it for a picture; pages, which have a layout of their own, use ``summarize``, ``legend`` and ``supply``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from engine.core import State
from engine.render.scene import BoardSummary, Box, Supply, Symbol
from engine.render.svg import fitted, from_one, move_to, stroke, text
from engine.text import counted
from engine.tongiaki.board.tiles import N_ISLANDS, SHIPS
from engine.tongiaki.position import Ending, Phase
from engine.tongiaki.render.last_move import tongiaki_state
from engine.tongiaki.render.pictures import GOLD, TILE_BOX, badge, beach_picture, mask, ship, tile_name, tile_picture
from engine.tongiaki.rules.landing import packed_seats
from engine.tongiaki.state import TongiakiState

WIDTH: Final = 400.0
_LIGHT: Final = "#e8f4fa"
_DIM: Final = "#9cc3d9"
_THIN: Final = 'font-weight="400"'
_ROW: Final = 92.0
_PLACES: Final = ("1st", "2nd", "3rd", "4th", "5th", "6th")
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


def panel(state: TongiakiState, names: Sequence[str] = ()) -> tuple[str, float]:
    """Return the panel with its upper left corner at (0, 0), and its height; ``names`` are those of the players, by seat."""
    parts = [
        text("Tongiaki", (0, 38), 38, _LIGHT, 'letter-spacing="1"'),
        text(from_one(status(state), names), (0, 72), 19, _LIGHT),
        text(_deck(state), (0, 100), 17, _DIM, _THIN),
    ]
    y = 124.0
    for seat in range(state.players):
        parts.append(
            f'<g class="seat" data-seat="{seat}" {move_to((0, y))}>{_seat(state, seat, names[seat] if names else f"Seat {seat + 1}")}</g>'
        )
        y += _ROW + 8
    for drawn, height in (_waiting(state), _key()):
        if drawn:
            parts.append(f"<g {move_to((0, y + 12))}>{drawn}</g>")
            y += height + 12
    return f'<g text-anchor="start">{"".join(parts)}</g>', y


def _deck(state: TongiakiState) -> str:
    islands = sum(tile < N_ISLANDS for tile in state.deck)
    return f"undrawn: {counted(islands, 'island')}, {counted(len(state.deck) - islands, 'water')}"


def _seat(state: TongiakiState, seat: int, name: str) -> str:
    """Return a row: the seat's ship and name, points, supply and royal islands, and its rank when the game is over."""
    board, outcome = state.board, state.outcome
    frame = stroke(GOLD, 3) if state.actor == seat else stroke("#2d6186", 1.5)
    parts = [
        f'<rect width="{WIDTH:g}" height="{_ROW:g}" rx="12" fill="#123f5f" {frame}/>',
        f'<g text-anchor="middle" font-size="13" {move_to((32, 46), scale=1.7)}>{ship(seat, (0, 0))}</g>',
        text(fitted(name, 250, 18), (64, 28), 18, _LIGHT),
        text(counted(board.points(seat), "point"), (388, 29), 20, _LIGHT, 'text-anchor="end"'),
        text(counted(board.islands_held(seat), "island"), (64, 54), 15, _DIM, _THIN),
        _supply(state.supply[seat]),
        '<g text-anchor="middle">',
        *(mask(seat, (154 + 28 * index, 50), 0.5) for index in range(board.royals(seat))),
        "</g>",
        text(_PLACES[outcome.ranks[seat] - 1], (388, 79), 20, GOLD, 'text-anchor="end"') if outcome else "",
    ]
    return "".join(parts)


def _supply(ships: int) -> str:
    """Return the supply as a row of pegs, empty ones for the ships on the board, and as a number."""
    pegs = "".join(
        f'<rect x="{64 + 13 * index}" y="66" width="9" height="14" rx="3" fill-opacity="{int(index < ships)}"/>' for index in range(SHIPS)
    )
    return f'<g fill="{_LIGHT}" {stroke("#7fb0cc", 1)}>{pegs}</g>{text(f"{ships} left", (266, 79), 16, _DIM, _THIN)}'


def _waiting(state: TongiakiState) -> tuple[str, float]:
    """Return the tile in hand, or the group about to land, and its height; an empty text and 0 otherwise."""
    if state.phase is Phase.LAY:
        name, picture = tile_name(state.hand), tile_picture(state.hand)
        words = text("in hand:", (210, 84), 19, _LIGHT) + text(name, (210, 110), 19, _LIGHT)
        return f'<g class="hand" text-anchor="middle" stroke-linejoin="round" {move_to((100, 90))}>{picture}</g>{words}', 185
    if state.phase is Phase.LAND:
        words = text(f"to land on {tile_name(state.target)}:", (0, 14), 19, _LIGHT)
        return f'{words}<g class="group" text-anchor="middle" font-size="13" {move_to((0, 6), scale=1.35)}>{_group(state)}</g>', 75
    return "", 0


def _group(state: TongiakiState) -> str:
    return "".join(ship(seat, (14 + 21 * index, 28)) for index, seat in enumerate(packed_seats(state.group)))


def summarize(state: State) -> BoardSummary:
    """Return the text beside the board of a page. Raises TypeError for a state of another game."""
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
    """Return the supply that the seats use up: ships."""
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
"""What the signs on the board mean."""


def _key() -> tuple[str, float]:
    drawn = "".join(
        f'<g {move_to((0, 14 + 32 * index))}><g text-anchor="middle">{sign.markup}</g>'
        f"{text(from_one(sign.words), (42, 5.5), 16, _DIM, _THIN)}</g>"
        for index, sign in enumerate(LEGEND)
    )
    return drawn, 32.0 * len(LEGEND)
