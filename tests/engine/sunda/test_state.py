"""Moves that a state refuses, and what the games of equal seeds have in common."""

from __future__ import annotations

from random import Random

import pytest

from engine.core import IllegalMoveError
from engine.sunda import sunda
from tests.engine.sunda.helpers import VECTORS, legal, line_ups, play, random_game, vector

LINE_UPS = list(line_ups())


def all_notations() -> list[str]:
    texts = [text for path in sorted(VECTORS.glob("*.json")) for _, text, _ in vector(path.stem)["decisions"]]
    return sorted(set(Random(0).sample(texts, 400)) | {"skip", "agree", "stop", "wait", "accept", "refuse"})


def test_an_illegal_move_is_refused_and_changes_nothing() -> None:
    notations = all_notations()
    for number, (game, players) in enumerate(LINE_UPS[::4]):
        for index, state in enumerate(random_game(game, players, seed=600 + number)):
            if index % 23:
                continue
            before = state.text
            allowed = set(legal(state))
            for text in notations:
                move = game.parse(text)
                assert (move in state.legal_moves) == (text in allowed)
                if text not in allowed:
                    with pytest.raises(IllegalMoveError):
                        state.play(move)
            assert state.text == before


def test_the_refusal_names_the_move_and_the_position() -> None:
    state = play(sunda({}).new(2, 0), "start WWWW++++")
    with pytest.raises(IllegalMoveError) as error:
        play(state, "place WWWW+++- 7,7,0")
    assert str(error.value) == "place WWWW+++- 7,7,0 is not legal here: seat 0 has to decide (lay), 1 tile on the table"


def test_a_game_over_has_no_moves_and_takes_none() -> None:
    state = play(sunda({"level": 1}).new(2, 0), "start WWWW++++", "agree", "agree")
    assert state.actor is None
    assert not state.legal_moves
    assert (len(state.legal_moves), list(state.legal_moves)) == (0, [])
    with pytest.raises(IllegalMoveError, match="the game is over"):
        play(state, "agree")
