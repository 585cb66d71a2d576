"""Environments of games that bring no encoder: the checks of both packages pass, and nothing hidden is in an observation."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, render_test, seed_test

from arena.environments import aec, gym
from arena.environments.generic import CHARACTERS, LIMIT, GenericEncoder
from arena.environments.sunda import SundaEncoder
from bots.errors import BotError
from engine.core import Game, OptionsError, OptionValue
from engine.plugin import GamePlugin
from engine.registry import Registration, _registry, find_game
from engine.simple import Chance, Position, simple_game
from tests.small_games import RACE, TRICKS, Race, add, add_three_in_a_row


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
def test_an_opponent_that_can_not_play_the_game_is_refused_at_once() -> None:
    with pytest.raises(BotError, match="'expert' can't play race"):
        gym("race", opponents=["expert"])


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


class Odd(Position):
    """Gives numbers that no array can have."""

    turn: int = 0

    def moves(self) -> list[str]:
        return ["go"]

    def play(self, move: str, chance: Chance) -> None:
        self.turn += 1

    def observation(self, seat: int) -> list[float]:
        return [float("inf"), float("nan"), -1e30] + [0.0] * (self.turn // 2)


def test_numbers_are_kept_in_bounds_and_their_count_must_not_change(monkeypatch: pytest.MonkeyPatch) -> None:
    add(monkeypatch, "odd", simple_game(Odd, "odd", title="Odd", players=(1, 2)))
    env: Any = gym("odd")
    observation, _ = env.reset(seed=1)
    assert observation["observation"]["numbers"].tolist() == [LIMIT, 0, -LIMIT]
    env.step(0)
    with pytest.raises(OptionsError, match="an observation of this game had 3 numbers, and now it has 4"):
        env.step(0)


def test_a_game_may_say_how_many_moves_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    game = add_three_in_a_row(monkeypatch)
    assert GenericEncoder(game, 2, actions=9).actions == 9
    assert GenericEncoder(game, 2).actions == 32, "random games have up to 9, and twice as much is allowed for"


def test_the_name_of_a_member_of_a_family_is_made_fit_for_gymnasium(monkeypatch: pytest.MonkeyPatch) -> None:
    def make(member: str, options: Mapping[str, OptionValue]) -> Game:
        return simple_game(Race, f"family:{member}", title="Race", players=(2, 3)).game("", options)

    monkeypatch.setitem(_registry().registrations, "family", Registration("family", "none", "tests", "1"))
    monkeypatch.setitem(_registry().plugins, "family", GamePlugin(title="Family", make=make, is_family=True))
    env: Any = gym("family:race(sides=6)", opponents=["random"])
    assert env.spec.id == "family:race_sides_6_-v0"
