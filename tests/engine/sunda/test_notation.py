from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core import InvalidMoveError
from engine.sunda import SundaMove, sunda
from engine.sunda.board.tiles import SYMMETRIC
from engine.sunda.board.trigrid import REACH, vertex_at
from engine.sunda.notation.moves import NOTHING, parse_move

EXAMPLES = [
    *("start WWWW+-+-", "place LLWW+-+- 3,-1,2", "shift 3,-1,2 5,0,1", "claim 3,0", "join 3,0", "accept", "refuse", "lake 2,2"),
    *("resource 4 3,0", "challenge 3,0 5,1", "skip", "agree", "stop", "raid 2 LLWW+-+-", "wait"),
    *("seize LLLL++++ WWWW----", "seize LLLL++++"),
]


@pytest.mark.parametrize("text", EXAMPLES)
def test_each_notation_of_the_table_is_read_and_written_back(text: str) -> None:
    assert str(parse_move(text)) == text
    assert parse_move(text) == parse_move(text)
    assert repr(parse_move(text)) == f"find_game('sunda').parse('{text}')"


@pytest.mark.parametrize("text", EXAMPLES)
def test_every_move_is_explained_in_words_of_its_own(text: str) -> None:
    game = sunda({})
    assert game.explain(game.parse(text)) not in {game.explain(game.parse(other)) for other in EXAMPLES if other != text}


tiles = st.integers(0, 135)
vertices = st.builds(vertex_at, st.integers(-REACH, REACH), st.integers(-REACH, REACH))
placements = st.builds(lambda vertex, d: 6 * vertex + d, vertices, st.integers(0, 5))


@given(tiles, placements, placements, vertices, vertices, st.integers(1, 99), st.integers(0, 3))
def test_every_move_is_read_back_from_its_notation(tile: int, p: int, q: int, v: int, w: int, value: int, seat: int) -> None:
    place = p - 3 if SYMMETRIC[tile] and p % 6 > 2 else p
    moves = [SundaMove(0, tile), SundaMove(1, tile, place), SundaMove(2, p, q), SundaMove(8, value, v), SundaMove(9, v, w)]
    moves += [SundaMove(kind, v) for kind in (3, 4, 7)] + [SundaMove(13, tile, seat), SundaMove(15, tile, NOTHING)]
    for move in moves:
        assert parse_move(str(move)) == move


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "move", "PLACE LLWW+-+- 3,-1,2", "place", "place LLWW+-+-", "place LLWW+-+- 3,-1", "place LLWW+-+- 3,-1,6"),
        *("place LLWW+-+- 3,-1,-1", "place LLWW+-+- 3,-1,2 ", " place LLWW+-+- 3,-1,2", "place LLWW+-+-  3,-1,2", "place LLWW+-+- 3, -1,2"),
        *("place LLWW+-+- +3,-1,2", "place LLWW+-+- 03,-1,2", "place LLWW+-+- 3,-0,2", "place LLWW+-+- ٣,-1,2", "place LLWW+-+- 3,-1,2\n"),
        *("place WWLL+-+- 3,-1,2", "place llww+-+- 3,-1,2", "place LLWW+-+ 3,-1,2", "place LLLL+-+- 0,0,3", "place LLWW+-+- 501,0,0"),
        *("place LLWW+-+- 99999999999999999999,0,0", "claim 3", "claim 3,0,1", "claim", "resource 0 3,0"),
        *("resource -1 3,0", "resource 3,0 1"),
        *("raid 4 LLWW+-+-", "raid -1 LLWW+-+-", "raid LLWW+-+- 2", "seize", "seize LLLL++++ LLLL++++", "seize WWWW---- LLLL++++"),
        *("seize LLLL++++ LLLL+++- LLLL++-+", "wait 1", "skip skip", "start LLLL", "shift 3,-1,2", "challenge 3,0", "agree ", "stop."),
    ],
)
def test_anything_else_is_no_move(text: str) -> None:
    with pytest.raises(InvalidMoveError):
        parse_move(text)


@pytest.mark.parametrize(
    "text",
    [
        *("expand Samoa 0", "sail Samoa 2", "place 3", "take Samoa:0", "pass", "crown Samoa", "recolonise", "lay 2,-1 4"),
        *("settle 1", "land 0:02"),
    ],
)
def test_a_move_of_tongiaki_is_refused_as_such(text: str) -> None:
    with pytest.raises(InvalidMoveError, match="is a move of Tongiaki"):
        parse_move(text)


def test_a_tile_in_its_other_half_turn_is_named() -> None:
    with pytest.raises(InvalidMoveError, match=r"WWLL\+-\+\+ is the tile LLWW\+\+\+- after a half turn"):
        parse_move("place WWLL+-++ 0,0,0")
