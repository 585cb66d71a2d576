"""Options of a game are given as a mapping, as keywords, or both."""

from __future__ import annotations

from typing import Any

import pytest

from engine import OptionsError, find_game


def test_a_mapping_and_keywords_give_the_same_game() -> None:
    assert find_game("sunda", level=5) == find_game("sunda", {"level": 5}) == find_game("sunda", options={"level": 5})
    assert dict(find_game("sunda", {"level": 5}, mode="simultaneous").options) == dict(
        find_game("sunda", {"level": 5, "mode": "simultaneous"}).options
    )


@pytest.mark.parametrize(
    ("given", "more", "sentence"),
    [
        ({"level": 9}, {}, "option 'level' must be an integer from 0 to 5, not 9"),
        (None, {"level": 9}, "option 'level' must be an integer from 0 to 5, not 9"),
        (None, {"levl": 1}, "sunda has no option 'levl'; the nearest is 'level'"),
        ({"level": 1}, {"level": 1}, "option 'level' is given twice, among options and as a keyword; leave one out"),
        ("5", {}, "options is '5'; it is a mapping such as {'level': 5}"),
    ],
)
def test_a_wrong_option_is_one_sentence(given: Any, more: dict[str, Any], sentence: str) -> None:
    with pytest.raises(OptionsError) as raised:
        find_game("sunda", given, **more)
    assert str(raised.value) == sentence
