"""The drawings of Tongiaki's move picker on the board: places to click, and ghosts of ships, tiles and voyages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.web.play.move_picker.tongiaki_words import Course
from arena.web.viewer.documents import ink_on
from engine.render.palette import SEAT_COLORS
from engine.render.scene import Scene
from engine.render.svg import move_to, number, stroke, text
from engine.tongiaki.board.board import coordinates
from engine.tongiaki.board.tiles import BERTHS, FIRST_BEACH, N_ISLANDS, NAMES
from engine.tongiaki.notation.moves import TongiakiMove
from engine.tongiaki.render.drawing import way_of
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
)
from engine.tongiaki.rules.landing import packed_seats
from engine.tongiaki.state import TongiakiState

_HALF_BEACH: Final = 16.0
_BEACH_ENDS: Final = 10.0
"""The extent of a beach's rim: from the middle of its berths to the sides, and in degrees beyond the last ones."""
_GLOW: Final = f'fill="#fff" fill-opacity="0" {stroke(GOLD, 6)}'
_CROSS: Final = '<path d="M-9 -9L9 9M9 -9L-9 9" stroke-linecap="round"/>'


def where(state: TongiakiState, island: int) -> tuple[Point, int]:
    """Return the middle of an island and its orientation."""
    return center(*coordinates(state.board.where[island])), state.board.turned[island]


def isle(state: TongiakiState, island: int) -> str:
    """Return an island to click."""
    at, _ = where(state, island)
    return f'<g class="isle" {move_to(at)}>{HEX} fill="none" {stroke(INK, 11)}/>{HEX} {_GLOW}/></g>'


def sand(state: TongiakiState, island: int, beach: int) -> str:
    """Return a bright rim around a beach, which leaves its berths and ships visible."""
    (x, y), turned = where(state, island)
    arc = BEACH_ARCS[island][beach]
    start, end = 60 * turned + arc.start - _BEACH_ENDS, 60 * turned + arc.end + _BEACH_ENDS
    steps = max(2, round((end - start) / 8))
    angles = [start + (end - start) * step / steps for step in range(steps + 1)]
    rim = [polar(angle, BERTH_RING + _HALF_BEACH) for angle in angles]
    rim += [polar(angle, BERTH_RING - _HALF_BEACH) for angle in reversed(angles)]
    return bright("sand", [(x + px, y + py) for px, py in rim])


def bright(name: str, points: Sequence[Point]) -> str:
    """Return a shape with a rim of gold on a dark line, which leaves its inside visible."""
    placed = " ".join(f"{number(px)},{number(py)}" for px, py in points)
    under = f'<polygon points="{placed}" fill="none" {stroke(INK, 9)}/>'
    over = f'<polygon points="{placed}" fill="#fff" fill-opacity="0" {stroke(GOLD, 5)}/>'
    return f'<g class="{name}" stroke-linejoin="round">{under}{over}</g>'


def crown(state: TongiakiState, island: int) -> str:
    """Return the royal mask to click for an island that may become royal."""
    (x, y), _ = where(state, island)
    face = mask(state.active, (0, 0), 0.62)
    return f'<g class="crown" {move_to((x, y - 22))}><circle r="27" fill="{GOLD}" {stroke(INK, 3)}/>{face}</g>'


def sector(state: TongiakiState, move: TongiakiMove) -> str:
    """Return the sixth of the island's tile that contains the pier of the move."""
    (x, y), turned = where(state, move.island)
    angle = 60 * (turned + move.numbers[0])
    points = [polar(angle, 22), polar(angle - 29, APOTHEM + 8), polar(angle + 29, APOTHEM + 8)]
    return bright("sector", [(x + px, y + py) for px, py in points])


def cell(q: int, r: int) -> str:
    """Return an empty cell to click, for a tile."""
    plus = f'<path d="M-16 0H16M0 -16V16" {stroke(GOLD, 6)}/>'
    return f'<g class="cell" {move_to(center(q, r))}>{HEX} {_GLOW} stroke-dasharray="16 9"/>{plus}</g>'


def turn_arrow(q: int, r: int, orientation: int) -> str:
    """Return the arrow by which a tile's orientation is chosen, on the side of the tile that its crest will be on."""
    x, y = center(q, r)
    px, py = polar(60 * orientation, 62)
    head = f'<circle r="19" fill="{GOLD}" {stroke(INK, 3)}/><path d="M-8 7L0 -10L8 7Z" fill="{INK}"/>'
    return f'<g class="turn" {move_to((x + px, y + py), 60 * orientation)}>{head}</g>'


def berth(state: TongiakiState, beach: int, seat: int) -> str:
    """Return a ship of the seat to click, for a beach of the island where the group lands."""
    colors = [other for other in range(state.players) if state.group >> 4 * other & 15]
    (x, y), turned = where(state, state.target)
    arc = BEACH_ARCS[state.target][beach]
    angle = 60 * turned + (arc.start + arc.end) / 2 + 24 * (colors.index(seat) - (len(colors) - 1) / 2)
    px, py = polar(angle, BERTH_RING + 16)
    color = SEAT_COLORS[seat]
    label = f'<text y="7" font-size="20" fill="{ink_on(color.hex)}">{seat + 1}</text>'
    return f'<g class="berth" {move_to((x + px, y + py))}><circle r="16" fill="{color.hex}" {stroke(GOLD, 5)}/>{label}</g>'


def new_ships(state: TongiakiState, island: int, beach: int, seat: int) -> list[str]:
    """Return a ghost for each free berth of a beach: a ship of the seat there, and a red ring around the beach if this fills it."""
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
    """A small arrow out to sea at each pier of a beach that becomes full."""
    (x, y), turned = where(state, island)
    arrows = []
    for side in BEACH_ARCS[island][beach].piers:
        angle = 60.0 * (turned + side)
        px, py = polar(angle, APOTHEM - 9)
        arrows.append(f'<path d="M-9 7L0 -11L9 7Z" fill="#e0453a" {stroke("#fff", 3)} {move_to((x + px, y + py), angle)}/>')
    return "".join(arrows)


def gone_ships(state: TongiakiState, island: int, beach: int | None = None) -> str:
    """Return crosses over ships of the active seat: the last one on a beach, or all of those on an island."""
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
    """Return a ghost of a royal island."""
    (x, y), _ = where(state, island)
    rim = f'{HEX} fill="{GOLD}" fill-opacity=".35" {stroke(GOLD, 7)}/>'
    return f"<g {move_to((x, y))}>{rim}{mask(state.active, (0, -8), 1.2)}</g>"


def tile_defs(tile: int) -> str:
    """Return definitions of a tile in all six orientations, ``hand-0`` to ``hand-5``, its numbers and names upright."""
    return f"<defs>{''.join(f'<g id={chr(34)}hand-{turned}{chr(34)}>{_tile(tile, turned)}</g>' for turned in range(6))}</defs>"


def _tile(tile: int, orientation: int) -> str:
    if tile >= N_ISLANDS:
        return f"{SEA_OF_WATER}{foam(tile, orientation)}"
    scene = Scene(TILE_BOX)
    scene.group(NAMES[tile], 'class="tile"', inside=SEA_OF_ISLAND)
    add_island(scene, tile, orientation, [()] * len(BEACH_ARCS[tile]))
    return scene.drawn()


def laid(q: int, r: int, orientation: int) -> str:
    """Return a ghost of the tile in hand on a cell."""
    return f'<g stroke-linejoin="round" {move_to(center(q, r))}><use href="#hand-{orientation}"/>{HEX} fill="none" {stroke(GOLD, 6)}/></g>'


def voyage(state: TongiakiState, sailed: Course) -> str:
    """Return a ghost of a voyage as far as it is known, with a question mark on the cell that it discovers."""
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
