"""Pictures of tables and puzzles, and what is a puzzle's solution."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from engine.render import drawing
from engine.render.palette import SEAT_COLORS
from engine.sunda import SundaMove, sunda
from engine.sunda.board.board import SundaBoard
from engine.sunda.board.tiles import LAND, TILE_OF_ID, WATER
from engine.sunda.board.trigrid import vertex_at
from engine.sunda.notation.moves import SHIFT
from engine.sunda.puzzle import Puzzle, PuzzleError, read_puzzle, write_region
from engine.tongiaki import TONGIAKI
from tests.engine.sunda.helpers import at, line_ups, random_game, vector

LINE_UPS = list(line_ups())

NAMES = {"svg": "http://www.w3.org/2000/svg"}


def tree(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314  # our own text


def of_class(root: ET.Element, name: str) -> list[ET.Element]:
    return [element for element in root.iter() if element.get("class") == name]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", range(len(LINE_UPS)))
def test_every_position_of_a_game_can_be_drawn(number: int) -> None:
    game, players = LINE_UPS[number]
    last = None
    for index, state in enumerate(random_game(game, players, seed=1000 + number)):
        if index % 47 == number or state.actor is None:
            root = tree(drawing.svg(state, last=last))
            p = state.inside
            assert {element.get("data-tile") for element in root.iter() if element.get("data-tile")} >= {
                text.split()[1] for text in state.text.splitlines() if text.startswith("tile ")
            }
            assert len(of_class(root, "tribe")) == len(p.claims.tribes)
            assert len(of_class(root, "water-right")) == len(p.claims.lakes)
            assert len(of_class(root, "node")) == sum(
                kind == LAND and p.board.is_closed(v) and v not in p.claims.tribes for v, kind in p.board.types.items()
            )
            for color in (True, False):
                assert drawing.lines(state, last=last, width=80, color=color)


def test_a_picture_says_in_words_what_it_shows() -> None:
    root = tree(drawing.svg(at("turns-L5-2p-22", 10**6)))
    title, desc = (root.find(f"svg:{name}", NAMES) for name in ("title", "desc"))
    assert title is not None
    assert title.text == "Sunda to Sahul: Over: the tiles are used up"
    assert desc is not None
    assert desc.text is not None
    assert desc.text.startswith("level 5, resources; one pot; ")
    words = [element.text for element in of_class(root, "seats")[0].iter(f"{{{NAMES['svg']}}}text")]
    assert [words[words.index(f"Seat {seat}") + 1] for seat in (1, 2)] == ["125", "36"]


def test_a_token_shows_its_seat_as_colour_and_as_number() -> None:
    state = sunda({"level": 2}).position("tile WLWW+-++ -1,0,0\ntile WLWW+-+- 1,-1,2\ntile WLWW+--+ 0,1,4\ntribe 0,0 0 1 1\n")
    (tribe,) = of_class(tree(drawing.svg(state)), "tribe")
    assert [element.text for element in tribe.iter() if element.text] == ["1", "2", "2"]
    fills = [element.get("fill") for element in tribe.iter() if element.tag.endswith("ellipse")]
    assert fills == [SEAT_COLORS[seat].hex for seat in (0, 1, 1)]


def test_the_last_move_and_a_triangular_space_are_marked() -> None:
    data = vector("turns-L4-3p-18")
    before = at("turns-L4-3p-18", 97)
    placed = before.game.parse(data["decisions"][96][1])
    root = tree(drawing.svg(before, last=placed))
    assert len(of_class(root, "space")) == len(of_class(root, "last")) == 1
    assert any("!" in line for line in drawing.lines(before, width=200, color=False))
    shifted = before.game.parse(data["decisions"][97][1])
    assert isinstance(shifted, SundaMove)
    assert shifted.kind == SHIFT
    root = tree(drawing.svg(at("turns-L4-3p-18", 98), last=shifted))
    assert len(of_class(root, "left")) == len(of_class(root, "last")) == 1
    assert not of_class(root, "space")
    assert not of_class(tree(drawing.svg(before)), "last")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("width", [20, 40, 80, 120, 400])
@pytest.mark.parametrize("height", [None, 5, 24, 100])
def test_terminal_lines_fit_and_say_what_is_cut_off(width: int, height: int | None) -> None:
    state = at("turns-L5-4p-25", 10**6)
    last = state.game.parse(vector("turns-L5-4p-25")["decisions"][-1][1])
    for color in (True, False):
        lines = drawing.lines(state, last=last, width=width, height=height, color=color)
        plain = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines]
        assert all(len(line) <= width for line in plain)
        assert height is None or len(lines) <= height
        assert ("\x1b" in "".join(lines)) == color
        assert plain[-1].startswith("cut off: "[:width]) or (width >= 80 and height in {None, 100})


def test_a_state_of_another_game_is_refused() -> None:
    from engine.sunda.render.drawing import scene

    with pytest.raises(TypeError, match="Sunda to Sahul position, not TongiakiState"):
        scene(TONGIAKI.new(2, 0))


HEXAGON = [(x, y, way) for x, y, way in [(0, 0, "u"), (-1, 0, "d"), (-1, 0, "u"), (-1, -1, "d"), (0, -1, "u"), (0, -1, "d")]]

ISLET = {(0, 0): "L", (1, 0): "W", (0, 1): "W", (-1, 1): "W", (-1, 0): "W", (0, -1): "W", (1, -1): "W"}


def tiles(*lines: str) -> list[tuple[int, int]]:
    laid = []
    for line in lines:
        name, place = line.split()
        x, y, d = map(int, place.split(","))
        laid.append((TILE_OF_ID[name], 6 * vertex_at(x, y) + d))
    return laid


SOLUTION = tiles("WLWW+-++ -1,0,0", "WLWW+-+- 1,-1,2", "WLWW+--+ 0,1,4")


def test_tiles_that_cover_the_region_and_match_solve_a_puzzle() -> None:
    assert read_puzzle(HEXAGON, ISLET).fault(SOLUTION) is None
    assert read_puzzle(HEXAGON, {}).fault(SOLUTION) is None
    assert read_puzzle(HEXAGON, {}).fault(SOLUTION[::-1]) is None


@pytest.mark.parametrize(
    ("solution", "fault"),
    [
        (SOLUTION[:2], "2 triangles of the region are left uncovered"),
        ([SOLUTION[0], SOLUTION[0]], "is laid twice"),
        (tiles("WLWW+-++ -1,0,0", "WLWW+-+- 0,-1,1"), "overlaps"),
        (tiles("WLWW+-++ 5,0,0"), "leaves the region"),
        (tiles("WLWW+-++ -1,0,0", "WLWW++++ 1,-1,2", "WLWW+--+ 0,1,4"), "has a tab that meets another tab"),
        (tiles("WLWW+-++ -1,0,0", "WLWW---- 1,-1,2", "WLWW+--+ 0,1,4"), "has a blank that meets another blank"),
        (tiles("WLWW+-++ -1,0,0", "WWWW+-+- 1,-1,2"), "shows water at 0,0"),
    ],
)
def test_a_wrong_solution_is_told_what_is_wrong(solution: list[tuple[int, int]], fault: str) -> None:
    assert fault in (read_puzzle(HEXAGON, {}).fault(solution) or "")


def test_a_given_type_must_be_shown() -> None:
    assert "which the puzzle gives as water" in (read_puzzle(HEXAGON, {(0, 0): "W"}).fault(SOLUTION) or "")


def test_laid_tiles_solve_the_puzzle_with_all_their_types_given() -> None:
    board = SundaBoard()
    for tile, placement in SOLUTION:
        board.lay(tile, placement)
    puzzle = Puzzle(list(board.spots.cover), board.types)
    assert puzzle.fault(SOLUTION) is None
    assert sorted(write_region(puzzle)) == sorted(HEXAGON)


def test_what_is_no_puzzle_is_refused() -> None:
    with pytest.raises(PuzzleError, match="even number"):
        read_puzzle(HEXAGON[:1], {})
    with pytest.raises(PuzzleError, match="at least two"):
        Puzzle([], {})
    with pytest.raises(PuzzleError, match="outside its region"):
        Puzzle([0, 1], {vertex_at(9, 9): WATER})
    with pytest.raises(PuzzleError, match="'u' or 'd'"):
        read_puzzle([(0, 0, "x"), (1, 0, "u")], {})
    with pytest.raises(PuzzleError, match="'L' or 'W'"):
        read_puzzle(HEXAGON, {(0, 0): "?"})
