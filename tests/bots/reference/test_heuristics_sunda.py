"""The heuristic of Sunda to Sahul: what it says of positions, and how it plays."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from itertools import islice, product
from typing import Any

import pytest

from bots.reference.heuristics.sunda import SundaHeuristic
from bots.reference.heuristics.sunda_evaluation import odds
from engine.core import Move
from engine.registry import find_game
from engine.sunda import SundaMove, SundaState
from engine.sunda.position import LAY
from engine.sunda.rules.challenges import challenger_wins, dice_of
from tests.engine.sunda.helpers import view_of

HEURISTIC = SundaHeuristic()

MODES: list[dict[str, Any]] = [{}, {"pots": "private"}, {"mode": "simultaneous"}]

EVERYTHING = [{"level": level, **mode} for level in range(6) for mode in MODES]


def positions(options: dict[str, Any], players: int, seed: int, at_a_glance: float = 0.0) -> Iterator[SundaState]:
    """The positions of a game, from the first to the last, in which everybody moves at random, or so often as looks best."""
    state = find_game("sunda", options).new(players, seed)
    assert isinstance(state, SundaState)
    rng = random.Random(seed)
    while state.actor is not None:
        yield state
        state.play(best_at_a_glance(state) if rng.random() < at_a_glance else state.random_move(rng))
    yield state


def best_at_a_glance(state: SundaState) -> SundaMove:
    moves = state.list_moves()
    scores = HEURISTIC.scores(state, moves)
    best = moves[max(range(len(moves)), key=scores.__getitem__)]
    assert isinstance(best, SundaMove)
    return best


def after(state: SundaState, move: Move) -> SundaState:
    later = state.copy()
    later.play(move)
    return later


def rights(state: SundaState, move: Move) -> tuple[int, int]:
    """How many tokens a placement gives a right to: on land nodes, and on lakes."""
    inside = after(state, move).inside
    return inside.rights, len(inside.lakes)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("options", EVERYTHING, ids=str)
def test_every_legal_move_has_a_finite_score_and_every_seat_an_outlook(options: dict[str, Any]) -> None:
    for players in (2, 4):
        for number, state in enumerate(positions(options, players, seed=players)):
            if number % 3 == 0 and state.actor is not None:
                moves = state.list_moves()
                scores = HEURISTIC.scores(state, moves)
                assert len(scores) == len(moves)
                assert all(map(math.isfinite, scores))
                assert len(HEURISTIC.evaluate(state)) == players
                assert all(map(math.isfinite, HEURISTIC.evaluate(state)))


@pytest.mark.parametrize("level", [0, 1, 2, 4])
def test_what_lies_on_the_table_is_the_least_that_is_expected(level: int) -> None:
    for state in positions({"level": level}, 2, 1, at_a_glance=0.5):
        assert all(expected >= points for expected, points in zip(HEURISTIC.evaluate(state), state.points, strict=True))


@pytest.mark.parametrize(("own", "other"), [(own, other) for own in range(1, 6) for other in range(1, 6)])
def test_the_odds_of_a_challenge_are_those_of_its_dice(own: int, other: int) -> None:
    mine, theirs = dice_of(own, other), dice_of(other, own)
    rolls = [(list(roll[:mine]), list(roll[mine:])) for roll in product(range(1, 7), repeat=mine + theirs)]
    assert odds(own, other) == pytest.approx(sum(challenger_wins(*roll) for roll in rolls) / len(rolls))


def asked_to_agree(lead: int) -> Iterator[SundaState]:
    """Positions in which the rival has agreed to an end, and the seat that has to decide leads by so many points."""
    for seed in range(8):
        for number, state in enumerate(islice(positions({"level": 1}, 2, seed), 100)):
            inside = state.inside
            if number % 4 == 0 and inside.phase == LAY and state.points[inside.seat] - state.points[1 - inside.seat] == lead:
                asked = state.copy()
                asked.inside.agreed = 1
                yield asked


def test_it_ends_the_game_when_it_leads_and_the_others_have_agreed() -> None:
    ended = [after(state, HEURISTIC.choose(view_of(state, state.inside.seat), random.Random(1))) for state in islice(asked_to_agree(1), 8)]
    assert len(ended) == 8
    assert all(state.outcome is not None for state in ended)
