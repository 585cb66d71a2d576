"""Whole games and move counts from an independent implementation."""

from __future__ import annotations

from random import Random

import pytest

from engine.core.chance import advance, perft
from engine.sunda import sunda
from tests.engine.sunda.helpers import VECTORS, vector

PERFT = (VECTORS / "perft.txt").read_text().splitlines()


@pytest.mark.parametrize("name", sorted(path.stem for path in VECTORS.glob("*.json")))
def test_every_decision_of_a_recorded_game_comes_out_the_same(name: str) -> None:
    data = vector(name)
    game = sunda(data["options"])
    state = game.new(data["players"], data["seed"])
    assert dict(game.options) == data["options"]
    chance = []
    for index, (seat, text, legal) in enumerate(data["decisions"]):
        move = game.parse(text)
        assert str(move) == text
        assert (state.actor, len(state.legal_moves)) == (seat, legal), index
        assert move in state.legal_moves
        listed = list(state.legal_moves)
        assert len(listed) == legal
        assert move in listed
        state.play(move)
        chance += [[index, event] for event in state.events if event.split()[0] in game.chance_events]
    outcome = state.outcome
    assert outcome is not None
    assert chance == data["chance"]
    assert (list(outcome.scores), list(outcome.ranks), outcome.ending) == (data["scores"], data["ranks"], data["end"])
    assert state.actor is None
    assert not state.legal_moves
    assert list(state.legal_moves) == []


@pytest.mark.parametrize("line", PERFT)
def test_the_number_of_move_sequences_agrees(line: str) -> None:
    players, level, mode, pots, seed, after, depth, count = line.split()
    state = sunda({"level": int(level), "mode": mode, "pots": pots}).new(int(players), int(seed))
    advance(state, int(after), Random(0))
    assert perft(state, int(depth)) == int(count)
