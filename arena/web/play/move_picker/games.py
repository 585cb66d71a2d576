"""The move picker of each game, and pictures of single tiles."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from arena.web.play.move_picker.base import MovePicker, plain_picker
from engine.core import State, View
from engine.plugin import load
from engine.registry import find_plugin
from engine.render.scene import Box, Scene
from engine.render.svg import number, stroke
from engine.sunda.board.board import SundaBoard
from engine.sunda.board.tiles import N_TILES
from engine.sunda.board.trigrid import corners_of, lozenge_of
from engine.sunda.render.layout import point_of
from engine.sunda.render.pictures import INK, add_terrain, tile_edge

_ROOM: Final = 14


def move_picker_of(view: View[State]) -> MovePicker:
    """Return all legal moves of the seat to decide, as choices to click."""
    picker: Callable[[View[State]], MovePicker] | None = load(find_plugin(view.game.name).picker)
    return (picker or plain_picker)(view)


@lru_cache(maxsize=1024)
def tile_image(tile: int, direction: int) -> str:
    """A tile of Sunda to Sahul as it lies in that direction (0 to 5), as a standalone SVG. Raises ValueError if there is no such tile."""
    if not (0 <= tile < N_TILES and 0 <= direction < 6):
        raise ValueError(f"there is no tile {tile} in direction {direction}")
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
