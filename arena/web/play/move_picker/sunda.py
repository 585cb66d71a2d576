"""The moves of Sunda to Sahul as choices to click: places for tiles, tiles as they would lie there, nodes and lakes; the rest in words."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from arena.web.play.move_picker.base import Choice, MovePicker, Picker, PickerBuilder
from engine.core import State as Position
from engine.core import View
from engine.render.scene import Box, Scene
from engine.render.svg import number, stroke
from engine.sunda.board.board import SundaBoard
from engine.sunda.board.tiles import IDS, N_TILES
from engine.sunda.board.trigrid import corners_of, lozenge_of
from engine.sunda.notation.moves import (
    CHALLENGE,
    CLAIM,
    JOIN,
    LAKE,
    NOTHING,
    PLACE,
    RAID,
    RESOURCE,
    SEIZE,
    SHIFT,
    START,
    SundaMove,
    write_placement,
    write_vertex,
)
from engine.sunda.render.drawing import sunda_state
from engine.sunda.render.layout import UNIT, between, point_of, polygon
from engine.sunda.render.pictures import GOLD, INK, add_terrain, tile_edge
from engine.sunda.state import SundaState

_SHRUNK: Final = 0.6
"""Of a place's size: places overlap, and each has to be seen and clicked."""
_IMAGE: Final = re.compile("([0-9]{1,3})-([0-5])")
_ROOM: Final = 14
"""Around a tile in its image, in units of the board."""
_OTHER_WORDS: Final = {
    "agree": "agree that the game ends",
    "stop": "lay no more tiles this turn",
    "skip": "leave it",
    "accept": "let the other join the tribe",
    "refuse": "keep the other out of the tribe",
    "wait": "wait: lay and take nothing",
}


def pick_from(view: View[Position]) -> MovePicker:
    """Return all legal moves of the seat to decide, as choices to click."""
    state = sunda_state(view.position)
    builder = PickerBuilder()
    for move in view.legal_moves:
        if isinstance(move, SundaMove):
            _add(builder, state, move)
    return builder.build(1.2 * UNIT)


def _add(builder: PickerBuilder, state: SundaState, move: SundaMove) -> None:
    kind = move.kind
    if kind == START:
        builder.move(move, [_tile(builder, move.first, 0)])
    elif kind == PLACE:
        builder.move(move, [_place(builder, move.second)], [_tile(builder, move.first, move.second)])
    elif kind == SHIFT:
        tile = state.inside.board.tile_on(lozenge_of(move.first))
        source = _shape(builder, f"move {write_placement(move.first)}", f"move the tile {IDS[tile]}", lozenge_of(move.first))
        builder.move(move, [source], [_place(builder, move.second)], [_tile(builder, tile, move.second)])
    elif kind in {CLAIM, JOIN, LAKE}:
        words = {CLAIM: "claim the node", JOIN: "join the tribe at", LAKE: "claim the lake at"}[kind]
        builder.move(move, [_vertex(builder, f"{words} {write_vertex(move.first)}", move.first)])
    elif kind == RESOURCE:
        value = f"resource {move.first}"
        builder.choice(value, Choice(f"take the resource {move.first}"))
        builder.move(move, [_vertex(builder, f"a resource for {write_vertex(move.second)}", move.second)], [value])
    elif kind == CHALLENGE:
        source = _vertex(builder, f"challenge from {write_vertex(move.first)}", move.first)
        builder.move(move, [source], [_vertex(builder, f"challenge the tribe at {write_vertex(move.second)}", move.second)])
    elif kind == RAID:
        victim = f"raid {move.second}"
        builder.choice(victim, Choice(f"raid seat {move.second}"))
        builder.move(move, [victim], [_tile(builder, move.first, 0)])
    elif kind == SEIZE:
        tiles = [tile for tile in (move.first, move.second) if tile != NOTHING]
        builder.move(move, [_tile(builder, tile, 0) for tile in tiles])
    else:
        builder.choice(str(move), Choice(_OTHER_WORDS[str(move)]))
        builder.move(move, [str(move)])


def _tile(builder: PickerBuilder, tile: int, placement: int) -> str:
    """A tile as it would lie, in the list."""
    name = f"tile {IDS[tile]} {placement % 6}"
    if name not in builder:
        builder.choice(name, Choice(IDS[tile], image=f"{tile}-{placement % 6}"))
    return name


def _place(builder: PickerBuilder, placement: int) -> str:
    lozenge = lozenge_of(placement)
    return _shape(builder, f"at {write_placement(lozenge)}", f"the place {write_placement(lozenge)}", lozenge)


def _shape(builder: PickerBuilder, name: str, words: str, lozenge: int) -> str:
    if name not in builder:
        corners = [point_of(vertex) for vertex in corners_of(lozenge)]
        middle = between(corners[0], corners[2], 0.5)
        shape = polygon([between(middle, corner, _SHRUNK) for corner in corners])
        look = f'fill="{GOLD}" fill-opacity=".28" {stroke("#8a5a00", 2.5)} stroke-dasharray="8 5"'
        builder.choice(name, Choice(words, f'<path class="lozenge" d="{shape}" {look}/>'))
    return name


def _vertex(builder: PickerBuilder, words: str, vertex: int) -> str:
    name = f"{words} ({vertex})"
    if name not in builder:
        x, y = point_of(vertex)
        builder.choice(
            name,
            Choice(
                words, f'<circle class="spot" cx="{number(x)}" cy="{number(y)}" r="17" fill="{GOLD}" fill-opacity=".75" {stroke(INK, 3)}/>'
            ),
        )
    return name


@lru_cache(maxsize=1024)
def tile_image(name: str) -> str:
    """Return a tile as it lies in a direction, named ``TILE-DIRECTION``, as a standalone SVG. Raises ValueError for another name."""
    found = _IMAGE.fullmatch(name)
    tile, direction = (int(found[1]), int(found[2])) if found else (N_TILES, 0)
    if tile >= N_TILES:
        raise ValueError(f"there is no tile '{name:.20}'")
    board = SundaBoard()
    board.lay(tile, direction)
    corners = [point_of(vertex) for vertex in corners_of(lozenge_of(direction))]
    left, top = min(x for x, _ in corners) - _ROOM, min(y for _, y in corners) - _ROOM
    box = Box(left, top, max(x for x, _ in corners) + _ROOM - left, max(y for _, y in corners) + _ROOM - top)
    scene = Scene(box)
    add_terrain(scene, board)
    edge = tile_edge(tile, direction, f'fill="none" {stroke(INK, 2)}')
    view = " ".join(map(number, box))
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view}"><g stroke-linejoin="round">{scene.drawn()}{edge}</g></svg>'


PICKER: Final = Picker(pick_from, tile_image)
