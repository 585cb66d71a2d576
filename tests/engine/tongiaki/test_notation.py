"""Moves and positions as text: what is written is read back, and anything else is refused in a sentence."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.core import IllegalMoveError, InvalidMoveError, PositionError
from engine.tongiaki import TONGIAKI, Kind, Phase, TongiakiMove
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
    with pytest.raises(InvalidMoveError, match=r"^'.*' is (not a Tongiaki|a Sunda)") as refused:
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


DECK = "deck W16 Rapa_Nui"

SOURCE = Path(__file__).parents[3] / "engine" / "tongiaki" / "notation" / "fen.py"

EXAMPLE = dedent((ast.get_docstring(ast.parse(SOURCE.read_text())) or "").split("::")[1].split("``decides``")[0]).strip() + "\n"

# One position for each thing there is to decide, written as the engine writes it.
PHASES = {
    "place": "tongiaki\nplayers 3\ndecides 1 place\nTonga 0,0 0: 0 1 2 0 - -\n",
    "turn": "tongiaki\nplayers 3\ndecides 2 turn\nidle 7\nTonga 0,0 0: 0 1 2 0 - -\n",
    "taken": "tongiaki\nplayers 2\ndecides 0 taken Tonga:1\nTonga 0,0 0: 00 0 1 - - -\nFidschi 1,-1 4: 0000 000 000\n",
    "lay": "tongiaki\nplayers 2\ndecides 0 lay W05 recolonise\nturn laid\nTonga 0,0 0: - 1 - - - -\nW01 0,-1 3\n",
    "lay after a collapse": "tongiaki\nplayers 2\ndecides 0 lay Nauru collapse\nturn departures 30\nW01 0,-1 3\n",
    "settle": "tongiaki\nplayers 2\ndecides 0 settle Nauru\nturn laid\nTonga 0,0 0: - 1 - - - -\nNauru 0,-1 3: - - -\n",
    "sail": "tongiaki\nplayers 2\ndecides 0 sail\nTonga 0,0 0: 001 - - - - -\n",
    "land": "tongiaki\nplayers 2\ndecides 0 land Tonga 001\nturn departures 1\nTonga 0,0 0: - 1 - - - -\n",
    "the end": "tongiaki\nplayers 2\ndecides 0 sail\nend islands\nTonga 0,0 0: 001 - - - - -\nW09 0,-1 3 stays 011\ndeck W16\n",
    "over": "tongiaki\nplayers 2\ndecides 1 over\nidle 20\nend idle\nTonga 0,0 0: 0 1 - - - -\nSamoa 0,-1 3 royal 1\n",
}


def with_deck(text: str) -> str:
    return text if "deck" in text else f"{text}{DECK}\n"


def test_the_example_of_the_module_is_read_fact_by_fact() -> None:
    state = TONGIAKI.position(EXAMPLE)
    assert (state.players, state.actor, state.phase) == (2, 1, Phase.SAIL)
    assert (state.idle, state.departures, state.laid, state.returned) == (3, 2, True, {0: 1})
    assert state.supply == [12, 10]
    assert state.text == EXAMPLE


@pytest.mark.parametrize("name", PHASES)
def test_a_position_of_every_kind_is_read_and_written_back(name: str) -> None:
    text = with_deck(PHASES[name])
    assert TONGIAKI.position(text).text == text


def test_a_views_position_goes_round_and_stays_read_only() -> None:
    known = somewhere(3, 4, 60).view(0).position
    again = TONGIAKI.position(known.text)
    assert again == known
    assert again.read_only


def test_a_position_is_written_by_hand_with_blanks_and_empty_lines_around() -> None:
    indented = "\n\n" + "\n\n".join(f"    {row}  " for row in EXAMPLE.splitlines())
    assert TONGIAKI.position(indented).text == EXAMPLE


BASE = "tongiaki\nplayers 2\ndecides 0 turn\nTonga 0,0 0: 0 1 - - - -\n" + DECK

REFUSED = {
    "nothing": ("", "begin with the line 'tongiaki'"),
    "another game": (BASE.replace("tongiaki", "sunda", 1), "begin with the line 'tongiaki'"),
    "one player": (BASE.replace("players 2", "players 1"), "players N"),
    "seven players": (BASE.replace("players 2", "players 7"), "players N"),
    "no players": (BASE.replace("players 2\n", ""), "players N"),
    "nobody decides": (BASE.replace("decides 0 turn\n", ""), "'decides SEAT WHAT' is missing"),
    "an unknown decision": (BASE.replace("turn", "dance"), "line 'decides 0 dance' can't be read"),
    "no decision": (BASE.replace(" turn", ""), "line 'decides 0' can't be read"),
    "a seat that is not there": (BASE.replace("decides 0", "decides 2"), "there is no seat 2"),
    "a seat that is no number": (BASE.replace("decides 0", "decides x"), "line 'decides x turn' can't be read"),
    "a ship of no seat": (BASE.replace(": 0 1", ": 0 5"), "there is no seat 5"),
    "an unknown word": (BASE + "\nnonsense 3", "line 'nonsense 3'"),
    "an unknown tile": (BASE + "\nAtlantis 0,1 0: -", "line 'Atlantis 0,1 0: -'"),
    "an unknown tile in the deck": (BASE.replace("W16", "W99"), "there is no tile 'W99'"),
    "an unknown end": (BASE + "\nend boredom", "line 'end boredom' can't be read"),
    "an unknown fact of the turn": (BASE + "\nturn ashore", "'ashore' should be 'departures N', 'laid' or 'returned ISLAND:N'"),
    "a negative count of turns": (BASE + "\nidle -4", "line 'idle -4'"),
    "a count that is no number": (BASE + "\nidle +4", "line 'idle [+]4'"),
    "a negative count of departures": (BASE + "\nturn departures -1", "line 'turn departures -1'"),
    "a water that ships return to": (BASE + "\nturn returned W01:3", "line 'turn returned W01:3'"),
    "an island twice": (BASE + "\nTonga 0,1 0: - - - - - -", "occurs in an earlier line"),
    "a cell twice": (BASE + "\nSamoa 0,0 0: - - -", "occurs in an earlier line"),
    "a tile laid and in the deck": (BASE + "\nW16 0,1 0", "W16 occurs twice"),
    "a tile twice in the deck": (BASE + " W16", "W16 occurs twice"),
    "a tile in hand and in the deck": (BASE.replace("turn", "lay W16 collapse"), "W16 occurs twice"),
    "a line twice": (BASE + "\ndeck W01 Nauru", "line 'deck W01 Nauru'"),
    "two who decide": (BASE + "\ndecides 1 turn", "line 'decides 1 turn'"),
    "an orientation of 6": (BASE.replace("0,0 0", "0,0 6"), "line 'Tonga 0,0 6"),
    "a cell too far away": (BASE + "\nSamoa 1,40 0: - - -", "line 'Samoa 1,40 0"),
    "a digit of another script": (BASE.replace("0,0", "\u0660,0"), "line 'Tonga"),
    "a beach too few": (BASE.replace(": 0 1", ": 0"), "Tonga has 6 beaches"),
    "a beach too many": (BASE.replace(": 0 1", ": 0 1 -"), "Tonga has 6 beaches"),
    "no beaches": (BASE.replace(": 0 1 - - - -", ""), "Tonga has 6 beaches"),
    "more ships than berths": (BASE.replace(": 0 1", ": 0001 1"), "more ships than the beach"),
    "more ships than a seat has": (BASE + "\nW01 0,1 0 stays 000000000000000", "seat 0 has more than 15 ships"),
    "beaches of a water": (BASE + "\nW01 0,1 0: 0 1", "line 'W01 0,1 0: 0 1'"),
    "a royal water": (BASE + "\nW01 0,1 0 royal 1", "line 'W01 0,1 0 royal 1'"),
    "ships that stay on an island": (BASE + "\nSamoa 0,1 0 stays 1", "line 'Samoa 0,1 0 stays 1'"),
    "a royal Tonga": (BASE.replace(": 0 1 - - - -", " royal 0"), "line 'Tonga 0,0 0 royal 0'"),
    "a third royal island": (BASE + "\nSamoa 0,1 0 royal 1\nNauru 0,2 0 royal 1\nOahu 0,3 0 royal 1", "more than 2 royal islands"),
    "a full beach at the start of a turn": (BASE.replace(": 0 1", ": 000 1"), "no beach can be full at the start of a turn"),
    "nothing that could sail": (BASE.replace("turn", "sail"), "there is nothing to decide"),
    "over without an end": (BASE.replace("turn", "over"), "a line 'end islands', 'end waters' or 'end idle'"),
    "a landing on an island not laid": (BASE.replace("turn", "land Samoa 01"), "not an island on the board"),
    "a landing on a water": (BASE.replace("turn", "land W01 01") + "\nW01 0,1 0", "not an island on the board"),
    "a landing on a royal island": (BASE.replace("turn", "land Samoa 01") + "\nSamoa 0,1 0 royal 1", "Samoa is royal"),
    "a landing of nobody": (BASE.replace("turn", "land Tonga -"), "line 'decides 0 land Tonga -'"),
    "a settlement on an island not laid": (BASE.replace("turn", "settle Samoa"), "not an island on the board"),
    "a ship taken off a beach that is not there": (BASE.replace("turn", "taken Tonga:6"), "line 'decides 0 taken Tonga:6'"),
    "a ship taken off a beach of another island": (BASE.replace("turn", "taken Muroroa:-1"), "line 'decides 0 taken Muroroa:-1'"),
    "a ship taken off the last island's fourth beach": (BASE.replace("turn", "taken Samoa:9"), "line 'decides 0 taken Samoa:9'"),
    "a tile drawn for no reason": (BASE.replace("turn", "lay W01 somehow"), "line 'decides 0 lay W01 somehow'"),
    "words after the decision": (BASE.replace("turn", "turn left"), "nothing may follow 'turn'"),
    "words after what is landed": (BASE.replace("turn", "land Tonga 01 02"), "line 'decides 0 land Tonga 01 02'"),
    "words after what is laid": (BASE.replace("turn", "lay W01 collapse now"), "line 'decides 0 lay W01 collapse now'"),
    "words after place": ("tongiaki\nplayers 2\ndecides 0 place now\nTonga 0,0 0: - - - - - -\n" + DECK, "nothing may follow 'place'"),
    "set-up out of turn": ("tongiaki\nplayers 2\ndecides 1 place\nTonga 0,0 0: - - - - - -\n" + DECK, "must place one ship at a time"),
    "set-up that is done": ("tongiaki\nplayers 2\ndecides 0 place\nTonga 0,0 0: 0 0 1 1 - -\n" + DECK, "must place one ship at a time"),
    "no island left to draw": (BASE.replace("Rapa_Nui", ""), "'end islands'"),
    "no water left to draw": (BASE.replace("W16", ""), "'end waters'"),
    "no deck": (BASE.replace(DECK, ""), "'end"),
    "an end that islands in the deck belie": (BASE.replace("turn", "over") + "\nend islands", "'end islands'"),
    "an end that waters in the deck belie": (BASE.replace("turn", "over") + "\nend waters", "'end waters'"),
    "a turn after the end": (BASE.replace("Rapa_Nui", "") + "\nend islands", "the game must be over"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_position_is_refused_by_a_sentence_that_names_what_is_wrong(name: str) -> None:
    text, said = REFUSED[name]
    with pytest.raises(PositionError, match=said) as refused:
        TONGIAKI.position(text)
    assert "\n" not in str(refused.value)


@given(
    name=st.sampled_from(list(PHASES)),
    at=st.integers(0, 220),
    length=st.integers(0, 3),
    put=st.text(alphabet="0123456789-+,:. \nWTongaSamroyldeckis\u0663", max_size=4),
)
@settings(max_examples=150)
def test_a_damaged_position_is_read_or_refused_but_raises_nothing_else(name: str, at: int, length: int, put: str) -> None:
    text = with_deck(PHASES[name])
    try:
        state = TONGIAKI.position(text[:at] + put + text[at + length :])
    except PositionError:
        return
    assert TONGIAKI.position(state.text).text == state.text
    for move in list(state.legal_moves)[:20]:
        state.copy().play(move)
