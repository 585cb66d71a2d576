"""What stands beside the board in a picture of Tongiaki: seats, supplies and points, the deck, the tile in hand, a group about to land."""

from __future__ import annotations

from typing import Final

from engine.tongiaki.landing import packed_seats
from engine.tongiaki.pictures import GOLD, badge, island_picture, mask, ship, water_picture
from engine.tongiaki.state import Ending, Phase, TongiakiState
from engine.tongiaki.tiles import N_BEACHES, N_ISLANDS, NAMES

WIDTH: Final = 400.0
_LIGHT: Final = "#e8f4fa"
_DIM: Final = "#9cc3d9"
_ROW: Final = 74.0
_PLACES: Final = ("1st", "2nd", "3rd", "4th", "5th", "6th")
_ENDINGS: Final = {
    Ending.ISLANDS: "the last island is laid",
    Ending.WATERS: "the last water is laid",
    Ending.IDLE: "no tile was laid for too long",
}


def status(state: TongiakiState) -> str:
    """What is to be decided, in words."""
    seat = f"Seat {state.active}"
    target = NAMES[state.target].replace("_", " ") if state.target >= 0 else ""
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
        return f"The game is over: {_ENDINGS[state.ending]}"
    return words[state.phase]


def panel(state: TongiakiState) -> tuple[str, float]:
    """The panel with its upper left corner at (0, 0), and its height."""
    parts = [
        f'<text y="38" font-size="38" fill="{_LIGHT}" letter-spacing="1">Tongiaki</text>',
        f'<text y="72" font-size="19" fill="{_LIGHT}">{status(state)}</text>',
        f'<text y="100" font-size="17" fill="{_DIM}" font-weight="400">{_deck(state)}</text>',
    ]
    y = 124.0
    for seat in range(state.players):
        parts.append(f'<g class="seat" data-seat="{seat}" transform="translate(0 {y:g})">{_seat(state, seat)}</g>')
        y += _ROW + 8
    for drawn, height in (_waiting(state), _key()):
        if drawn:
            parts.append(f'<g transform="translate(0 {y + 12:g})">{drawn}</g>')
            y += height + 12
    return f'<g text-anchor="start">{"".join(parts)}</g>', y


def _deck(state: TongiakiState) -> str:
    islands = sum(tile < N_ISLANDS for tile in state.deck)
    waters = len(state.deck) - islands
    return f"undrawn: {islands} island{'s' * (islands != 1)}, {waters} water{'s' * (waters != 1)}"


def _seat(state: TongiakiState, seat: int) -> str:
    """A row: the seat's ship, its points, its supply, its royal islands, and its rank at the end."""
    board, outcome = state.board, state.outcome
    acting = state.actor == seat
    frame = f'stroke="{GOLD}" stroke-width="3"' if acting else 'stroke="#2d6186" stroke-width="1.5"'
    points, islands = board.points(seat), board.islands_held(seat)
    supply = "".join(
        f'<rect x="{64 + 13 * index}" y="47" width="9" height="14" rx="3" fill="{"#e8f4fa" if index < state.supply[seat] else "none"}" stroke="#7fb0cc"/>'
        for index in range(15)
    )
    place = f'<text x="388" y="62" font-size="22" text-anchor="end" fill="{GOLD}">{_PLACES[outcome.ranks[seat] - 1]}</text>' if outcome else ""
    masks = "".join(mask(seat, (206 + 34 * index, 24), 0.62) for index in range(board.royals(seat)))
    return (
        f'<rect width="400" height="{_ROW:g}" rx="12" fill="#123f5f" {frame}/>'
        f'<g text-anchor="middle" transform="translate(32 37) scale(1.7)" font-size="13">{ship(seat, (0, 0))}</g>'
        f'<text x="64" y="31" font-size="23" fill="{_LIGHT}">{points} point{"s" * (points != 1)}</text>'
        f'<text x="388" y="30" font-size="16" text-anchor="end" font-weight="400" fill="{_DIM}">{islands} island{"s" * (islands != 1)} held</text>'
        f'{supply}<text x="264" y="61" font-size="19" fill="{_LIGHT}">{state.supply[seat]}</text>'
        f'<g text-anchor="middle">{masks}</g>{place}'
    )


def _waiting(state: TongiakiState) -> tuple[str, float]:
    """The tile in hand, or the group that is about to land; nothing and no height otherwise."""
    if state.phase is Phase.LAY:
        picture = (
            island_picture(state.hand, 0, [()] * N_BEACHES[state.hand]) if state.hand < N_ISLANDS else water_picture(state.hand, 0, ())
        )
        words = f'<text x="210" y="84" font-size="19" fill="{_LIGHT}">in hand:</text><text x="210" y="110" font-size="19" fill="{_LIGHT}">{NAMES[state.hand].replace("_", " ")}</text>'
        return f'<g class="hand" text-anchor="middle" transform="translate(100 90)">{picture}</g>{words}', 185
    if state.phase is Phase.LAND:
        seats = packed_seats(state.group)
        ships = "".join(ship(seat, (14 + 21 * index, 28)) for index, seat in enumerate(seats))
        words = f'<text y="14" font-size="19" fill="{_LIGHT}">to land on {NAMES[state.target].replace("_", " ")}:</text>'
        return f'{words}<g class="group" text-anchor="middle" font-size="13" transform="translate(0 6) scale(1.35)">{ships}</g>', 75
    return "", 0


def _key() -> tuple[str, float]:
    """What the signs mean."""
    rows = (
        (badge(3, (16, 0)), "a group of 3 or more colours may pass"),
        ('<use href="#pier" transform="translate(16 62) scale(.85)"/>', "a pier: ships of its beach sail from here"),
        ('<use href="#crest" transform="translate(16 79)"/>', "the crest, side 0 of a tile"),
        (f'<rect x="4" y="-9" width="24" height="18" rx="4" fill="none" stroke="{GOLD}" stroke-width="4"/>', "the last move"),
    )
    drawn = "".join(
        f'<g transform="translate(0 {14 + 32 * index})"><g text-anchor="middle">{sign}</g><text x="42" y="5.5">{words}</text></g>'
        for index, (sign, words) in enumerate(rows)
    )
    return f'<g font-size="16" font-weight="400" fill="{_DIM}">{drawn}</g>', 32.0 * len(rows)
