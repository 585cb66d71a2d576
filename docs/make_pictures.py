"""Draws the pictures of the rules into docs/pictures/rules/: positions, and what moves make of them, by the engine's own drawings.

Nothing in them is drawn by hand but the words and the numbers beside the tiles. ``python docs/make_pictures.py`` writes them; a test says
when one of those in the repository is no longer what it writes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from engine.core import Game, Move, State
from engine.registry import find_game
from engine.render.drawing import drawer, scene
from engine.render.scene import Box
from engine.render.svg import LETTERS, move_to, number, stroke, text
from engine.replay.format import read_replay
from engine.replay.verifier import state_at
from engine.sunda.board.trigrid import corners_of, lozenge_of
from engine.sunda.notation.moves import write_vertex
from engine.sunda.render.panel import sunda_state
from engine.sunda.render.pictures import point_of
from engine.tongiaki.board.tiles import ISLANDS, TILE_OF_NAME
from engine.tongiaki.render.pictures import APOTHEM, BEACH_ARCS, TILE_BOX, polar, tile_picture

ROOT: Final = Path(__file__).parent.parent
FOLDER: Final = ROOT / "docs" / "pictures" / "rules"
_GAP: Final = 26.0
_LINE: Final = 25.0
_LETTER: Final = 18.0
_SCALE: Final = 0.7
"""Pixels for each unit, where the page doesn't say otherwise."""


class Panel(NamedTuple):
    """A part of a picture: what is drawn, which part of the plane is shown, and what is written below it."""

    drawn: str
    box: Box
    words: str


def board(state: State, words: str, *, last: Move | None = None, before: State | None = None, notes: str = "") -> Panel:
    """The table of a position, with what its last move did."""
    found = scene(state, last=last, before=before)
    return Panel(f'<g stroke-linejoin="round">{found.drawn()}</g>{notes}', found.box, words)


def picture(like: State, title: str, panels: Sequence[Panel], columns: int = 2) -> str:
    """The panels in rows, on the ground of that state's game, as a standalone SVG document."""
    ground = drawer(like).sheet
    ink = "#ffffff" if like.game.name == "tongiaki" else "#23303a"
    rows = [panels[first : first + columns] for first in range(0, len(panels), columns)]
    width = max(_width(row) for row in rows)
    drawn, y = [], _GAP
    for row in rows:
        height, x = max(panel.box.height for panel in row), (width - _width(row)) / 2 + _GAP
        for panel in row:
            room = _room(panel)
            at = (x + (room - panel.box.width) / 2 - panel.box.x, y + (height - panel.box.height) / 2 - panel.box.y)
            drawn.append(f"<g {move_to(at)}>{panel.drawn}</g>")
            for index, line in enumerate(panel.words.split("\n")):
                drawn.append(text(line, (x + room / 2, y + height + _LINE * (index + 1) + 4), _LETTER, ink))
            x += room + _GAP
        y += height + _LINE * max(panel.words.count("\n") + 1 for panel in row) + _GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {number(width)} {number(y)}" '
        f'width="{width * _SCALE:.0f}" height="{y * _SCALE:.0f}" {LETTERS}>\n<title>{title}</title>\n{ground.defs}'
        f'<rect width="{number(width)}" height="{number(y)}" rx="18" fill="{ground.table}"/>\n' + "\n".join(drawn) + "\n</svg>\n"
    )


def _room(panel: Panel) -> float:
    """How wide a panel is, with its words."""
    return max(panel.box.width, max(map(len, panel.words.split("\n"))) * _LETTER * 0.62)


def _width(row: Sequence[Panel]) -> float:
    return sum(map(_room, row)) + _GAP * (len(row) + 1)


# Tongiaki

_DECK: Final = "\ndeck W02 Mangareva W04 Rarotonga"


def _steps(game: Game, position: str, *moves: str) -> Iterator[tuple[State, Move, State]]:
    """After each move: the position, the move, and the position before it."""
    state = game.position(position)
    for notation in moves:
        before, move = state.copy(), game.parse(notation)
        state.play(move)
        yield state.copy(), move, before


def tongiaki_tiles() -> str:
    """An island and a water by themselves."""
    game = find_game("tongiaki")
    box = Box(TILE_BOX.x - 22, TILE_BOX.y - 24, TILE_BOX.width + 44, TILE_BOX.height + 48)
    sides = "".join(text(str(side), _down(polar(60 * side, APOTHEM + 15), 7), 20, "#ffc93c") for side in range(6))
    samoa = TILE_OF_NAME["Samoa"]
    beaches = ", ".join(
        f"{index}: {beach.berths} berths, {'piers' if len(beach.piers) > 1 else 'pier'} {' and '.join(map(str, beach.piers))}"
        for index, beach in enumerate(ISLANDS[samoa].beaches)
    )
    first, _, rest = beaches.partition(", 1:")
    second, _, third = rest.partition(", 2:")
    numbers = "".join(text(str(index), _down(polar(arc.end, 38), 6), 15, "#10293b") for index, arc in enumerate(BEACH_ARCS[samoa]))
    island = Panel(tile_picture(samoa) + sides + numbers, box, f"Samoa, 5 points. Beach {first}\n1:{second}\n2:{third}")
    water = Panel(tile_picture(TILE_OF_NAME["W10"]) + sides, box, "The water W10. Routes: 0-4 asks for\n2 colours, 1-3 for 3, 2-5 for 4")
    return picture(game.new(2, 0), "An island and a water of Tongiaki, with their sides numbered", [island, water])


def _down(point: tuple[float, float], by: float) -> tuple[float, float]:
    return point[0], point[1] + by


_VOYAGE: Final = "tongiaki\nplayers 3\ndecides 0 sail\nTonga 0,0 0: 1 {} 0 1 - 2\nW10 1,-1 4\nSamoa 2,-1 5: 1 - 0" + _DECK


def tongiaki_voyage() -> str:
    """A group that gets across a water, and lands."""
    game = find_game("tongiaki")
    (sailing, sail, start), (landed, land, waiting) = _steps(game, _VOYAGE.format("012"), "sail Tonga 1", "land 0:2 1:0 2:1")
    panels = [
        board(start, "Beach 1 of Tonga is full: it must sail"),
        board(sailing, "Three colours on a route\nthat asks for two: Samoa is reached", last=sail, before=start),
        board(landed, "Three ships and three open\nbeaches: each gets one", last=land, before=waiting),
    ]
    return picture(start, "A voyage of Tongiaki that succeeds, and its landing", panels)


def tongiaki_failure() -> str:
    """A group that fails on a water."""
    game = find_game("tongiaki")
    ((failed, sail, start),) = _steps(game, _VOYAGE.format("000"), "sail Tonga 1")
    panels = [
        board(start, "The same beach, full of one colour"),
        board(failed, "One colour where two are asked for:\nthe three ships return to supply", last=sail, before=start),
    ]
    return picture(start, "A voyage of Tongiaki that fails", panels)


def tongiaki_royal() -> str:
    """A royal island is founded, and turns a group back."""
    game = find_game("tongiaki")
    position = "tongiaki\nplayers 2\ndecides 0 turn\nTonga 0,0 0: 0 11 1 - 1 -\nSamoa 1,0 5: 0 00 -\nW13 1,-1 4" + _DECK
    ((crowned, crown, start),) = _steps(game, position, "crown Samoa")
    ((_, _, _), (turned, sail, before)) = _steps(game, crowned.text, "expand Tonga 0,1,2,4", "sail Tonga 1")
    panels = [
        board(start, "Only seat 0 has ships on Samoa"),
        board(crowned, "crown Samoa: a mask in the middle,\nthe other ships return to supply", last=crown, before=start),
        board(turned, "A group that comes to it turns round\nand lands on the island it left", last=sail, before=before),
    ]
    return picture(start, "A royal island of Tongiaki", panels, 3)


def tongiaki_collapse() -> str:
    """An island that only leads back to itself collapses."""
    game = find_game("tongiaki")
    position = (
        "tongiaki\nplayers 3\ndecides 0 turn\nTubuai 0,0 0: 00 11\nSamoa 1,-1 4 royal 1\nNauru 1,0 5 royal 1\n"
        "Oahu -1,1 1 royal 2\nHawaii -1,0 2 royal 2\nTuvalu 0,1 0: 0 - -" + _DECK
    )
    ((after, move, before),) = _steps(game, position, "expand Tubuai 0,1")
    panels = [
        board(before, "A royal island before every pier of Tubuai,\nand six berths for four ships"),
        board(after, "expand Tubuai 0,1 fills a beach for good:\nthe island collapses, the ships return", last=move, before=before),
    ]
    return picture(before, "An island of Tongiaki collapses", panels)


# Sunda to Sahul


def _played(level: int, seed: int, moves: str) -> list[tuple[State, Move | None]]:
    """All positions of a game that begins with those moves, each with the move that led to it."""
    game = find_game("sunda", {"level": level})
    state = game.new(2, seed)
    found: list[tuple[State, Move | None]] = [(state.copy(), None)]
    for notation in moves.split("; "):
        move = game.parse(notation)
        state.play(move)
        found.append((state.copy(), move))
    return found


def _shown(game: list[tuple[State, Move | None]], index: int, words: str, notes: str = "") -> Panel:
    state, move = game[index]
    return board(state, words, last=move, notes=notes)


def _widened(panel: Panel, by: float) -> Panel:
    x, y, width, height = panel.box
    return panel._replace(box=Box(x - by, y - by, width + 2 * by, height + 2 * by))


def _one_tile(tile: str, placement: str) -> State:
    game = find_game("sunda")
    return game.position(f"sunda\nplayers 2\ndice 0 0\nturn 0 1\ntile {tile} {placement}\ndecide lay")


def sunda_tiles() -> str:
    """A tile with its corners and sides named, and tiles of several types."""
    tile = "LLWW+-+-"
    state = _one_tile(tile, "0,0,0")
    corners = [point_of(vertex) for vertex in corners_of(lozenge_of(0))]
    middle = (sum(x for x, _ in corners) / 4, sum(y for _, y in corners) / 4)
    notes = "".join(text(f"c{i}", _away(corner, middle, 15), 13, "#23303a") for i, corner in enumerate(corners))
    for i, (a, b) in enumerate(pairwise([*corners, corners[0]])):
        notes += text(f"s{i}", _away(((a[0] + b[0]) / 2, (a[1] + b[1]) / 2), middle, 17), 13, "#9a3d00")
    panels = [_widened(board(state, "LLWW+-+-", notes=notes), 22)]
    panels += [_widened(board(_one_tile(each, "0,0,0"), each), 22) for each in ("WWWW+-+-", "LLLL+-+-", "WLWW+--+", "LWLW++--", "LWWL+--+")]
    return picture(state, "Tiles of Sunda to Sahul; on the first one its corners c and its sides s", panels, 3)


def _away(point: tuple[float, float], middle: tuple[float, float], by: float) -> tuple[float, float]:
    dx, dy = point[0] - middle[0], point[1] - middle[1]
    length = (dx * dx + dy * dy) ** 0.5
    return point[0] + by * dx / length, point[1] + by * dy / length + 4.5


_ISLAND: Final = "start WWWW----; place WLWW---+ 0,0,5; place WLWW+--+ 2,-1,3; place WLWW+++- 1,-2,1; claim 1,-1"
_LAKE: Final = (
    "start WWWW+---; place LLWW-++- -1,2,4; place LLWL-+++ -1,2,3; place LLLW---+ -2,0,0; place LLLW-+-- -3,2,4; place LLWW+--- -3,1,1; "
    "place LLWL-+-+ -3,3,4; lake -2,1"
)
_SHIFT: Final = (
    "start WWWW+++-; place WWWW++-- -1,0,0; place WWWW+-+- 1,-1,2; place LWWL---- 2,1,3; place LWWL+--+ 2,0,3; shift 0,0,0 2,-2,2"
)
_TRIBES: Final = (
    "start WWWW+-+-; place WWWW-+-- 0,1,0; place WWWW-+-+ -1,1,0; place LWWW+--+ -2,1,0; place LWWL++++ -1,3,5; place LLWL-+-+ -1,3,0; "
    "place WLWW--++ 0,4,4; claim 0,3; place WLWW-+-+ 0,2,2; place LLWL-+-- -1,4,3; claim -1,3; challenge -1,3 0,3; "
    "place LLLW-+++ -3,5,5; place WLWL++-+ 0,4,2; claim -1,4; skip; place LLWL---+ -3,5,4; join -1,3; skip; place LWLW++-- -3,3,4; "
    "place WLWL+++- -4,4,5; place LWWL-+++ -3,5,3; join -1,4; challenge -1,4 -1,3"
)


def sunda_lattice() -> str:
    """A tile laid against another, with the vertices' coordinates."""
    game = _played(0, 1, _ISLAND.partition("; place WLWW+--+")[0])
    state = game[2][0]
    notes = ""
    for vertex in sunda_state(state).inside.board.types:
        x, y = point_of(vertex)
        notes += f'<circle cx="{number(x)}" cy="{number(y)}" r="3.4" fill="#23303a"/>'
        notes += text(write_vertex(vertex), (x, y - 8), 12.5, "#23303a", stroke("#fbf8f0", 3, 'paint-order="stroke"'))
    return picture(state, "Placements of Sunda to Sahul", [_widened(_shown(game, 2, "place WLWW---+ 0,0,5", notes), 22)])


def sunda_island() -> str:
    """An island is completed."""
    game = _played(1, 1, _ISLAND)
    panels = [
        _shown(game, 3, "Two of the three tiles\naround the vertex 1,-1"),
        _shown(game, 4, "The third closes it: a land node,\nand the island is complete"),
        _shown(game, 5, "claim 1,-1: one point,\ndoubled on a complete island"),
    ]
    return picture(game[0][0], "An island of Sunda to Sahul is completed", panels, 3)


def sunda_lake() -> str:
    """A lake closes, and gets its token."""
    game = _played(1, 1, _LAKE)
    panels = [
        _shown(game, 6, "The water at -2,1 is still open"),
        _shown(game, 7, "Closed all round: a lake"),
        _shown(game, 8, "lake -2,1: the water rights"),
    ]
    return picture(game[0][0], "A lake of Sunda to Sahul", panels, 3)


def sunda_shift() -> str:
    """A triangular space, and the shift that mends it."""
    game = _played(0, 1, _SHIFT)
    panels = [
        _shown(game, 5, "The last tile makes\na triangular space"),
        _shown(game, 6, "shift 0,0,0 2,-2,2: one of the\ntwo others lies elsewhere now"),
    ]
    return picture(game[0][0], "A triangular space in Sunda to Sahul", panels)


def sunda_tribes() -> str:
    """A token of its own, a tribe of two, and a challenge."""
    game = _played(4, 2, _TRIBES)
    panels = [
        _shown(game, 15, "claim -1,4: a tribe of one"),
        _shown(game, 23, "join -1,4: a tribe of two"),
        _shown(game, 24, "challenge -1,4 -1,3: one die each,\n1 against 3, the challenger takes one back"),
    ]
    return picture(game[0][0], "Tribes and a challenge in Sunda to Sahul", panels, 2)


def sunda_solo() -> str:
    """A whole table of one player."""
    replay = read_replay((ROOT / "examples" / "sunda-solo-136.json").read_text(encoding="utf-8"))
    panel = board(state_at(replay, len(replay.decisions)), "All 136 tiles, 68 land nodes in complete islands: 136 points")
    return picture(state_at(replay, 0), "A table of Sunda to Sahul, played alone", [panel], 1)


PICTURES: Final[dict[str, Callable[[], str]]] = {
    "tongiaki-tiles": tongiaki_tiles,
    "tongiaki-voyage": tongiaki_voyage,
    "tongiaki-failure": tongiaki_failure,
    "tongiaki-royal": tongiaki_royal,
    "tongiaki-collapse": tongiaki_collapse,
    "sunda-tiles": sunda_tiles,
    "sunda-lattice": sunda_lattice,
    "sunda-island": sunda_island,
    "sunda-lake": sunda_lake,
    "sunda-shift": sunda_shift,
    "sunda-tribes": sunda_tribes,
    "sunda-solo": sunda_solo,
}
"""By file name."""


def main() -> None:
    """Write all of them."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, draw in PICTURES.items():
        (FOLDER / f"{name}.svg").write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
