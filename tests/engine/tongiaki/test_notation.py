"""RULES 7: one notation for each decision, the order of legal moves, and moves that are none."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.core import IllegalMoveError, InvalidMoveError
from engine.tongiaki import TONGIAKI, Kind, TongiakiMove
from engine.tongiaki.notation.moves import EXPAND, PLACE, SAIL, SETTLE
from tests.engine.tongiaki.helpers import ROOT, listed, parsed, position, somewhere

# The examples of the table of RULES 7, with what they hold.
TABLE = {
    "place 3": (Kind.PLACE, "", (3,), ()),
    "expand Samoa 0,2": (Kind.EXPAND, "Samoa", (0, 2), ()),
    "take Samoa:0": (Kind.TAKE, "Samoa", (0,), ()),
    "pass": (Kind.PASS, "", (), ()),
    "crown Samoa": (Kind.CROWN, "Samoa", (), ()),
    "recolonise": (Kind.RECOLONISE, "", (), ()),
    "enter Tonga 0,4": (Kind.ENTER, "Tonga", (0, 4), ()),
    "enter Tonga 4,4": (Kind.ENTER, "Tonga", (4, 4), ()),
    "enter Samoa 1": (Kind.ENTER, "Samoa", (1,), ()),
    "lay 2,-1 4": (Kind.LAY, "", (2, -1, 4), ()),
    "settle 1": (Kind.SETTLE, "", (1,), ()),
    "sail Samoa 2": (Kind.SAIL, "Samoa", (2,), ()),
    "land 0:02 1:1": (Kind.LAND, "", (), ((0, (0, 2)), (1, (1,)))),
    "land": (Kind.LAND, "", (), ()),
    "crown Rapa_Nui": (Kind.CROWN, "Rapa_Nui", (), ()),
    "crown Hiva_Oa": (Kind.CROWN, "Hiva_Oa", (), ()),
}
NO_MOVES = [
    *("", " ", "jump", "Place 3", "PLACE 3", "place", "place ", "place 6", "place -1", "place 03", "place 3 "),
    *(" place 3", "place  3", "place 3,4"),
    *("place \uff13", "place 3\n", "pass ", "pass now", "recolonize", "recolonise 1", "crown", "crown samoa"),
    *("crown W05", "crown Rapa Nui"),
    *("expand Samoa", "expand Samoa ", "expand Samoa 2,0", "expand Samoa 0,0", "expand Samoa 3", "expand Samoa 0, 2", "expand W01 0"),
    *("expand Atlantis 0", "expand Samoa 0,2,", "expand Samoa +1", "expand Samoa 1_0", "take Samoa 0", "take Samoa:", "take Samoa:3"),
    *("take Samoa:0:1", "take :0", "enter Tonga 0", "enter Tonga 4,0", "enter Tonga 0,1,2", "enter Samoa 0,1", "enter Samoa 3"),
    *("lay 2,-1", "lay 2,-1 6", "lay 2,-1 -1", "lay 2 -1 4", "lay -0,1 2", "lay 02,1 2", "lay 100,0 0", "lay 1.0,0 0", "lay 2,-1 4 5"),
    *("settle", "settle 6", "settle a", "sail Samoa", "sail Samoa 6", "sail Samoa -1", "sail Samoa 1,2", "sail 1"),
    *("land 0", "land 0:", "land 0:20", "land 0:6", "land 6:0", "land 1:0 0:0", "land 0:0 0:1", "land 0:000000"),
    *("land :0", "land 0:0  1:1"),
    *("land ", "land 0:\u0660", "place ²", "lay 2,-1 \uff14"),
]


@pytest.mark.parametrize("text", TABLE)
def test_every_form_of_the_table_is_read_and_written_back(text: str) -> None:
    move = TONGIAKI.parse(text)
    assert (move.kind, move.island_name, move.numbers, move.ships) == TABLE[text]
    assert str(move) == text
    assert repr(move) == f"find_game('tongiaki').parse('{text}')"


def test_the_table_of_the_rules_is_read_and_names_the_kinds_in_order() -> None:
    section = (ROOT / "docs/rules/tongiaki.md").read_text(encoding="utf-8").split("## 7.")[1]
    rows = [row.split("|")[2] for row in section.splitlines() if row.startswith("|")][2:]
    moves = [TONGIAKI.parse(text) for row in rows for text in re.findall("`([^`]*)`", row)]
    assert list(dict.fromkeys(move.kind for move in moves)) == list(Kind) == sorted(Kind)


@pytest.mark.parametrize("text", NO_MOVES)
def test_any_other_writing_is_refused_with_a_sentence_that_quotes_it(text: str) -> None:
    with pytest.raises(InvalidMoveError, match=r"^'.*' is (not a move|a move of sunda)") as refused:
        TONGIAKI.parse(text)
    assert "\n" not in str(refused.value)


WORDS = [*(kind.name.lower() for kind in Kind), "Samoa", "Tonga", "0,1", "0:1", "1", "-1,2"]


@given(st.text(max_size=40) | st.builds(" ".join, st.lists(st.sampled_from(WORDS), max_size=4)))
@example("place 3 4")
@example("start 1")
def test_every_text_is_either_a_move_that_is_written_the_same_or_refused(text: str) -> None:
    try:
        written = str(TONGIAKI.parse(text))
    except InvalidMoveError:
        written = text
    assert written == text


# The order of legal moves; that it is kept in whole games is seen in test_vectors and test_invariants

MIXED = """
    tongiaki
    players 3
    decides 0 {}
    Samoa 0,0 0: 0 - 00
    Tonga 0,-1 3: 0 0 0 1 - -
    Fidschi 1,-1 4: 0000 000 00
"""


def test_a_turn_lists_expand_take_pass_crown_recolonise_in_that_order() -> None:
    state = position(MIXED.format("turn"))
    moves = listed(state)
    assert [move.split(" ")[0] for move in moves] == ["take"] * 8 + ["pass"] + ["crown"] * 2 + ["recolonise"]
    assert moves[:2] == ["take Samoa:0", "take Samoa:2"]  # Samoa was laid before Tonga
    assert moves[9:11] == ["crown Samoa", "crown Fidschi"]


# What is not legal


@pytest.mark.parametrize("moves", [0, 3, 4, 20, 45, 70])
def test_an_illegal_move_leaves_the_state_as_it_was_and_the_error_names_the_move_and_the_position(moves: int) -> None:
    state = somewhere(3, 8, moves)
    before, events, legal = state.text, state.events, listed(state)
    move = next(text for text in TABLE if text not in legal)
    with pytest.raises(IllegalMoveError) as refused:
        state.play(parsed(move))
    assert (state.text, state.events, listed(state)) == (before, events, legal)
    assert f"'{move}' is not legal" in str(refused.value)
    assert f"seat {state.actor} has to choose from {legal[0]}" in str(refused.value)


def test_no_move_is_legal_when_the_game_is_over() -> None:
    state = position("tongiaki\nplayers 2\ndecides 0 over\nend idle\nTonga 0,0 0: 0 1 - - - -")
    assert not state.legal_moves
    assert len(state.legal_moves) == 0
    assert not any(parsed(move) in state.legal_moves for move in TABLE)
    with pytest.raises(IllegalMoveError, match="'pass' is not legal: the game is over"):
        state.play(parsed("pass"))


@pytest.mark.parametrize(
    "move", [TongiakiMove(PLACE, -1, (0, 5)), TongiakiMove(PLACE, -1, (-1,)), TongiakiMove(PLACE, -1, ()), TongiakiMove(PLACE, -1, (6,))]
)
def test_a_move_built_by_hand_is_legal_only_if_it_is_listed(move: TongiakiMove) -> None:
    assert move not in TONGIAKI.new(2, 0).legal_moves


def test_hand_built_moves_of_other_kinds_are_legal_only_if_listed() -> None:
    turn = position(MIXED.format("turn").replace("0000 000 00", "- - -"))
    settle = position("tongiaki\nplayers 2\ndecides 0 settle Nauru\nTonga 0,0 0: - 1 - - - -\nNauru 0,-1 3: - - -")
    sail = position("tongiaki\nplayers 2\ndecides 0 sail\nTonga 0,0 0: 001 - - - - -")
    assert TongiakiMove(EXPAND, -1, (0,)) not in turn.legal_moves
    assert TongiakiMove(EXPAND, 15, ()) not in turn.legal_moves
    assert TongiakiMove(EXPAND, 15, (0, 1, 2, 3)) not in turn.legal_moves
    assert TongiakiMove(SETTLE, -1, (0, 1)) not in settle.legal_moves
    assert TongiakiMove(SETTLE, -1, (3,)) not in settle.legal_moves
    assert TongiakiMove(SAIL, 0, (0, 1)) not in sail.legal_moves
    assert TongiakiMove(SAIL, 0, (6,)) not in sail.legal_moves
