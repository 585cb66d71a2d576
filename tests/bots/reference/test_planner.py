"""The planner fills the table alone, and the best boards kept as examples are what they are said to be."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bots.loader.loading import resolve
from bots.loader.version import load, make_bot
from bots.protocol import Clock, MatchInfo
from engine.records import Replay
from engine.replay.format import read_replay
from engine.replay.verifier import state_at, verify_replay
from engine.sunda import SundaState, sunda
from engine.sunda.board.tiles import N_TILES

EXAMPLES = Path(__file__).parents[3] / "examples"


def planned(level: int, seed: int, begun: int = 0) -> SundaState:
    """A table that the planner has filled alone, after so many random moves of another."""
    state = sunda({"level": level}).new(1, seed)
    for _ in range(begun):
        state.play(state.random_move(random.Random(seed)))
    bot = make_bot(resolve("planner"), load(resolve("planner")))
    bot.start(MatchInfo(state.game, 1, 0, seed))  # type: ignore[attr-defined]  # start is optional for a bot
    while state.actor is not None:
        state.play(bot.choose(state.view(0), Clock()))
    return state


@pytest.mark.slow  # whole games
@pytest.mark.sampled(1)
@pytest.mark.parametrize(("level", "most"), [(0, 136), (1, 136), (2, 668), (5, 668)])
@pytest.mark.parametrize("seed", [1, 2])
def test_alone_it_lays_every_tile_and_scores_the_most_there_is(level: int, most: int, seed: int) -> None:
    outcome = planned(level, seed).outcome
    assert outcome is not None
    assert (outcome.scores, outcome.ending) == ((most,), "tiles")


def test_on_a_table_that_others_began_it_plays_on() -> None:
    state = planned(2, 3, begun=5)
    assert state.outcome is not None
    assert state.points[0] < 668


def example(name: str) -> Replay:
    return read_replay((EXAMPLES / name).read_text())


@pytest.mark.parametrize(("name", "level", "most"), [("sunda-solo-136.json", 0, 136), ("sunda-solo-668.json", 2, 668)])
def test_the_best_boards_in_the_examples_verify(name: str, level: int, most: int) -> None:
    found = example(name)
    verify_replay(found)
    assert (found.options["level"], found.players, found.scores) == (level, 1, (most,))
    state = state_at(found, len(found.decisions))
    assert isinstance(state, SundaState)
    assert len(state.inside.board.lies) == N_TILES
