"""The texts and drawings of Tongiaki's move picker: prompts, results of moves, places to click, and "ghosts" that preview moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from arena.web.play.move_picker.base import Guide
from arena.web.viewer.documents import ink_on
from engine.core import State as Position
from engine.core import View
from engine.render.palette import SEAT_COLORS
from engine.render.scene import Scene
from engine.render.svg import move_to, number, stroke, text
from engine.text import counted, listed
from engine.tongiaki.board.board import DELTA, coordinates
from engine.tongiaki.board.tiles import BEACH_OF_PIER, BERTHS, FIRST_BEACH, N_ISLANDS, NAMES, POINTS, ROUTE_COLORS, ROUTE_EXIT
from engine.tongiaki.notation.moves import CROWN, TongiakiMove
from engine.tongiaki.position import Phase
from engine.tongiaki.render.drawing import way_of
from engine.tongiaki.render.last_move import Leg, tongiaki_state, voyage_of
from engine.tongiaki.render.move_text import beach_name
from engine.tongiaki.render.pictures import (
    APOTHEM,
    BEACH_ARCS,
    BERTH_RING,
    GOLD,
    HEX,
    INK,
    SEA_OF_ISLAND,
    SEA_OF_WATER,
    TILE_BOX,
    Point,
    add_island,
    center,
    foam,
    mask,
    polar,
    ship,
    tile_name,
)
from engine.tongiaki.rules.landing import packed_colors, packed_seats
from engine.tongiaki.state import TongiakiState

_GOAL: Final = (
    "Spread your ships over the islands. At the end each island gives its points, the number on its coin, to everybody with a ship on it."
)
_NOW: Final = {
    Phase.SETUP: "Everybody starts with two ships on Tonga. Put yours with other players' ships: groups of several colours sail farther.",
    Phase.TURN: "Choose an island where you have ships. For each ship there, a different beach gets a new ship. A beach"
    " that becomes full must sail, and so new islands are found.",
    Phase.TAKEN: "All your ships are in use, so you have taken one from a beach. Put it on another beach.",
    Phase.LAY: "You have drawn a tile. Put it next to the others. Ships sail along the lines on water tiles; the number on a line is how"
    " many colours they need.",
    Phase.SETTLE: "You have found an island. Put your first ship on one of its beaches.",
    Phase.SAIL: "Every berth of a beach is taken, so all its ships leave from one of its piers. A water lets them pass if they have as many"
    " colours as the number on its line; where there is no tile yet, one is drawn.",
    Phase.LAND: "The group has reached an island. Every open beach gets a ship if the group has enough; ships without a berth go home.",
    Phase.OVER: "",
}
_NOW_ENTERING: Final = "None of your ships is on a beach. Begin again on an island that has been laid."
_NOW_WITHOUT_SHIPS: Final = "All your ships are in use. Take one from a beach to put it on another, or pass."
_NOW_ROYAL: Final = (
    " On an island (not Tonga) where you alone have ships, you may found a royal island instead: its points stay yours, one ship remains"
    " there, and the others come back."
)
_HALF_BEACH: Final = 16.0
_BEACH_ENDS: Final = 10.0
"""How far a beach's rim extends from its berths: to either side, and (in degrees) beyond the first and the last."""
_GLOW: Final = f'fill="#fff" fill-opacity="0" {stroke(GOLD, 6)}'
_SECTOR: Final = '<path d="M0 -22L-53 -95H53Z" opacity="0"/>'
_GATE: Final = f'<path d="M-36 -79L-42 -90H-15L0 -107L15 -90H42L36 -79Z" fill="{GOLD}" {stroke(INK, 3.5)}/>'
_CROSS: Final = '<path d="M-9 -9L9 9M9 -9L-9 9" stroke-linecap="round"/>'


class Course(NamedTuple):
    """The voyage of departing ships over the laid tiles: its legs, its result in words, and the empty cell that it reaches, if any."""

    legs: tuple[Leg, ...]
    words: str
    unknown: tuple[int, int] | None
    fails: bool


def guide(view: View[Position]) -> Guide:
    """Return the guide for a first match: the goal of the game, and an explanation of the decision."""
    state = tongiaki_state(view.position)
    if state.phase is not Phase.TURN:
        return Guide(_GOAL, _NOW[state.phase])
    if not ships_ashore(state):
        return Guide(_GOAL, _NOW_ENTERING)
    royal = _NOW_ROYAL if any(isinstance(move, TongiakiMove) and move.code == CROWN for move in view.legal_moves) else ""
    return Guide(_GOAL, (_NOW[Phase.TURN] if state.supply[state.active] else _NOW_WITHOUT_SHIPS) + royal)


def ships_ashore(state: TongiakiState) -> int:
    """Return how many ships the active seat has on beaches."""
    return sum(state.board.ships_of(state.active, island) for island in state.board.islands)


def prompt(state: TongiakiState) -> str:
    """Return the prompt of the first choice."""
    if state.phase is Phase.TURN:
        if not ships_ashore(state):
            return "You have no ship on a beach: choose where to enter"
        return (
            "Choose an island: it gets as many new ships as you have there"
            if state.supply[state.active]
            else "No ship is left: take one from a beach, or pass"
        )
    words = {
        Phase.SETUP: "Place a ship: choose a beach of Tonga",
        Phase.TAKEN: "Choose the island for the ship that you took",
        Phase.LAY: f"Choose where {tile_name(state.hand)} goes" if state.hand >= 0 else "",
        Phase.SETTLE: f"Settle on {tile_name(state.target)}: choose a beach",
        Phase.SAIL: "A beach is full: choose the pier from which its ships sail",
        Phase.LAND: f"Choose where the ships land on {tile_name(state.target)}",
    }
    return words.get(state.phase, "Choose a move")


def prompt_of_beaches(move: TongiakiMove) -> str:
    """Return the prompt after the island of the move has been picked."""
    count = len(move.numbers)
    return f"Choose {'a beach' if count == 1 else f'{count} beaches'} of {tile_name(move.island)}"


def taken(state: TongiakiState, island: int, beach: int) -> str:
    """Return how many berths of a beach are taken, and the effect of one more ship."""
    number = FIRST_BEACH[island] + beach
    here, room = state.board.count[number], BERTHS[number]
    return f"{here} of {room} berths taken{'; one more ship fills the beach, and all its ships sail' if here + 1 == room else ''}"


def arrival(state: TongiakiState, island: int, ships: Sequence[tuple[int, int]], of: int = 0) -> str:
    """Return in words what happens when ``ships``, as (beach, number), arrive at an island; ``of`` is the landing group, if any."""
    total = sum(number for _, number in ships)
    first = FIRST_BEACH[island]
    full = [beach_name(state, island, beach) for beach, new in ships if state.board.count[first + beach] + new == BERTHS[first + beach]]
    words = [f"{counted(total, 'ship') if total else 'no ship'} to {tile_name(island)}"]
    if full:
        words.append(f"{listed(full)} {'fills and sails' if len(full) == 1 else 'fill and sail'}")
    if (left := len(packed_seats(of)) - total) > 0:
        words.append(f"{left} without a berth {'goes' if left == 1 else 'go'} home")
    return "; ".join(words)


def course(state: TongiakiState, move: TongiakiMove) -> Course:
    """Return the voyage of the ships that sail from the pier of the move, as far as tiles have been laid."""
    board, side = state.board, move.numbers[0]
    colors = packed_colors(board.packed[BEACH_OF_PIER[6 * move.island + side]])
    legs = voyage_of(board, move.island, side, colors, -1)
    tile, entry, _ = legs[-1]
    if 0 <= tile < N_ISLANDS and len(legs) > 1:
        owner = board.royal[tile]
        words = f"they land on {tile_name(tile)}" if owner < 0 else f"{tile_name(tile)} is royal, so they turn back"
        return Course(legs, words, None, fails=False)
    if len(legs) > 1 and ROUTE_COLORS[6 * tile + entry] > colors:
        words = f"they fail on the water {tile_name(tile)}, which needs {ROUTE_COLORS[6 * tile + entry]} colours, and go home"
        return Course(legs, words, None, fails=True)
    words = "they discover a new tile" if state.ending is None else "no tile is left, so they stay there"
    return Course(legs, words, _beyond(state, move, len(legs)), fails=False)


def _beyond(state: TongiakiState, move: TongiakiMove, legs: int) -> tuple[int, int]:
    """Return the empty cell that a voyage over that many laid tiles reaches."""
    board, side = state.board, move.numbers[0]
    cell, direction = board.where[move.island], (board.turned[move.island] + side) % 6
    for _ in range(legs - 1):
        cell += DELTA[direction]
        tile = board.cells[cell]
        entry = (direction + 9 - board.turned[tile]) % 6
        direction = (board.turned[tile] + ROUTE_EXIT[6 * tile + entry]) % 6
    return coordinates(cell + DELTA[direction])


def home_words(state: TongiakiState) -> str:
    """Return, in words, what recolonising does to the active seat."""
    ashore = ships_ashore(state)
    if not ashore:
        return "You draw tiles until you draw an island, and begin again there with one ship. This can't be undone."
    islands = [island for island in state.board.islands if state.board.ships_of(state.active, island)]
    points = sum(POINTS[each] for each in islands)
    lost = f"{counted(ashore, 'ship')} on {counted(len(islands), 'island')}" + (f", worth {counted(points, 'point')}" if points else "")
    return f"You lose {lost}, and begin again with one ship on a new island. This can't be undone."


def where(state: TongiakiState, island: int) -> tuple[Point, int]:
    """Return the middle of an island and its orientation."""
    return center(*coordinates(state.board.where[island])), state.board.turned[island]


def isle(state: TongiakiState, island: int) -> str:
    """Return the SVG of a rim around an island, which is clicked to choose the island."""
    at, _ = where(state, island)
    return f'<g class="isle" {move_to(at)}>{HEX} fill="none" {stroke(INK, 11)}/>{HEX} {_GLOW}/></g>'


def sand(state: TongiakiState, island: int, beach: int) -> str:
    """Return the SVG of a bright rim around a beach, which leaves its berths and ships visible."""
    (x, y), turned = where(state, island)
    arc = BEACH_ARCS[island][beach]
    start, end = 60 * turned + arc.start - _BEACH_ENDS, 60 * turned + arc.end + _BEACH_ENDS
    steps = max(2, round((end - start) / 8))
    angles = [start + (end - start) * step / steps for step in range(steps + 1)]
    rim = [polar(angle, BERTH_RING + _HALF_BEACH) for angle in angles]
    rim += [polar(angle, BERTH_RING - _HALF_BEACH) for angle in reversed(angles)]
    return bright("sand", [(x + px, y + py) for px, py in rim])


def bright(name: str, points: Sequence[Point]) -> str:
    """Return the SVG of a polygon with a golden rim on a dark line, which leaves the inside visible."""
    placed = " ".join(f"{number(px)},{number(py)}" for px, py in points)
    under = f'<polygon points="{placed}" fill="none" {stroke(INK, 9)}/>'
    over = f'<polygon points="{placed}" fill="#fff" fill-opacity="0" {stroke(GOLD, 5)}/>'
    return f'<g class="{name}" stroke-linejoin="round">{under}{over}</g>'


def crown(state: TongiakiState, island: int) -> str:
    """Return the SVG of a royal mask, which is clicked to make the island royal."""
    (x, y), _ = where(state, island)
    face = mask(state.active, (0, 0), 0.46)
    return f'<g class="crown" {move_to((x, y - 32))}><circle r="20" fill="{GOLD}" {stroke(INK, 3)}/>{face}</g>'


def sector(state: TongiakiState, move: TongiakiMove) -> str:
    """Return the SVG of the sixth of an island tile that has the pier of the move, with an arrow that points out to sea."""
    at, turned = where(state, move.island)
    return f'<g class="sector" {move_to(at, 60 * (turned + move.numbers[0]))}>{_SECTOR}{_GATE}</g>'


def cell(q: int, r: int) -> str:
    """Return the SVG of an empty cell, which is clicked to lay the tile there."""
    plus = f'<path d="M-16 0H16M0 -16V16" {stroke(GOLD, 6)}/>'
    return f'<g class="cell" {move_to(center(q, r))}>{HEX} {_GLOW} stroke-dasharray="16 9"/>{plus}</g>'


def turn_arrow(q: int, r: int, orientation: int) -> str:
    """Return the SVG of the arrow that is clicked to choose an orientation, on the side where the tile's crest will be."""
    x, y = center(q, r)
    px, py = polar(60 * orientation, 62)
    head = f'<circle r="19" fill="{GOLD}" {stroke(INK, 3)}/><path d="M-8 7L0 -10L8 7Z" fill="{INK}"/>'
    return f'<g class="turn" {move_to((x + px, y + py), 60 * orientation)}>{head}</g>'


def berth(state: TongiakiState, beach: int, seat: int) -> str:
    """Return the SVG of a ship of the seat. A click on it lands the ship on this beach of the target island."""
    colors = [other for other in range(state.players) if state.group >> 4 * other & 15]
    (x, y), turned = where(state, state.target)
    arc = BEACH_ARCS[state.target][beach]
    angle = 60 * turned + (arc.start + arc.end) / 2 + 24 * (colors.index(seat) - (len(colors) - 1) / 2)
    px, py = polar(angle, BERTH_RING + 16)
    color = SEAT_COLORS[seat]
    label = f'<text y="7" font-size="20" fill="{ink_on(color.hex)}">{seat + 1}</text>'
    return f'<g class="berth" {move_to((x + px, y + py))}><circle r="16" fill="{color.hex}" {stroke(GOLD, 5)}/>{label}</g>'


def new_ships(state: TongiakiState, island: int, beach: int, seat: int) -> list[str]:
    """Return a ghost (preview) for each free berth of a beach: a ship of the seat; the last one adds red arrows at the beach's piers."""
    number_of = FIRST_BEACH[island] + beach
    here, room = state.board.count[number_of], BERTHS[number_of]
    return [
        f'<g font-size="13">{_ship_at(state, island, beach, index, seat)}</g>' + (_full(state, island, beach) if index + 1 == room else "")
        for index in range(here, room)
    ]


def _ship_at(state: TongiakiState, island: int, beach: int, index: int, seat: int) -> str:
    (x, y), angle = _berth(state, island, beach, index)
    ring = f'<circle cx="{number(x)}" cy="{number(y)}" r="16" fill="#fff" {stroke(GOLD, 4)}/>'
    return ring + ship(seat, (x, y), angle)


def _berth(state: TongiakiState, island: int, beach: int, index: int) -> tuple[Point, float]:
    (x, y), turned = where(state, island)
    angle = 60 * turned + BEACH_ARCS[island][beach].berths[index]
    px, py = polar(angle, BERTH_RING)
    return (x + px, y + py), angle


def _full(state: TongiakiState, island: int, beach: int) -> str:
    """Return a small arrow out to sea for each pier of a beach that becomes full."""
    (x, y), turned = where(state, island)
    arrows = []
    for side in BEACH_ARCS[island][beach].piers:
        angle = 60.0 * (turned + side)
        px, py = polar(angle, APOTHEM - 9)
        arrows.append(f'<path d="M-9 7L0 -11L9 7Z" fill="#e0453a" {stroke("#fff", 3)} {move_to((x + px, y + py), angle)}/>')
    return "".join(arrows)


def gone_ships(state: TongiakiState, island: int, beach: int | None = None) -> str:
    """Return the SVG of crosses over ships of the active seat: its last ship on a beach, or all its ships on an island."""
    first, marks = FIRST_BEACH[island], []
    beaches = range(len(BEACH_ARCS[island])) if beach is None else [beach]
    for each in beaches:
        seats = packed_seats(state.board.packed[first + each])
        own = [index for index, seat in enumerate(seats) if seat == state.active]
        for index in own if beach is None else own[-1:]:
            at, _ = _berth(state, island, each, index)
            marks.append(f"<g {move_to(at)}>{_CROSS}</g>")
    return f"<g {stroke('#fff', 9)}>{''.join(marks)}</g><g {stroke('#c62828', 5)}>{''.join(marks)}</g>"


def crowned(state: TongiakiState, island: int) -> str:
    """Return the ghost (preview) of an island that has become royal."""
    (x, y), _ = where(state, island)
    rim = f'{HEX} fill="{GOLD}" fill-opacity=".35" {stroke(GOLD, 7)}/>'
    return f"<g {move_to((x, y))}>{rim}{mask(state.active, (0, -8), 1.2)}</g>"


def tile_defs(tile: int) -> str:
    """Return SVG definitions of a tile in all six orientations, ``hand-0`` to ``hand-5``, with upright numbers and names."""
    return f"<defs>{''.join(f'<g id={chr(34)}hand-{turned}{chr(34)}>{_tile(tile, turned)}</g>' for turned in range(6))}</defs>"


def _tile(tile: int, orientation: int) -> str:
    if tile >= N_ISLANDS:
        return f"{SEA_OF_WATER}{foam(tile, orientation)}"
    scene = Scene(TILE_BOX)
    scene.group(NAMES[tile], 'class="tile"', inside=SEA_OF_ISLAND)
    add_island(scene, tile, orientation, [()] * len(BEACH_ARCS[tile]))
    return scene.drawn()


def laid(q: int, r: int, orientation: int) -> str:
    """Return the ghost (preview) of the tile in hand on a cell."""
    return f'<g stroke-linejoin="round" {move_to(center(q, r))}><use href="#hand-{orientation}"/>{HEX} fill="none" {stroke(GOLD, 6)}/></g>'


def voyage(state: TongiakiState, sailed: Course) -> str:
    """Return the ghost (preview) of a voyage over the laid tiles, with a question mark on the empty cell that it reaches, if any."""
    path, end, angle = way_of(state, sailed.legs)
    way = f'<path d="{path}" fill="none" stroke="{{}}" stroke-width="{{}}" stroke-dasharray="2 13" stroke-linecap="round"/>'
    head = f'<path d="M-9 7L0 -10L9 7Z" {stroke(INK, 2)}/>'
    if sailed.fails:
        head = '<path d="M-11 -11L11 11M11 -11L-11 11" stroke-width="7"/>'
    discovery = ""
    if sailed.unknown is not None:
        head = ""
        mark = text("?", (0, 18), 52, "#fff", stroke(INK, 6, 'paint-order="stroke"'))
        cell_there = f'{HEX} fill="{GOLD}" fill-opacity=".18" {stroke(GOLD, 5)} stroke-dasharray="6 10"/>'
        discovery = f"<g {move_to(center(*sailed.unknown))}>{cell_there}{mark}</g>"
    return f'<g fill="{GOLD}" stroke="{GOLD}">{way.format(INK, 13)}{way.format(GOLD, 9)}<g {move_to(end, angle)}>{head}</g></g>{discovery}'
