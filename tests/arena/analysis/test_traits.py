"""Traits of moves: in the terms of their game, equal for equal positions, and never of what is hidden."""

from __future__ import annotations

from random import Random

import pytest

from arena.analysis.traits.base import Traits, traits_of
from engine.core import Move, State
from engine.replay.verifier import ReplayTimeline
from tests.arena.web.replays import timeline_of_vector
from tests.small_games import add_three_in_a_row


@pytest.mark.parametrize("name", ["tongiaki/r4-16", "sunda/turns-L2-4p-37", "sunda/simultaneous-L2-3p-35", "sunda/solo-L2-1p-29"])
def test_every_legal_move_of_a_match_has_a_kind_and_what_is_hidden_changes_nothing(name: str) -> None:
    match = timeline_of_vector(name)
    rng = Random(3)

    for state in match.states[:-1:7]:
        moves = list(state.list_moves())
        other = state.view(-1).sample(rng) if not any(state.has_hidden_choice(seat) for seat in range(state.players)) else state
        for move in rng.sample(moves, min(4, len(moves))):
            traits = traits_of(state, move)
            assert traits.kind
            assert traits == traits_of(other, move)


def test_a_game_without_traits_has_kinds_by_its_notation(monkeypatch: pytest.MonkeyPatch) -> None:
    game = add_three_in_a_row(monkeypatch)
    state = game.new(2, 1)

    assert traits_of(state, state.list_moves()[0]) == Traits("moves")


def first(match: ReplayTimeline, kind: str) -> tuple[State, Move]:
    """The first position of a match with a choice in which a move of a kind was played."""
    at = next(at for at, move in enumerate(match.moves) if str(move).startswith(kind) and match.replay.decisions[at].legal > 1)
    return match.states[at], match.moves[at]


def test_moves_of_tongiaki_are_named_by_where_they_lead() -> None:
    match = timeline_of_vector("tongiaki/r4-16")

    state, landing = first(match, "land")
    traits = traits_of(state, landing)
    assert traits.kind == "landings"
    assert traits.deed.startswith("landing on ")
    state, voyage = first(match, "sail")
    assert traits_of(state, voyage).deed.startswith("sailing from ")
    assert any("sailing" in habit for habit in traits_of(state, voyage).habits)


def test_passing_up_a_royal_island_is_a_habit_of_every_other_move() -> None:
    match = timeline_of_vector("tongiaki/r4-16")
    crowns = [state for state in match.states[:-1] if any(str(move).startswith("crown ") for move in state.list_moves())]
    assert crowns

    for move in crowns[0].list_moves():
        traits = traits_of(crowns[0], move)
        assert ("passing up a royal island" in traits.habits) == (not str(move).startswith("crown "))
