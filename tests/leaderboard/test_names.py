"""Names of people: which are refused, and which are one name."""

from __future__ import annotations

import pytest

from engine.text import name_key
from leaderboard.names import PersonNameError, person_name


@pytest.mark.parametrize(
    ("text", "name"),
    [("Ana", "Ana"), ("  Ana \t Núñez ", "Ana Núñez"), ("Nu\u0301n\u0303ez", "Núñez"), ("李雷", "李雷"), ("O'Neil-7", "O'Neil-7")],
)
def test_a_name_is_kept_composed_and_with_single_blanks(text: str, name: str) -> None:
    assert person_name(text) == name


@pytest.mark.parametrize("text", ["", " ", "...", "a\x1b[31m", "a\u202eb", "a\u200bb", "a\0", "\u3164", "a\u2800", "\ud800", "\u0301"])
def test_what_shows_nothing_or_commands_something_is_no_name(text: str) -> None:
    with pytest.raises(PersonNameError, match="printable characters"):
        person_name(text)


@pytest.mark.parametrize("text", ["=1+1", "+Ana", "-Ana", "@Ana", " =cmd|' /C calc'!A0"])
def test_a_formula_of_a_spreadsheet_is_no_name(text: str) -> None:
    with pytest.raises(PersonNameError, match="spreadsheets"):
        person_name(text)


@pytest.mark.parametrize("text", ["person-0a1b2c3d", "PERSON-", "Former  author 0a1b2c3d", "former author", "\uff50erson-12"])
def test_an_id_or_a_pseudonym_is_no_name(text: str) -> None:
    with pytest.raises(PersonNameError, match="of this program"):
        person_name(text)


@pytest.mark.parametrize("other", ["ana", " Ana ", "ANA", "\uff21na"])
def test_another_spelling_is_the_same_name(other: str) -> None:
    assert name_key(other) == name_key("Ana")
