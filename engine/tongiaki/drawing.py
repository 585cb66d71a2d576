"""A position of Tongiaki as an SVG picture. It only arranges: ``pictures`` draws the tiles, ``panel`` what stands beside the board."""

from __future__ import annotations

from typing import Final

from engine.core import Move, State
from engine.svg import move_to, number, stroke, text
from engine.tongiaki.board import coordinates
from engine.tongiaki.focus import Focus, focus_of, tongiaki_state
from engine.tongiaki.landing import packed_seats
from engine.tongiaki.layout import APOTHEM, BERTH_RING, RADIUS, ROUTE_CURVES, Point, center, polar, route_curve, turn
from engine.tongiaki.panel import WIDTH, counted, panel, status
from engine.tongiaki.pictures import COMPASS, DEFS, GOLD, HEX, INK, badge, island_picture, water_picture
from engine.tongiaki.situation import Phase
from engine.tongiaki.state import TongiakiState
from engine.tongiaki.tiles import FIRST_BEACH, N_BEACHES, N_ISLANDS, NAMES

_MARGIN: Final = 30.0
_SCALE: Final = 0.75
"""Pixels for each unit, where the page doesn't say otherwise."""


def svg(state: State, *, last: Move | None = None, before: State | None = None) -> str:
    """The position as a standalone SVG document, with what ``last``, the move that led to it, concerned marked.

    ``before`` is the position ``last`` was played in: with it every landing and every collapse can be marked. Raises TypeError for
    what is of another game.
    """
    known = tongiaki_state(state)
    focus = focus_of(known, last, before)
    cells = [coordinates(cell) for cell in known.board.cells] + [coordinates(cell) for _, cell in focus.sunk]
    middles = [center(q, r) for q, r in cells or [(0, 0)]]
    left, right = min(x for x, _ in middles) - RADIUS, max(x for x, _ in middles) + RADIUS
    top, bottom = min(y for _, y in middles) - APOTHEM, max(y for _, y in middles) + APOTHEM
    beside, panel_height = panel(known)
    width = right - left + WIDTH + 3 * _MARGIN
    height = max(bottom - top, panel_height) + 2 * _MARGIN
    board_at = (_MARGIN - left, (height - top - bottom) / 2)
    panel_at = (right - left + 2 * _MARGIN, _MARGIN)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {number(width)} {number(height)}" '
        f'width="{width * _SCALE:.0f}" height="{height * _SCALE:.0f}" '
        'font-family="\'DejaVu Sans\',Verdana,\'Segoe UI\',sans-serif" font-weight="700" text-anchor="middle">\n'
        f"<title>{_title(known)}</title>\n<desc>{_description(known)}</desc>\n{DEFS}"
        f'<rect width="{number(width)}" height="{number(height)}" rx="22" fill="#0c2f4a"/>\n'
        f'<g class="board" stroke-linejoin="round" {move_to(board_at)}>\n{_board(known, focus)}</g>\n'
        f'<g class="panel" {move_to(panel_at)}>{beside}</g>\n</svg>\n'
    )


def _title(state: TongiakiState) -> str:
    return f"Tongiaki, {state.players} players: {status(state)}"


def _description(state: TongiakiState) -> str:
    """The scores in words, for those who hear the picture."""
    seats = [
        f"seat {seat} has {counted(state.board.points(seat), 'point')} and {counted(state.supply[seat], 'ship')} in supply"
        for seat in range(state.players)
    ]
    islands = len(state.board.islands)
    laid = f"{counted(islands, 'island')} and {counted(len(state.board.cells) - islands, 'water')}"
    return f"On the table: {laid}; {'; '.join(seats)}."


def _board(state: TongiakiState, focus: Focus) -> str:
    """All tiles, and above them the marks, each one line."""
    board = state.board
    lines = [_tile(state, board.cells[cell], focus) for cell in sorted(board.cells)]
    lines += [_sunk(island, cell) for island, cell in focus.sunk if cell not in board.cells]
    for tile in sorted(focus.tiles):
        lines.append(f'<g class="last" data-tile="{NAMES[tile]}" {move_to(_middle(state, tile))}>{_rim(GOLD, 7)}</g>')
    if state.phase in {Phase.LAND, Phase.SETTLE}:
        lines.append(f'<g class="target" {move_to(_middle(state, state.target))}>{_rim("#fff", 4, "14 10")}</g>')
    lines.append(_voyage(state, focus))
    return "\n".join(line for line in lines if line) + "\n"


def _rim(color: str, width: int, dashes: str = "") -> str:
    """The edge of a tile."""
    dashed = f'stroke-dasharray="{dashes}"' if dashes else ""
    return f'{HEX} fill="none" {stroke(color, width, dashed)}/>'


def _middle(state: TongiakiState, tile: int) -> Point:
    return center(*coordinates(state.board.where[tile]))


def _tile(state: TongiakiState, tile: int, focus: Focus) -> str:
    board = state.board
    q, r = coordinates(board.where[tile])
    orientation = board.turned[tile]
    if tile < N_ISLANDS:
        first = FIRST_BEACH[tile]
        beaches = [packed_seats(packed) for packed in board.packed[first : first + N_BEACHES[tile]]]
        fresh = [(beach - first, seat) for beach, seat in focus.ships if 0 <= beach - first < len(beaches)]
        picture = island_picture(tile, orientation, beaches, royal=board.royal[tile], fresh=fresh)
    else:
        picture = water_picture(tile, orientation, packed_seats(board.stranded.get(tile, 0)))
    name = NAMES[tile].replace("_", " ")
    title = f"<title>{name} at {q},{r}, crest {COMPASS[orientation]}</title>"
    kind = "island" if tile < N_ISLANDS else "water"
    return (
        f'<g class="{kind}" data-tile="{NAMES[tile]}" data-cell="{q},{r}" data-orientation="{orientation}" '
        f'stroke="none" {move_to(center(q, r))}>{title}{picture}{_rim("#0d3a58", 3)}</g>'
    )


def _sunk(island: int, cell: int) -> str:
    """Where an island lay that has collapsed."""
    words = text(NAMES[island].replace("_", " "), (0, -2), 16, "#9cc3d9") + text("collapsed", (0, 18), 14, "#9cc3d9")
    return f'<g class="sunk" {move_to(center(*coordinates(cell)))}>{_rim("#9cc3d9", 3, "6 8")}{words}</g>'


def _voyage(state: TongiakiState, focus: Focus) -> str:
    """The way the group went, with an arrow where it came ashore or a cross where it failed."""
    if not focus.voyage:
        return ""
    path, end, angle = "", (0.0, 0.0), 0.0
    for tile, entry, leaving in focus.voyage:
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
    head = f'<path d="M-9 7L0 -10L9 7Z" {stroke(INK, 2)}/>' if focus.voyage[-1][0] < N_ISLANDS else '<circle r="9"/>'
    if focus.failed >= 0:
        head = '<path d="M-11 -11L11 11M11 -11L-11 11" stroke-width="7"/>'
    way = f'<path d="{path}" fill="none" stroke="{{}}" stroke-width="{{}}" stroke-dasharray="2 13" stroke-linecap="round"/>'
    line = f'<g fill="{GOLD}" stroke="{GOLD}">{way.format(INK, 13)}{way.format(GOLD, 9)}<g {move_to(end, angle)}>{head}</g></g>'
    return f'<g class="voyage">{line}{_numbers(state, focus)}</g>'


def _numbers(state: TongiakiState, focus: Focus) -> str:
    """The numbers of the routes that a voyage took, again, above its line."""
    shown = []
    for tile, entry, _ in focus.voyage:
        for route in ROUTE_CURVES[tile - N_ISLANDS] if tile >= N_ISLANDS else ():
            if entry in route.sides and route.colors > 1:
                (x, y), (dx, dy) = _middle(state, tile), turn(route.badge, 60 * state.board.turned[tile])
                shown.append(badge(route.colors, (x + dx, y + dy)))
    return "".join(shown)
