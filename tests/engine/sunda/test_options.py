from __future__ import annotations

import pytest

from engine.core import OptionsError, OptionValue
from engine.registry import find_game
from engine.sunda import sunda


def test_every_option_is_written_in_order_with_its_default() -> None:
    assert list(sunda({}).options.items()) == [("level", 0), ("mode", "turns"), ("pots", "shared"), ("resources", (1, 2, 3, 4, 5, 6))]


def test_simultaneous_play_writes_private_pots() -> None:
    assert sunda({"mode": "simultaneous"}).options["pots"] == "private"


def test_games_with_equal_options_are_equal() -> None:
    assert sunda({"level": 0}) == sunda({})
    assert hash(sunda({"level": 0})) == hash(sunda({}))
    assert sunda({"level": 1}) != sunda({})
    assert find_game("sunda", {"level": 3}) == sunda({"level": 3})


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"level": 7}, "option 'level' must be an integer from 0 to 5, not 7"),
        ({"level": "5"}, "option 'level' must be an integer from 0 to 5, not '5'"),
        ({"level": True}, "option 'level' must be an integer from 0 to 5, not True"),
        ({"levl": 1}, "sunda has no option 'levl'; the nearest is 'level'"),
        ({"pot": "shared"}, "sunda has no option 'pot'; the nearest is 'pots'"),
        ({"mode": "turn"}, "option 'mode' must be 'turns' or 'simultaneous', not 'turn'"),
        ({"pots": "public"}, "option 'pots' must be 'shared' or 'private', not 'public'"),
        ({"mode": "simultaneous", "pots": "shared"}, "option 'pots': simultaneous play always has private pots, so it can't be 'shared'"),
        ({"resources": (1, 2, 3)}, "option 'resources' must be six positive integers, not (1, 2, 3)"),
        ({"resources": (1, 2, 3, 4, 5, 0)}, "option 'resources' must be six positive integers, not (1, 2, 3, 4, 5, 0)"),
        ({"resources": "123456"}, "option 'resources' must be six positive integers, not '123456'"),
    ],
)
def test_a_bad_option_is_refused_by_name(options: dict[str, OptionValue], sentence: str) -> None:
    with pytest.raises(OptionsError) as error:
        sunda(options)
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("options", "players", "named"),
    [
        ({"mode": "simultaneous"}, 1, "option 'mode'"),
        ({"pots": "private"}, 1, "option 'pots'"),
        ({}, 5, "1 to 4 players"),
        ({}, 0, "1 to 4 players"),
        ({"pots": "private"}, 5, "2 to 4 players"),
    ],
)
def test_a_seat_count_the_options_do_not_allow_is_refused(options: dict[str, OptionValue], players: int, named: str) -> None:
    with pytest.raises(OptionsError, match=named):
        sunda(options).new(players, 0)
