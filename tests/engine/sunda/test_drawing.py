"""Pictures and terminal drawings: well formed, complete, and of the size that was asked for."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from engine.render import drawing
from engine.render.palette import SEAT_COLORS
from engine.sunda import SundaMove, sunda
from engine.sunda.board.tiles import LAND
from engine.sunda.notation.moves import SHIFT
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
    assert title.text == "Sunda to Sahul, level 5, resources; one pot: Over: the tiles are used up"
    assert desc is not None
    assert desc.text is not None
    assert desc.text.endswith("seat 1 has 125 points; seat 2 has 36 points.")


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
    from engine.sunda.render.drawing import svg

    with pytest.raises(TypeError, match="positions of sunda, not TongiakiState"):
        svg(TONGIAKI.new(2, 0))
