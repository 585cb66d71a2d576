"""Sketches of moves: what they draw and where, and which moves have none."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from engine.registry import find_game
from engine.render import drawing
from engine.render.scene import Box
from tests.arena.web.replays import SUNDA, TONGIAKI, timeline_of_vector

NOWHERE = {"pass", "recolonise", "land", "accept", "refuse", "skip", "agree", "stop", "raid", "wait", "seize"}
"""Moves that are nowhere on the board; a landing for which no berth is free is written without any."""


@pytest.mark.parametrize("name", [TONGIAKI, SUNDA, "sunda/turns-L5-3p-10"])
def test_a_move_on_the_board_is_drawn_there_and_any_other_is_not(name: str) -> None:
    timeline = timeline_of_vector(name)
    for state, move in zip(timeline.states, timeline.moves, strict=False):
        sketch = drawing.sketch(state, move)
        word, *rest = str(move).split()
        assert (sketch is None) == (word in NOWHERE and not (word == "land" and rest)), move
        if sketch is not None:
            x, y, width, height = sketch.box
            assert x < sketch.at[0] < x + width
            assert y < sketch.at[1] < y + height
            assert ElementTree.fromstring(f"<svg>{sketch.markup}</svg>").tag == "svg"  # noqa: S314  # our own


def test_a_ship_is_drawn_in_the_berth_that_it_takes() -> None:
    timeline = timeline_of_vector(TONGIAKI)
    state = timeline.states[0]
    sketch = drawing.sketch(state, state.game.parse("place 1"))
    assert sketch is not None
    after = state.copy()
    after.play(state.game.parse("place 1"))
    ships = [piece.markup for piece in drawing.scene(after).pieces.values() if 'class="ship"' in piece.markup]
    assert len(ships) == 1
    assert 'data-seat="0"' in sketch.markup
    assert drawing.sketch(after, state.game.parse("place 1")) != sketch, "the first berth is taken now"


def test_a_tile_is_sketched_where_it_would_lie() -> None:
    timeline = timeline_of_vector("sunda/turns-L0-2p-34")
    at = next(index for index, move in enumerate(timeline.moves) if str(move).startswith("place"))
    sketch = drawing.sketch(timeline.states[at], timeline.moves[at])
    assert sketch is not None
    after = drawing.scene(timeline.states[at + 1], last=timeline.moves[at], before=timeline.states[at])
    edge = after.pieces["last tile"].markup.partition('d="')[2].partition('"')[0]
    assert f'd="{edge}"' in sketch.markup
    assert isinstance(sketch.box, Box)


def test_a_move_of_another_game_is_refused() -> None:
    state = find_game("tongiaki").new(2, 1)
    with pytest.raises(TypeError, match="moves of tongiaki"):
        drawing.sketch(state, find_game("sunda").new(2, 1).legal_moves[0])
