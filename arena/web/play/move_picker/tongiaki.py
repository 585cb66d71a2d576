"""The moves of Tongiaki as choices to click: islands, beaches, sectors of piers, cells for tiles, and orientations of a tile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.web.play.move_picker.base import Choice, MovePicker, PickerBuilder, Picture
from arena.web.viewer.schema import ink_on
from engine.core import State as Position
from engine.core import View
from engine.render.palette import SEAT_COLORS
from engine.render.svg import move_to, number, stroke
from engine.tongiaki.board.board import coordinates
from engine.tongiaki.board.tiles import NAMES, TONGA
from engine.tongiaki.notation.moves import CROWN, ENTER, EXPAND, LAND, LAY, PASS, PLACE, RECOLONISE, SAIL, SETTLE, TAKE, TongiakiMove
from engine.tongiaki.position import Phase
from engine.tongiaki.render.last_move import tongiaki_state
from engine.tongiaki.render.layout import APOTHEM, BEACH_ARCS, BERTH_RING, RADIUS, Point, center, polar
from engine.tongiaki.render.pictures import COMPASS, GOLD, HEX, INK, TILE_BOX, mask, tile_picture
from engine.tongiaki.state import TongiakiState

_HALF_BEACH: Final = 16.0
_BEACH_ENDS: Final = 10.0
"""How far the rim of a beach reaches, from the middle of its berths to the sides, and in degrees beyond the last ones."""
_GLOW: Final = f'fill="{GOLD}" fill-opacity=".16" {stroke(GOLD, 5)} stroke-dasharray="16 9"'


def pick_from(view: View[Position]) -> MovePicker:
    """Return all legal moves of the seat to decide, as choices to click."""
    state = tongiaki_state(view.position)
    builder = PickerBuilder()
    for move in view.legal_moves:
        if isinstance(move, TongiakiMove):
            _add(builder, state, move)
    return builder.build(2 * RADIUS if state.phase is Phase.LAY else 0)


def _add(builder: PickerBuilder, state: TongiakiState, move: TongiakiMove) -> None:
    code = move.code
    if code == PLACE:
        builder.move(move, [_beach(builder, state, TONGA, move.numbers[0])])
    elif code in {EXPAND, ENTER}:
        beaches = [_beach(builder, state, move.island, beach) for beach in move.numbers]
        builder.move(move, [_island(builder, state, move.island)], beaches)
    elif code == TAKE:
        name = f"take {NAMES[move.island]} {move.numbers[0]}"
        builder.choice(
            name, Choice(f"take the ship from {_said(move.island)}, beach {move.numbers[0]}", _sand(state, move.island, move.numbers[0]))
        )
        builder.move(move, [name])
    elif code == CROWN:
        name = f"crown {NAMES[move.island]}"
        builder.choice(name, Choice(f"found a royal island on {_said(move.island)}", _crown(state, move.island)))
        builder.move(move, [name])
    elif code in {PASS, RECOLONISE}:
        words = "pass" if code == PASS else "recolonise: draw tiles until there is an island, take all ships back"
        builder.choice(str(move), Choice(words))
        builder.move(move, [str(move)])
    elif code == LAY:
        builder.move(move, [_cell(builder, move)], [_turn(builder, state, move)])
    elif code == SETTLE:
        builder.move(move, [_beach(builder, state, state.target, move.numbers[0])])
    elif code == SAIL:
        name = f"sail {NAMES[move.island]} {move.numbers[0]}"
        builder.choice(name, Choice(f"sail from {_said(move.island)} by the pier on side {move.numbers[0]}", _sector(state, move)))
        builder.move(move, [name])
    elif code == LAND:
        builder.move(move, [_berth(builder, state, beach, seat) for beach, seats in move.ships for seat in seats])


def _said(island: int) -> str:
    return NAMES[island].replace("_", " ")


def _where(state: TongiakiState, island: int) -> tuple[Point, int]:
    """The middle of an island and its orientation."""
    return center(*coordinates(state.board.where[island])), state.board.turned[island]


def _island(builder: PickerBuilder, state: TongiakiState, island: int) -> str:
    name = f"island {NAMES[island]}"
    if name not in builder:
        at, _ = _where(state, island)
        builder.choice(name, Choice(_said(island), f'<g class="isle" {move_to(at)}>{HEX} {_GLOW}/></g>'))
    return name


def _beach(builder: PickerBuilder, state: TongiakiState, island: int, beach: int) -> str:
    name = f"beach {NAMES[island]} {beach}"
    if name not in builder:
        builder.choice(name, Choice(f"{_said(island)}, beach {beach}", _sand(state, island, beach)))
    return name


def _sand(state: TongiakiState, island: int, beach: int) -> str:
    """A bright rim around a beach, through which its berths and ships are seen as they are."""
    (x, y), turned = _where(state, island)
    arc = BEACH_ARCS[island][beach]
    start, end = 60 * turned + arc.start - _BEACH_ENDS, 60 * turned + arc.end + _BEACH_ENDS
    steps = max(2, round((end - start) / 8))
    angles = [start + (end - start) * step / steps for step in range(steps + 1)]
    rim = [polar(angle, BERTH_RING + _HALF_BEACH) for angle in angles]
    rim += [polar(angle, BERTH_RING - _HALF_BEACH) for angle in reversed(angles)]
    return _bright("sand", [(x + px, y + py) for px, py in rim])


def _bright(name: str, points: Sequence[Point]) -> str:
    """A shape with a rim of gold on a dark line, which hardly covers what is in it."""
    placed = " ".join(f"{number(px)},{number(py)}" for px, py in points)
    under = f'<polygon points="{placed}" fill="none" {stroke(INK, 9)}/>'
    return (
        f'<g class="{name}" stroke-linejoin="round">{under}<polygon points="{placed}" fill="#fff" fill-opacity=".2" {stroke(GOLD, 5)}/></g>'
    )


def _crown(state: TongiakiState, island: int) -> str:
    (x, y), _ = _where(state, island)
    face = mask(state.active, (0, 0), 0.62)
    return f'<g class="crown" {move_to((x, y - 22))}><circle r="27" fill="{GOLD}" {stroke(INK, 3)}/>{face}</g>'


def _sector(state: TongiakiState, move: TongiakiMove) -> str:
    """The sixth of the island's tile that its pier is on."""
    (x, y), turned = _where(state, move.island)
    angle = 60 * (turned + move.numbers[0])
    points = [polar(angle, 22), polar(angle - 29, APOTHEM + 8), polar(angle + 29, APOTHEM + 8)]
    return _bright("sector", [(x + px, y + py) for px, py in points])


def _cell(builder: PickerBuilder, move: TongiakiMove) -> str:
    q, r, _ = move.numbers
    name = f"cell {q},{r}"
    if name not in builder:
        plus = f'<path d="M-16 0H16M0 -16V16" {stroke(GOLD, 6)}/>'
        builder.choice(name, Choice(f"lay the tile at {q},{r}", f'<g class="cell" {move_to(center(q, r))}>{HEX} {_GLOW}/>{plus}</g>'))
    return name


def _turn(builder: PickerBuilder, state: TongiakiState, move: TongiakiMove) -> str:
    q, r, orientation = move.numbers
    name = f"lie {q},{r} {orientation}"
    x, y = center(q, r)
    px, py = polar(60 * orientation, 62)
    head = f'<circle r="19" fill="{GOLD}" {stroke(INK, 3)}/><path d="M-8 7L0 -10L8 7Z" fill="{INK}"/>'
    arrow = f'<g class="turn" {move_to((x + px, y + py), 60 * orientation)}>{head}</g>'
    picture = COMPASS[orientation]
    builder.picture(picture, Picture(f'<g transform="rotate({60 * orientation})" font-size="13">{tile_picture(state.hand)}</g>', _SQUARE))
    builder.choice(name, Choice(f"crest to the {picture}", arrow, picture))
    return name


_SIDE: Final = 2 * max(-TILE_BOX.x, -TILE_BOX.y)
_SQUARE: Final = (-_SIDE / 2, -_SIDE / 2, _SIDE, _SIDE)


def _berth(builder: PickerBuilder, state: TongiakiState, beach: int, seat: int) -> str:
    """A ship of the seat on a beach of the island where the group lands; the berth is not the player's to choose."""
    name = f"berth {beach} {seat}"
    if name not in builder:
        colors = [other for other in range(state.players) if state.group >> 4 * other & 15]
        (x, y), turned = _where(state, state.target)
        arc = BEACH_ARCS[state.target][beach]
        angle = 60 * turned + (arc.start + arc.end) / 2 + 24 * (colors.index(seat) - (len(colors) - 1) / 2)
        px, py = polar(angle, BERTH_RING + 16)
        color = SEAT_COLORS[seat]
        label = f'<text y="7" font-size="20" fill="{ink_on(color.hex)}">{seat}</text>'
        disc = f'<circle r="16" fill="{color.hex}" {stroke(GOLD, 5)}/>'
        builder.choice(
            name, Choice(f"a ship of seat {seat} on beach {beach}", f'<g class="berth" {move_to((x + px, y + py))}>{disc}{label}</g>')
        )
    return name
