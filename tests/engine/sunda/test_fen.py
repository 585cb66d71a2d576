"""Positions as text, both ways."""

from __future__ import annotations

from random import Random

import pytest

from engine.core import PositionError
from engine.sunda import sunda
from tests.engine.sunda.helpers import legal, line_ups, random_game
from tests.engine.sunda.test_rights import ISLET

LINE_UPS = list(line_ups())


@pytest.mark.sampled(4)
@pytest.mark.parametrize("number", range(len(LINE_UPS)))
def test_a_position_read_back_is_equal_and_goes_on_in_the_same_way(number: int) -> None:
    game, players = LINE_UPS[number]
    rng = Random(number)
    for index, state in enumerate(random_game(game, players, seed=300 + number)):
        if index % 12 and state.actor is not None and len(state.legal_moves) > 9:
            continue
        again = game.position(state.text)
        assert again == state
        assert again.text == state.text
        assert (again.actor, again.outcome, again.tally()) == (state.actor, state.outcome, state.tally())
        assert len(again.legal_moves) == len(state.legal_moves)
        if state.actor is None:
            continue
        seed = rng.getrandbits(32)
        move = state.random_move(Random(seed))
        assert again.random_move(Random(seed)) == move
        after = state.copy()
        after.play(move)
        again.play(move)
        assert again == after
        assert again.events == after.events


def test_a_person_need_write_only_what_matters() -> None:
    state = sunda({}).position(ISLET)
    assert (state.players, state.actor, state.tally()["tokens"]) == (2, 0, (24, 24))
    assert "place WLWW+--+ 0,1,4" in legal(state)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("plyers 2", "begins with one of"),
        ("players 2\nplayers 3", "one line 'players'"),
        ("players 5", "1 to 4 players"),
        ("players two", "not an integer"),
        ("dice -1 0", "not a seed"),
        ("dice 1", "dice takes a seed"),
        (ISLET + "tile WLWW+-+- 1,-1,2", "occurs twice"),
        (ISLET + "tile WLWW++++ -1,0,0", "overlaps"),
        (ISLET + "tile WWWW+++- 0,1,4", "does not match"),
        (ISLET + "tile WLWW+-+- 1", "tile: "),
        (ISLET + "tile WLWL+-+- 9,9,4", "symmetric"),
        (ISLET + "tribe 0,0 0", "not a land node"),
        (ISLET + "tile WLWW+--+ 0,1,4\ntribe 0,0 0 1", "too many tokens"),
        (ISLET + "tile WLWW+--+ 0,1,4\ntribe 0,0 2", "no seat 2"),
        (ISLET + "tile WLWW+--+ 0,1,4\ntribe 0,0 1\ntokens 24 24", r"\[24, 23\] are left"),
        (ISLET + "water 1,0 0", "smallest vertex of a lake"),
        (ISLET + "resource 1 0,0", "from level 5 on"),
        (ISLET + "turn 2 1", "no seat 2"),
        (ISLET + "turn 0 3", "step 1 or 2"),
        (ISLET + "agreed 3", "there are only 2 players"),
        (ISLET + "raids 1 0", "simultaneous"),
        (ISLET + "nodes 0,0", "not an unused land node"),
        (ISLET + "rights 1", "at most 2"),
        (ISLET + "refused 0,0", "no tribe"),
        (ISLET + "choice 0 wait", "simultaneous"),
        (ISLET + "queue 0", "queue"),
        (ISLET + "pot 0 LLLL++++", "shared pot"),
        (ISLET + "decide think", "must be one of"),
        (ISLET + "decide land", "nothing of that kind"),
        (ISLET + "decide start", "the table is empty"),
        (ISLET + "decide over", "takes 1 value more"),
        (ISLET + "decide over bored", "must be one of"),
        (ISLET + "decide shift WLWW+-+-", "one triangular space"),
        (ISLET + "decide choose 0", "nothing of that kind"),
        ("decide lay", "the table is empty"),
    ],
)
def test_a_text_that_is_no_position_is_refused_in_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(PositionError, match=sentence):
        sunda({}).position(text)


def test_private_pots_must_hold_every_tile_that_is_not_on_the_table() -> None:
    with pytest.raises(PositionError, match="neither in a pot nor on the table"):
        sunda({"pots": "private"}).position(ISLET)
