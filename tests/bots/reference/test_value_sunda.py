"""The learned value function of Sunda to Sahul, and the moves that are chosen by it."""

from __future__ import annotations

import random

import pytest

from bots.reference.heuristics.sunda_placement_scores import hot_places
from bots.reference.valuation.sunda import VALUE
from bots.reference.valuation.sunda_features import NAMES, rows
from engine.sunda import SundaState
from engine.sunda.board.trigrid import lozenge_of
from engine.sunda.game import sunda
from engine.sunda.position import CHOOSE, LAY

TURNS = [(level, "turns", players) for level in range(6) for players in (2, 3, 4)]
TICKS = [(level, "simultaneous", players) for level in range(6) for players in (2, 4)]


def played(level: int, mode: str, players: int, moves: int) -> SundaState:
    """Return a position after so many random moves, or the last one before the end."""
    rng = random.Random(level)
    state = sunda({"level": level, "mode": mode}).new(players, 5)
    for _ in range(moves):
        after = state.copy()
        after.play(after.random_move(rng))
        if after.actor is None:
            break
        state = after
    return state


@pytest.mark.parametrize(("level", "mode", "players"), TURNS + TICKS)
def test_chances_add_up_at_every_table(level: int, mode: str, players: int) -> None:
    for moves in (0, 1, 40):
        chances = VALUE.rank_chances(played(level, mode, players, moves))
        assert [sum(row) for row in chances] == pytest.approx([1.0] * players)
        assert [sum(column) for column in zip(*chances, strict=True)] == pytest.approx([1.0] * players)


def test_what_is_chosen_in_secret_counts_for_nothing() -> None:
    state = played(0, "simultaneous", 3, 40)
    while state.inside.phase != CHOOSE or state.inside.chosen:
        state.play(state.move_at(0))
    before = VALUE.rank_chances(state)
    state.play(state.move_at(0))
    assert state.has_hidden_choice(0)
    assert VALUE.rank_chances(state) == before


def test_what_can_be_taken_counts_wherever_it_lies() -> None:
    takings = NAMES.index("takings")
    sides: set[bool] = set()
    for seed in range(6):
        rng = random.Random(seed)
        state = sunda({"level": 0}).new(2, seed)
        while state.actor is not None and len(sides) < 2:
            p = state.inside
            places = [lozenge_of(placement) for _, placement in hot_places(p, 0)]
            if p.phase == LAY and places and (max(places) < 0 or min(places) > 0) and rows(state)[p.seat][takings] > 0:
                sides.add(places[0] < 0)
            state.play(state.random_move(rng))
    assert sides == {False, True}


def test_the_chosen_move_is_legal_in_every_phase() -> None:
    for mode in ("turns", "simultaneous"):
        state = sunda({"level": 5, "mode": mode}).new(2, 3)
        rng = random.Random(1)
        for _ in range(30):
            if state.actor is None:
                break
            move = VALUE.quick_move(state.view(state.actor), rng)
            assert state.is_legal(move)
            state.play(move)
