"""Drawings of puzzles: the outline, what is given, and nothing of the inner borders."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from engine.sunda.puzzle import read_puzzle
from engine.sunda.render import outline
from tests.engine.sunda.test_drawing import HEXAGON, ISLET

ISLAND = """\
   W─────W
  /       \\
 / ░░░░░░  \\
W  ░░░L░░   W
 \\ ░░░░░░  /
  \\       /
   W─────W"""

HALF_GIVEN = """\
   ?─────?
  /·······\\
 / ░░░░░░··\\
?··░░░L░░···?
 \\ ░░░░░░··/
  \\·······/
   ?─────?"""


def test_an_island_is_drawn_without_its_inner_borders() -> None:
    assert outline.lines(read_puzzle(HEXAGON, ISLET), color=False) == ISLAND.split("\n")


def test_vertices_without_a_type_are_question_marks() -> None:
    drawn = outline.lines(read_puzzle(HEXAGON, {(0, 0): "L"}), color=False)
    assert [line.replace("·", " ") for line in drawn] == [line.replace("·", " ") for line in HALF_GIVEN.split("\n")]
    assert "·" in "".join(drawn)


def test_a_narrow_terminal_gets_the_smaller_form_or_none() -> None:
    puzzle = read_puzzle(HEXAGON, ISLET)
    assert max(map(len, outline.lines(puzzle, width=12, color=False))) == 9
    assert outline.lines(puzzle, width=8, color=False) == []


def test_the_picture_names_every_vertex_and_has_one_edge() -> None:
    text = outline.svg(read_puzzle(HEXAGON, ISLET))
    picture = ET.fromstring(text)  # noqa: S314  # our own
    assert picture.tag.endswith("svg")
    assert "<title>0,0: land</title>" in text
    assert text.count("data-vertex") == 7
    assert "not given" not in text
    assert text.partition('class="outline" d="')[2].partition('"')[0].count("M") == 6
