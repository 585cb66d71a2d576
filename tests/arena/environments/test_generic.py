"""Environments of games that bring no encoder: the checks of both packages pass, and nothing hidden is in an observation."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, render_test, seed_test

from arena.environments import aec, gym
from arena.environments.generic import CHARACTERS, GenericEncoder
from arena.environments.sunda import SundaEncoder
from engine.registry import find_game
from tests.small_games import RACE, TRICKS, add, add_three_in_a_row


@pytest.fixture
def games(monkeypatch: pytest.MonkeyPatch) -> None:
    add_three_in_a_row(monkeypatch)
    add(monkeypatch, "race", RACE)
    add(monkeypatch, "tricks", TRICKS)


TABLES = [("three-in-a-row", 2), ("race", 3), ("tricks", 4)]


@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning:pettingzoo.test.api_test")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning:pettingzoo.test.api_test")
@pytest.mark.usefixtures("games")
@pytest.mark.parametrize(("game", "players"), TABLES)
def test_pettingzoo_finds_nothing_wrong(game: str, players: int) -> None:
    api_test(aec(game, players), num_cycles=100)
    seed_test(lambda: aec(game, players), num_cycles=50)


@pytest.mark.usefixtures("games")
def test_pettingzoo_finds_that_every_render_mode_works(capsys: pytest.CaptureFixture[str]) -> None:
    render_test(lambda render_mode: aec("three-in-a-row", 2, render_mode=render_mode))
    assert "a  b  c" in capsys.readouterr().out


@pytest.mark.usefixtures("games")
@pytest.mark.parametrize(("game", "players"), TABLES)
def test_gymnasium_finds_nothing_wrong(game: str, players: int) -> None:
    check_env(gym(game, opponents=["greedy"] * (players - 1), seat=None))


@pytest.mark.usefixtures("games")
def test_no_game_gets_the_encoder_of_another() -> None:
    for game, players in TABLES:
        assert isinstance(aec(game, players).table.encoder, GenericEncoder)
    assert isinstance(aec("sunda", 2).table.encoder, SundaEncoder)


@pytest.mark.usefixtures("games")
@pytest.mark.parametrize(("game", "players"), TABLES)
def test_observations_are_in_their_space_and_differ_from_position_to_position(game: str, players: int) -> None:
    env: Any = aec(game, players)
    env.reset(seed=1)
    rng, seen = Random(1), set()
    decisions = 0
    while env.table.actor is not None:
        agent = env.agent_selection
        observation = env.observe(agent)
        assert env.observation_space(agent).contains(observation)
        assert observation["action_mask"].sum() == len(env.legal_moves) <= len(observation["action_mask"]) // 2
        rows = observation["observation"]["moves"][: len(env.legal_moves)]
        assert len(np.unique(rows[:, 1:], axis=0)) == len(env.legal_moves), "moves are told apart by more than their index"
        seen.add(b"".join(array.tobytes() for array in observation["observation"].values()))
        decisions += 1
        env.step(rng.randrange(len(env.legal_moves)))
    assert len(seen) == decisions


@pytest.mark.usefixtures("games")
def test_the_default_is_the_text_of_the_view_and_its_tallies() -> None:
    env: Any = aec("tricks", 3)
    env.reset(seed=1)
    env.step(0)
    arrays = env.observe("seat_1")["observation"]
    text = env.table.current.view(1).position.text
    assert "".join(map(chr, arrays["text"])) == text[:CHARACTERS].ljust(CHARACTERS, "\0")
    assert arrays["turn"].tolist() == [1, 1]
    assert env.observe("seat_2")["observation"]["turn"].tolist() == [3, 2], "seats are counted from the observer"
    assert arrays["tally"].shape == (1, 3)
    assert arrays["words"].sum() > 0


@pytest.mark.usefixtures("games")
def test_what_is_hidden_makes_no_difference() -> None:
    state = find_game("tricks").new(3, 1)
    view = state.view(0)
    encoder = GenericEncoder(state.game, 3)
    mine: Any = encoder.observe(state, 0)
    for seed in range(5):
        other: Any = encoder.observe(view.sample(Random(seed)), 0)
        assert all(np.array_equal(mine["observation"][name], other["observation"][name]) for name in encoder.fields)


@pytest.mark.usefixtures("games")
def test_a_game_may_give_numbers_of_its_own() -> None:
    env: Any = aec("race", 3)
    env.reset(seed=1)
    env.step(1)
    steps = env.table.current.tally(), env.table.current.inside.steps
    numbers = env.observe("seat_1")["observation"]["numbers"]
    assert numbers.dtype == np.float32
    assert numbers.tolist() == pytest.approx([0, 0, steps[1][0] / 10])
    assert "text" not in env.observe("seat_1")["observation"]
