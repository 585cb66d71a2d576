"""The moves of Sunda to Sahul as things to click: places for lozenges, tiles as they would lie there, nodes, lakes; the rest in words."""

from __future__ import annotations

from typing import Final

from arena.web.play.move_picker.base import Choice, Menu, Offers
from engine.core import State as Position
from engine.core import View
from engine.render.svg import number, stroke
from engine.sunda.board.tiles import IDS
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
from engine.sunda.render.pictures import GOLD, INK
from engine.sunda.state import SundaState

_SHRUNK: Final = 0.6
"""Of a place's size: places overlap, and each has to be seen and clicked."""
_OTHER_WORDS: Final = {
    "agree": "agree that the game ends",
    "stop": "lay no more tiles this turn",
    "skip": "leave it",
    "accept": "let the other join the tribe",
    "refuse": "keep the other out of the tribe",
    "wait": "wait: lay and take nothing",
}


def offers(view: View[Position]) -> Offers:
    """All legal moves of the seat that has to decide."""
    state = sunda_state(view.position)
    menu = Menu()
    for move in view.legal_moves:
        if isinstance(move, SundaMove):
            _add(menu, state, move)
    return menu.offers(1.2 * UNIT)


def _add(menu: Menu, state: SundaState, move: SundaMove) -> None:
    kind = move.kind
    if kind == START:
        menu.move(move, [_tile(menu, move.first, 0)])
    elif kind == PLACE:
        menu.move(move, [_place(menu, move.second)], [_tile(menu, move.first, move.second)])
    elif kind == SHIFT:
        tile = state.inside.board.tile_on(lozenge_of(move.first))
        source = _shape(menu, f"move {write_placement(move.first)}", f"move the tile {IDS[tile]}", lozenge_of(move.first))
        menu.move(move, [source], [_place(menu, move.second)], [_tile(menu, tile, move.second)])
    elif kind in {CLAIM, JOIN, LAKE}:
        words = {CLAIM: "claim the node", JOIN: "join the tribe at", LAKE: "claim the lake at"}[kind]
        menu.move(move, [_vertex(menu, f"{words} {write_vertex(move.first)}", move.first)])
    elif kind == RESOURCE:
        value = f"resource {move.first}"
        menu.choice(value, Choice(f"take the resource {move.first}"))
        menu.move(move, [_vertex(menu, f"a resource for {write_vertex(move.second)}", move.second)], [value])
    elif kind == CHALLENGE:
        source = _vertex(menu, f"challenge from {write_vertex(move.first)}", move.first)
        menu.move(move, [source], [_vertex(menu, f"challenge the tribe at {write_vertex(move.second)}", move.second)])
    elif kind == RAID:
        victim = f"raid {move.second}"
        menu.choice(victim, Choice(f"raid seat {move.second}"))
        menu.move(move, [victim], [_tile(menu, move.first, 0)])
    elif kind == SEIZE:
        tiles = [tile for tile in (move.first, move.second) if tile != NOTHING]
        menu.move(move, [_tile(menu, tile, 0) for tile in tiles])
    else:
        menu.choice(str(move), Choice(_OTHER_WORDS[str(move)]))
        menu.move(move, [str(move)])


def _tile(menu: Menu, tile: int, placement: int) -> str:
    """A tile as it would lie, in the list."""
    name = f"tile {IDS[tile]} {placement % 6}"
    if name not in menu:
        menu.choice(name, Choice(IDS[tile], image=f"/play/tiles/{tile}/{placement % 6}.svg"))
    return name


def _place(menu: Menu, placement: int) -> str:
    lozenge = lozenge_of(placement)
    return _shape(menu, f"at {write_placement(lozenge)}", f"the place {write_placement(lozenge)}", lozenge)


def _shape(menu: Menu, name: str, words: str, lozenge: int) -> str:
    if name not in menu:
        corners = [point_of(vertex) for vertex in corners_of(lozenge)]
        middle = between(corners[0], corners[2], 0.5)
        shape = polygon([between(middle, corner, _SHRUNK) for corner in corners])
        look = f'fill="{GOLD}" fill-opacity=".28" {stroke("#8a5a00", 2.5)} stroke-dasharray="8 5"'
        menu.choice(name, Choice(words, f'<path class="lozenge" d="{shape}" {look}/>'))
    return name


def _vertex(menu: Menu, words: str, vertex: int) -> str:
    name = f"{words} ({vertex})"
    if name not in menu:
        x, y = point_of(vertex)
        menu.choice(
            name,
            Choice(
                words, f'<circle class="spot" cx="{number(x)}" cy="{number(y)}" r="17" fill="{GOLD}" fill-opacity=".75" {stroke(INK, 3)}/>'
            ),
        )
    return name
