"""What a move of Tongiaki would do, drawn over the board before it: rings with ships, the way of a departure, the edge of a tile."""

from __future__ import annotations

from collections import Counter

from engine.core import Move, State
from engine.render.sketch import LINE, RIM, Point, Sketch, around, middle, rimmed, ring
from engine.render.svg import move_to, stroke
from engine.tongiaki.board.board import coordinates
from engine.tongiaki.board.tiles import BEACH_OF_PIER, FIRST_BEACH, TONGA
from engine.tongiaki.notation.moves import CROWN, ENTER, EXPAND, LAND, LAY, PLACE, SAIL, SETTLE, TAKE, TongiakiMove
from engine.tongiaki.render.drawing import way_of
from engine.tongiaki.render.last_move import tongiaki_state, voyage_of
from engine.tongiaki.render.layout import BEACH_ARCS, BERTH_RING, RADIUS, center, polar
from engine.tongiaki.render.pictures import HEX, ship
from engine.tongiaki.rules.landing import packed_colors
from engine.tongiaki.state import TongiakiState

_BERTH = 17.0


def sketch(state: State, move: Move) -> Sketch | None:
    """Return what the move would do in the state; None for one that is nowhere on the board.

    Raises TypeError for a state or a move of another game.
    """
    known = tongiaki_state(state)
    if not isinstance(move, TongiakiMove):
        raise TypeError(f"this sketches moves of tongiaki, not {type(move).__name__}")
    if move.code == SAIL:
        return _departure(known, move)
    if move.code == LAY:
        q, r, orientation = move.numbers
        crest = f'<path d="M-13 -84H13L0 -62Z" fill="{LINE}" {stroke(RIM, 3)} transform="rotate({60 * orientation})"/>'
        return _hexagon(center(q, r), crest)
    if move.code == CROWN:
        return _hexagon(_center_of(known, move.island))
    ships = _ships(known, move)
    if not ships:
        return None
    rings = "".join(ring(at, _BERTH) + (ship(seat, at, angle) if seat >= 0 else "") for at, angle, seat in ships)
    points = [at for at, _, _ in ships]
    return Sketch(f'<g font-size="13">{rings}</g>', around(points, 2 * _BERTH), middle(points))


def _hexagon(at: Point, inside: str = "") -> Sketch:
    return Sketch(f"<g {move_to(at)}>{rimmed(HEX, 7)}{inside}</g>", around([at], RADIUS), at)


def _center_of(state: TongiakiState, tile: int) -> Point:
    return center(*coordinates(state.board.where[tile]))


def _departure(state: TongiakiState, move: TongiakiMove) -> Sketch:
    """Return the way of the ships over the tiles that lie there, from their beach on."""
    colors = packed_colors(state.board.packed[BEACH_OF_PIER[6 * move.island + move.numbers[0]]])
    legs = voyage_of(state.board, move.island, move.numbers[0], colors, -1)
    path, end, angle = way_of(state, legs)
    if len(legs) == 1:  # no tile is there yet: the way is as long as the pier
        angle = 60.0 * (state.board.turned[move.island] + move.numbers[0])
    way = f'<path d="{path}" fill="none" stroke-linecap="round"'
    head = f'<path d="M-13 9L0 -15L13 9Z" fill="{LINE}" {stroke(RIM, 3)} {move_to(end, angle)}/>'
    markup = f"{way} {stroke(RIM, 13)}/>{way} {stroke(LINE, 8)}/>{head}"
    points = [_center_of(state, tile) for tile, _, _ in legs]
    return Sketch(markup, around([*points, end], RADIUS), end, is_arrow=True)


def _ships(state: TongiakiState, move: TongiakiMove) -> list[tuple[Point, float, int]]:
    """Return where ships come to lie, the way their bows point, and their seats; a seat of -1 stands for one that is taken away."""
    if move.code == TAKE:
        beach = move.numbers[0]
        return [(*_berth(state, move.island, beach, state.board.count[FIRST_BEACH[move.island] + beach] - 1), -1)]
    if move.code == LAND:
        island, wanted = state.target, [(beach, seat) for beach, seats in move.ships for seat in seats]
    elif move.code in {EXPAND, ENTER}:
        island, wanted = move.island, [(beach, state.active) for beach in move.numbers]
    elif move.code in {PLACE, SETTLE}:
        island = TONGA if move.code == PLACE else state.target
        wanted = [(beach, state.active) for beach in move.numbers]
    else:
        return []
    taken: Counter[int] = Counter()
    ships = []
    for beach, seat in wanted:
        ships.append((*_berth(state, island, beach, state.board.count[FIRST_BEACH[island] + beach] + taken[beach]), seat))
        taken[beach] += 1
    return ships


def _berth(state: TongiakiState, island: int, beach: int, index: int) -> tuple[Point, float]:
    berths = BEACH_ARCS[island][beach].berths
    angle = 60 * state.board.turned[island] + berths[min(max(index, 0), len(berths) - 1)]
    (x, y), (dx, dy) = _center_of(state, island), polar(angle, BERTH_RING)
    return (x + dx, y + dy), angle
