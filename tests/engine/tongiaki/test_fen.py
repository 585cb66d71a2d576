"""A position as text, both ways, and texts that describe none."""

from __future__ import annotations

import ast
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core import PositionError
from engine.tongiaki import TONGIAKI, Phase
from tests.engine.tongiaki.helpers import somewhere

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
    "nothing": ("", "begins with the line 'tongiaki'"),
    "another game": (BASE.replace("tongiaki", "sunda", 1), "begins with the line 'tongiaki'"),
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
    "an unknown fact of the turn": (BASE + "\nturn ashore", "'ashore' is not one of departures N, laid, returned ISLAND:N"),
    "a negative count of turns": (BASE + "\nidle -4", "line 'idle -4'"),
    "a count that is no number": (BASE + "\nidle +4", "line 'idle [+]4'"),
    "a negative count of departures": (BASE + "\nturn departures -1", "line 'turn departures -1'"),
    "a water that ships return to": (BASE + "\nturn returned W01:3", "line 'turn returned W01:3'"),
    "an island twice": (BASE + "\nTonga 0,1 0: - - - - - -", "is taken already"),
    "a cell twice": (BASE + "\nSamoa 0,0 0: - - -", "is taken already"),
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
    "more ships than berths": (BASE.replace(": 0 1", ": 0001 1"), "more ships than berths"),
    "more ships than a seat has": (BASE + "\nW01 0,1 0 stays 000000000000000", "seat 0 has more than 15 ships"),
    "beaches of a water": (BASE + "\nW01 0,1 0: 0 1", "line 'W01 0,1 0: 0 1'"),
    "a royal water": (BASE + "\nW01 0,1 0 royal 1", "line 'W01 0,1 0 royal 1'"),
    "ships that stay on an island": (BASE + "\nSamoa 0,1 0 stays 1", "line 'Samoa 0,1 0 stays 1'"),
    "a royal Tonga": (BASE.replace(": 0 1 - - - -", " royal 0"), "line 'Tonga 0,0 0 royal 0'"),
    "a third royal island": (BASE + "\nSamoa 0,1 0 royal 1\nNauru 0,2 0 royal 1\nOahu 0,3 0 royal 1", "more than 2 royal islands"),
    "a full beach at the start of a turn": (BASE.replace(": 0 1", ": 000 1"), "no beach is full at the start of a turn"),
    "nothing that could sail": (BASE.replace("turn", "sail"), "there is nothing to decide"),
    "over without an end": (BASE.replace("turn", "over"), "a line 'end islands', 'end waters' or 'end idle'"),
    "a landing on an island not laid": (BASE.replace("turn", "land Samoa 01"), "not on the table"),
    "a landing on a water": (BASE.replace("turn", "land W01 01") + "\nW01 0,1 0", "not on the table"),
    "a landing on a royal island": (BASE.replace("turn", "land Samoa 01") + "\nSamoa 0,1 0 royal 1", "Samoa is royal"),
    "a landing of nobody": (BASE.replace("turn", "land Tonga -"), "line 'decides 0 land Tonga -'"),
    "a settlement on an island not laid": (BASE.replace("turn", "settle Samoa"), "not on the table"),
    "a ship taken off a beach that is not there": (BASE.replace("turn", "taken Tonga:6"), "line 'decides 0 taken Tonga:6'"),
    "a ship taken off a beach of another island": (BASE.replace("turn", "taken Muroroa:-1"), "line 'decides 0 taken Muroroa:-1'"),
    "a ship taken off the last island's fourth beach": (BASE.replace("turn", "taken Samoa:9"), "line 'decides 0 taken Samoa:9'"),
    "a tile drawn for no reason": (BASE.replace("turn", "lay W01 somehow"), "line 'decides 0 lay W01 somehow'"),
    "words after the decision": (BASE.replace("turn", "turn left"), "nothing follows 'turn'"),
    "words after what is landed": (BASE.replace("turn", "land Tonga 01 02"), "line 'decides 0 land Tonga 01 02'"),
    "words after what is laid": (BASE.replace("turn", "lay W01 collapse now"), "line 'decides 0 lay W01 collapse now'"),
    "words after place": ("tongiaki\nplayers 2\ndecides 0 place now\nTonga 0,0 0: - - - - - -\n" + DECK, "nothing follows 'place'"),
    "set-up out of turn": ("tongiaki\nplayers 2\ndecides 1 place\nTonga 0,0 0: - - - - - -\n" + DECK, "seats place in turn"),
    "set-up that is done": ("tongiaki\nplayers 2\ndecides 0 place\nTonga 0,0 0: 0 0 1 1 - -\n" + DECK, "seats place in turn"),
    "no island left to draw": (BASE.replace("Rapa_Nui", ""), "'end islands'"),
    "no water left to draw": (BASE.replace("W16", ""), "'end waters'"),
    "no deck": (BASE.replace(DECK, ""), "'end"),
    "an end that islands in the deck belie": (BASE.replace("turn", "over") + "\nend islands", "'end islands'"),
    "an end that waters in the deck belie": (BASE.replace("turn", "over") + "\nend waters", "'end waters'"),
    "a turn after the end": (BASE.replace("Rapa_Nui", "") + "\nend islands", "the game is over"),
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
