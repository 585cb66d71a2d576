"""The Tongiaki board as a picture, built from the tiles in ``pictures``. ``sketch`` draws the effect of a move over it; ``DRAWER`` contains
all drawing functions, for the plug-in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final, TypeAlias

from engine.core import Move, State
from engine.render.scene import Box, Drawer, Piece, Scene, Sheet, Sketch
from engine.render.svg import LINE, RIM, around, middle, move_to, number, rimmed, ring, stroke, text
from engine.tongiaki.board.board import coordinates
from engine.tongiaki.board.tiles import BEACH_OF_PIER, FIRST_BEACH, N_BEACHES, N_ISLANDS, NAMES, TONGA
from engine.tongiaki.notation.moves import CROWN, ENTER, EXPAND, LAND, LAY, PLACE, RECOLONISE, SAIL, SETTLE, TAKE, TongiakiMove
from engine.tongiaki.position import Phase
from engine.tongiaki.render.last_move import Leg, Marks, marks_of, tongiaki_state, voyage_of
from engine.tongiaki.render.move_text import describe_event, describe_move
from engine.tongiaki.render.panel import ENDINGS, legend, summarize, supply
from engine.tongiaki.render.pictures import (
    APOTHEM,
    BEACH_ARCS,
    BERTH_RING,
    COMPASS,
    DEFS,
    GOLD,
    HEX,
    INK,
    RADIUS,
    ROUTE_CURVES,
    SEA_OF_ISLAND,
    SEA_OF_WATER,
    TABLE,
    Point,
    add_island,
    badge,
    center,
    foam,
    polar,
    route_curve,
    ship,
    stranded_ships,
    tile_name,
    turn,
)
from engine.tongiaki.render.terminal import lines
from engine.tongiaki.rules.landing import packed_colors, packed_seats
from engine.tongiaki.state import TongiakiState


def scene(state: State, *, last: Move | None = None, before: State | None = None) -> Scene:
    """Return a picture of only the board. Raises TypeError for a state or a move of a different game."""
    known = tongiaki_state(state)
    marks = marks_of(known, last, before)
    cells = [coordinates(cell) for cell in known.board.cells] + [coordinates(cell) for _, cell in marks.sunk]
    middles = [center(q, r) for q, r in cells or [(0, 0)]]
    left, right = min(x for x, _ in middles) - RADIUS, max(x for x, _ in middles) + RADIUS
    top, bottom = min(y for _, y in middles) - APOTHEM, max(y for _, y in middles) + APOTHEM
    picture = Scene(Box(left, top, right - left, bottom - top))
    _add_board(picture, known, marks)
    return picture


def _add_board(scene: Scene, state: TongiakiState, marks: Marks) -> None:
    board = state.board
    for cell, tile in board.cells.items():
        _add_tile(scene, state, tile, cell, marks)
    for island, cell in marks.sunk:
        if cell not in board.cells:
            scene.add(f"sunk {NAMES[island]}", _sunk(island, cell), order=_SUNK)
    for tile in marks.tiles:
        mark = f'<g class="last" data-tile="{NAMES[tile]}" {move_to(_middle(state, tile))}>{_rim(GOLD, 7)}</g>'
        scene.add(f"last {NAMES[tile]}", mark, order=_LAST + tile)
    if state.phase in {Phase.LAND, Phase.SETTLE}:
        scene.add("target", f'<g class="target" {move_to(_middle(state, state.target))}>{_rim("#fff", 4, "14 10")}</g>', order=_TARGET)
    if marks.voyage:
        scene.add("voyage", _voyage(state, marks), order=_VOYAGE)


_SUNK, _LAST, _TARGET, _VOYAGE = 20_000, 30_000, 40_000, 50_000
"""The drawing order of the marks: above all tiles, whose order is their cell number."""


@cache
def _rim(color: str, width: int, dashes: str = "") -> str:
    dashed = f'stroke-dasharray="{dashes}"' if dashes else ""
    return f'{HEX} fill="none" {stroke(color, width, dashed)}/>'


def _middle(state: TongiakiState, tile: int) -> Point:
    return center(*coordinates(state.board.where[tile]))


def _add_tile(scene: Scene, state: TongiakiState, tile: int, cell: int, marks: Marks) -> None:
    board = state.board
    beaches: Beaches = ()
    fresh: tuple[tuple[int, int], ...] = ()
    if tile < N_ISLANDS:
        first = FIRST_BEACH[tile]
        beaches = tuple(board.packed[first : first + N_BEACHES[tile]])
        fresh = tuple((beach - first, seat) for beach, seat in marks.ships if 0 <= beach - first < len(beaches))
    elif tile in board.stranded:
        beaches = (board.stranded[tile],)
    royal = board.royal[tile] if tile < N_ISLANDS else -1
    scene.pieces.update(_pieces_of_tile(tile, cell, board.turned[tile], beaches, royal, fresh))


Beaches: TypeAlias = tuple[int, ...]
"""The packed ships on each beach of an island, or the ships stranded on a water."""


@lru_cache(maxsize=1 << 13)  # most tiles don't change between positions, or even matches
def _pieces_of_tile(
    tile: int, cell: int, orientation: int, beaches: Beaches, royal: int, fresh: tuple[tuple[int, int], ...]
) -> dict[str, Piece]:
    scene, name = Scene(_NOWHERE), NAMES[tile]
    attributes, inside = _tile(tile, cell, orientation)
    scene.group(name, attributes, order=cell, inside=inside)
    if tile < N_ISLANDS:
        add_island(scene, tile, orientation, [packed_seats(packed) for packed in beaches], royal=royal, fresh=fresh)
    elif beaches:
        scene.add(f"{name}/ships", stranded_ships(packed_seats(beaches[0])), parent=name, order=5)
    scene.add(f"{name}/rim", _rim("#0d3a58", 3), parent=name, order=6)
    return scene.pieces


_NOWHERE: Final = Box(0, 0, 0, 0)


@cache
def _tile(tile: int, cell: int, orientation: int) -> tuple[str, str]:
    q, r = coordinates(cell)
    kind = "island" if tile < N_ISLANDS else "water"
    title = f"<title>{tile_name(tile)} at {q},{r}, crest {COMPASS[orientation]}</title>"
    where = f'data-tile="{NAMES[tile]}" data-cell="{q},{r}" data-orientation="{orientation}"'
    attributes = f'class="{kind}" {where} stroke="none" {move_to(center(q, r))}'
    return attributes, title + (SEA_OF_ISLAND if tile < N_ISLANDS else SEA_OF_WATER + foam(tile, orientation))


def _sunk(island: int, cell: int) -> str:
    words = text(tile_name(island), (0, -2), 16, "#9cc3d9") + text("collapsed", (0, 18), 14, "#9cc3d9")
    return f'<g class="sunk" {move_to(center(*coordinates(cell)))}>{_rim("#9cc3d9", 3, "6 8")}{words}</g>'


def _voyage(state: TongiakiState, marks: Marks) -> str:
    """Return the path of the group, with an arrow if it reached an island or a cross if it failed."""
    path, end, angle = way_of(state, marks.voyage)
    head = f'<path d="M-9 7L0 -10L9 7Z" {stroke(INK, 2)}/>' if marks.voyage[-1][0] < N_ISLANDS else '<circle r="9"/>'
    if marks.failed >= 0:
        head = '<path d="M-11 -11L11 11M11 -11L-11 11" stroke-width="7"/>'
    way = f'<path d="{path}" fill="none" stroke="{{}}" stroke-width="{{}}" stroke-dasharray="2 13" stroke-linecap="round"/>'
    line = f'<g fill="{GOLD}" stroke="{GOLD}">{way.format(INK, 13)}{way.format(GOLD, 9)}<g {move_to(end, angle)}>{head}</g></g>'
    return f'<g class="voyage">{line}{_numbers(state, marks)}</g>'


def way_of(state: TongiakiState, voyage: Sequence[Leg]) -> tuple[str, Point, float]:
    """Return a voyage as SVG path data, its end point, and the angle at which a group that lands there is sailing."""
    path, end, angle = "", (0.0, 0.0), 0.0
    for tile, entry, leaving in voyage:
        turned = 60 * state.board.turned[tile]
        x, y = _middle(state, tile)
        if entry < 0:
            points = [polar(60 * leaving, BERTH_RING + 14), polar(60 * leaving, APOTHEM)]
        elif leaving < 0:
            points = [polar(60 * entry, BERTH_RING + 16)] if tile < N_ISLANDS else [polar(60 * entry, 40)]
            angle = turned + 60 * entry + 180
        else:
            points = list(route_curve(entry, leaving)[1:])
        placed = [(px + x, py + y) for px, py in (turn(point, turned) for point in points)]
        command = {1: "L", 2: "M", 3: "C"}[len(placed)]
        path += command + " ".join(f"{number(px)} {number(py)}" for px, py in placed)
        end = placed[-1]
    return path, end, angle


def _numbers(state: TongiakiState, marks: Marks) -> str:
    shown = []
    for tile, entry, _ in marks.voyage:
        for route in ROUTE_CURVES[tile - N_ISLANDS] if tile >= N_ISLANDS else ():
            if entry in route.sides and route.colors > 1:
                (x, y), (dx, dy) = _middle(state, tile), turn(route.badge, 60 * state.board.turned[tile])
                shown.append(badge(route.colors, (x + dx, y + dy)))
    return "".join(shown)


_BERTH: Final = 17.0


def sketch(state: State, move: Move) -> Sketch | None:
    """Return a sketch of the move, or None if it has no place on the board. Raises TypeError for a state or a move of a different game."""
    known = tongiaki_state(state)
    if not isinstance(move, TongiakiMove):
        raise TypeError(f"expected a Tongiaki move, not {type(move).__name__}")
    if move.code == SAIL:
        return _departure(known, move)
    if move.code == LAY:
        q, r, orientation = move.numbers
        crest = f'<path d="M-13 -84H13L0 -62Z" fill="{LINE}" {stroke(RIM, 3)} transform="rotate({60 * orientation})"/>'
        return _hexagon(center(q, r), crest)
    if move.code == CROWN:
        return _hexagon(_middle(known, move.island))
    ships = _ships(known, move)
    if not ships:
        return None
    rings = "".join(ring(at, _BERTH) + (ship(seat, at, angle) if seat >= 0 else "") for at, angle, seat in ships)
    points = [at for at, _, _ in ships]
    return Sketch(f'<g font-size="13">{rings}</g>', around(points, 2 * _BERTH), middle(points))


def _hexagon(at: Point, inside: str = "") -> Sketch:
    return Sketch(f"<g {move_to(at)}>{rimmed(HEX, 7)}{inside}</g>", around([at], RADIUS), at)


def _departure(state: TongiakiState, move: TongiakiMove) -> Sketch:
    colors = packed_colors(state.board.packed[BEACH_OF_PIER[6 * move.island + move.numbers[0]]])
    legs = voyage_of(state.board, move.island, move.numbers[0], colors, -1)
    path, end, angle = way_of(state, legs)
    if len(legs) == 1:  # there is no tile yet, so the path is as long as the pier
        angle = 60.0 * (state.board.turned[move.island] + move.numbers[0])
    way = f'<path d="{path}" fill="none" stroke-linecap="round"'
    head = f'<path d="M-13 9L0 -15L13 9Z" fill="{LINE}" {stroke(RIM, 3)} {move_to(end, angle)}/>'
    markup = f"{way} {stroke(RIM, 13)}/>{way} {stroke(LINE, 8)}/>{head}"
    points = [_middle(state, tile) for tile, _, _ in legs]
    return Sketch(markup, around([*points, end], RADIUS), end, is_arrow=True)


def _ships(state: TongiakiState, move: TongiakiMove) -> list[tuple[Point, float, int]]:
    """Return the place, the direction of the bow and the seat of each ship placed; a seat of -1 means a ship taken away."""
    if move.code == TAKE:
        beach = move.numbers[0]
        return [(*_berth(state, move.island, beach, state.board.count[FIRST_BEACH[move.island] + beach] - 1), -1)]
    if move.code == RECOLONISE:
        ashore = [(i, b, state.board.packed[FIRST_BEACH[i] + b]) for i in state.board.islands for b in range(N_BEACHES[i])]
        return [(*_berth(state, i, b, n), -1) for i, b, all_ in ashore for n, seat in enumerate(packed_seats(all_)) if seat == state.active]
    if move.code == LAND:
        island, wanted = state.target, [(beach, seat) for beach, seats in move.ships for seat in seats]
    elif move.code in {EXPAND, ENTER, PLACE, SETTLE}:
        island = {PLACE: TONGA, SETTLE: state.target}.get(move.code, move.island)
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
    (x, y), (dx, dy) = _middle(state, island), polar(angle, BERTH_RING)
    return (x + dx, y + dy), angle


DRAWER: Final = Drawer(
    lines,
    scene,
    summarize,
    legend,
    supply,
    describe_event,
    Sheet("Tongiaki", DEFS, TABLE),
    sketch,
    describe_move,
    ENDINGS,
)
