"""Traits of moves: in the terms of their game, equal for equal positions, and never of what is hidden."""

from __future__ import annotations

from random import Random

import pytest

from arena.analysis.traits.base import traits_of
from tests.arena.web.replays import timeline_of_vector
from tests.small_games import add_three_in_a_row


@pytest.mark.parametrize("name", ["tongiaki/r4-16", "sunda/turns-L2-4p-37", "sunda/simultaneous-L2-3p-35", "sunda/solo-L2-1p-29"])
def test_what_is_hidden_changes_no_traits(name: str) -> None:
    match = timeline_of_vector(name)
    rng = Random(3)

    for state in match.states[:-1:7]:
        moves = list(state.list_moves())
        other = state.view(-1).sample(rng) if not any(state.has_hidden_choice(seat) for seat in range(state.players)) else state
        for move in rng.sample(moves, min(4, len(moves))):
            assert traits_of(state, move) == traits_of(other, move)


def test_a_game_without_traits_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    state = add_three_in_a_row(monkeypatch).new(2, 1)

    assert traits_of(state, state.list_moves()[0]) == []


def test_passing_up_a_royal_island_is_a_habit_of_every_other_move() -> None:
    match = timeline_of_vector("tongiaki/r4-16")
    crowns = [state for state in match.states[:-1] if any(str(move).startswith("crown ") for move in state.list_moves())]
    assert crowns

    for move in crowns[0].list_moves():
        assert ("passing up a royal island" in traits_of(crowns[0], move)) == (not str(move).startswith("crown "))
