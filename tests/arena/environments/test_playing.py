"""Episodes: seeds, rewards, forfeits, what is told beside the observation, opponents, and how mistakes are told."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

from arena.environments import aec, gym, vector
from arena.environments.game_adapter import by_ranks
from arena.environments.generic import GenericEncoder
from arena.environments.sunda import SundaEncoder
from bots.errors import BotError
from engine.core import OptionsError
from engine.registry import find_game
from tests.small_games import RACE, TRICKS, add, add_three_in_a_row


def play_through(env, seed: int) -> tuple[list[str], list[float]]:
    """The notations of a random game and the rewards of all seats."""
    env.reset(seed=seed)
    rng = Random(seed)
    moves, rewards = [], dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        _, reward, is_over, _, info = env.last(observe=False)
        rewards[agent] += reward
        if is_over:
            env.step(None)
            continue
        number = rng.randrange(info["legal"])
        moves.append(str(env.legal_moves[number]))
        env.step(number)
    return moves, list(rewards.values())


@pytest.mark.parametrize(("game", "players", "options"), [("tongiaki", 4, {}), ("sunda", 3, {"level": 5, "mode": "simultaneous"})])
def test_an_environment_plays_the_very_game_of_its_seed(game: str, players: int, options: dict) -> None:
    moves, rewards = play_through(aec(game, players, **options), 6)
    rules = find_game(game, options)
    state = rules.new(players, 6)
    for move in moves:
        state.play(rules.parse(move))
    assert state.outcome is not None
    assert rewards == list(by_ranks(state.outcome.ranks))
    assert sum(rewards) == pytest.approx(0)


def test_alone_or_if_wanted_the_reward_is_the_score() -> None:
    table = aec("tongiaki", 3, rewards="score")
    _, rewards = play_through(table, 1)
    ended = table.table.current.outcome
    assert ended is not None
    assert rewards == list(map(float, ended.scores))
    env = gym("sunda", level=2)
    _, info = env.reset(seed=2)
    is_over, total, rng = False, 0.0, Random(2)
    while not is_over:
        _, reward, is_over, _, info = env.step(rng.randrange(info["legal"]))
        total += reward
    outcome = env.table.current.outcome
    assert outcome is not None
    assert total == outcome.scores[0]


def test_without_a_seed_games_differ_but_follow_from_the_last_seed() -> None:
    env, other = aec("tongiaki", 2), aec("tongiaki", 2)
    seeds = []
    for each in (env, other):
        each.reset(seed=4)
        drawn = []
        for _ in range(3):
            each.reset()
            drawn.append(each.table.seed)
        seeds.append(drawn)
    assert seeds[0] == seeds[1]
    assert len(set(seeds[0])) == 3
    fresh = aec("tongiaki", 2)
    fresh.reset()
    assert fresh.table.seed not in seeds[0]


def test_an_illegal_action_forfeits_the_game() -> None:
    env = aec("tongiaki", 3)
    env.reset(seed=0)
    env.step(0)
    env.step(int(env.action_space("seat_1").n) - 1)
    assert env.rewards == {"seat_0": 0.5, "seat_1": -1.0, "seat_2": 0.5}
    assert all(env.terminations.values())
    assert [env.infos[agent]["illegal"] for agent in env.agents] == [False, True, False]


def test_a_seat_may_be_drawn_for_each_game() -> None:
    env = gym("tongiaki", opponents=["random", "random"], seat=None)
    env.reset(seed=0)
    seats = {env.reset()[1]["seat"] for _ in range(20)}
    assert seats == {0, 1, 2}


def test_the_same_seed_and_actions_meet_the_same_answers() -> None:
    told = []
    for _ in range(2):
        env = gym("tongiaki", opponents=["greedy"])
        _, info = env.reset(seed=9)
        moves, rng = [], Random(0)
        for _ in range(25):
            _, _, _, _, info = env.step(rng.randrange(info["legal"]))
            moves += info["moves"]
        told.append(moves)
    assert told[0] == told[1]


def test_an_opponent_is_told_the_history_as_in_a_match(tmp_path: Path) -> None:
    bot = tmp_path / "looks_back.py"
    bot.write_text(
        "class LooksBack:\n"
        "    def choose(self, view, clock):\n"
        "        replayed = view.game.new(view.players, 7)\n"
        "        for news in view.history:\n"
        "            replayed.play(view.game.parse(news.move))\n"
        "        assert view.history and replayed.view(view.seat) == view\n"
        "        return view.legal_moves[0]\n"
    )
    env = gym("tongiaki", opponents=[str(bot)])
    env.reset(seed=7)
    for _ in range(12):
        env.step(0)  # an assertion that fails is an OpponentError


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (lambda: aec("tongaki", 2), OptionsError, "did you mean 'tongiaki'"),
        (lambda: aec("tongiaki", 9), OptionsError, "2 to 6 players, not 9"),
        (lambda: aec("tongiaki", "2"), OptionsError, "must be an integer"),  # type: ignore[arg-type]
        (lambda: aec("sunda", 2, levle=3), OptionsError, "no option 'levle'; the nearest is 'level'"),
        (lambda: aec("sunda", 1, mode="simultaneous"), OptionsError, "2 to 4 players"),
        (lambda: aec("sunda", 2, rewards="win"), ValueError, "rewards must be 'ranks' or 'score', not 'win'"),
        (lambda: gym("sunda", rewards="ranks"), ValueError, "at least two players"),
        (lambda: aec("sunda", 2, render_mode="gif"), ValueError, "must be None, 'ansi' or 'human', not 'gif'"),
        (lambda: gym("tongiaki", opponents=["random"], seat=2), ValueError, "seat must be None or an integer from 0 to 1, not 2"),
        (lambda: gym("tongiaki", opponents="random"), ValueError, r"a list of bots, such as \['random'\]"),
        (lambda: gym("tongiaki", opponents=[3]), ValueError, r"such as \['greedy'\], not \[3\]"),  # type: ignore[list-item]
        (lambda: gym("tongiaki", opponents=["gredy"]), BotError, "gredy"),
        (lambda: aec("tongiaki", 2).reset(seed=1.5), gymnasium.error.Error, "a seed must be a non-negative integer or None, not 1.5"),  # type: ignore[arg-type]
        (lambda: vector("tongiaki", 2, 2).reset(seed=[1, -2]), gymnasium.error.Error, "or None, not -2"),  # type: ignore[arg-type]
        (lambda: vector("tongiaki", 2, 2, opponents=["greedy"]).reset(seed="a"), gymnasium.error.Error, "or None, not 'a'"),  # type: ignore[arg-type]
        (lambda: aec("tongiaki", 2).step(0), gymnasium.error.ResetNeeded, r"call reset\(\) first"),
        (lambda: gym("sunda").step(0), gymnasium.error.ResetNeeded, r"call reset\(\) first"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(make, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        make()


FORMS: list[dict[str, Any]] = [
    {"moves": False},
    {"infos": False},
    {"flat": True},
    {"flat": True, "moves": True, "infos": False},
    {"flat": True, "mask": True},
]

GAMES: list[tuple[str, dict[str, Any]]] = [("tongiaki", {}), ("sunda", {"level": 3})]


@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning:pettingzoo.test.api_test")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning:pettingzoo.test.api_test")
@pytest.mark.filterwarnings("ignore:The observation contains negative numbers:UserWarning:pettingzoo.test.api_test")
@pytest.mark.sampled(2)
@pytest.mark.parametrize("form", FORMS)
def test_pettingzoo_finds_nothing_wrong_with_any_form(form: dict) -> None:
    api_test(aec("tongiaki", 3, **form), num_cycles=200)
    seed_test(lambda: aec("tongiaki", 3, **form), num_cycles=30)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("form", FORMS)
def test_gymnasium_finds_nothing_wrong_with_any_form(form: dict) -> None:
    check_env(gym("tongiaki", opponents=["random"], **form))


def test_the_masks_of_sb3_contrib_are_those_of_the_observation() -> None:
    env = gym("tongiaki", opponents=["random"])
    observation, info = env.reset(seed=1)
    assert isinstance(observation, dict)
    masks = env.action_masks()
    assert masks.dtype == np.bool_
    assert masks.sum() == info["legal"]
    assert masks.tolist() == (np.asarray(observation["action_mask"]) == 1).tolist()


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
def test_what_is_hidden_makes_no_difference() -> None:
    state = find_game("tricks").new(3, 1)
    view = state.view(0)
    encoder = GenericEncoder(state.game, 3)
    mine: Any = encoder.observe(state, 0)
    for seed in range(5):
        other: Any = encoder.observe(view.sample(Random(seed)), 0)
        assert all(np.array_equal(mine["observation"][name], other["observation"][name]) for name in encoder.fields)


LARGE_GAMES = [
    pytest.param("tongiaki", 2, {}, id="tongiaki-2"),
    pytest.param("tongiaki", 4, {}, id="tongiaki-4"),
    pytest.param("tongiaki", 6, {}, id="tongiaki-6"),
    pytest.param("sunda", 1, {}, id="sunda-alone"),
    pytest.param("sunda", 2, {"level": 5}, id="sunda-2"),
    pytest.param("sunda", 4, {"level": 3, "pots": "private"}, id="sunda-4-private"),
    pytest.param("sunda", 2, {"level": 5, "mode": "simultaneous"}, id="sunda-2-simultaneous"),
    pytest.param("sunda", 3, {"level": 4, "mode": "simultaneous"}, id="sunda-3-simultaneous"),
]


@pytest.mark.sampled(3)
# PettingZoo warns of every observation that is no plain array, unless the environment is one of its own that it has a list of. With an
# action mask in the observation, as PettingZoo recommends it, there is no other way.
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning:pettingzoo.test.api_test")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning:pettingzoo.test.api_test")
@pytest.mark.parametrize(("game", "players", "options"), LARGE_GAMES)
def test_pettingzoo_finds_nothing_wrong_with_the_interface(game: str, players: int, options: dict) -> None:
    api_test(aec(game, players, **options), num_cycles=1000 if game == "tongiaki" else 400)
    seed_test(lambda: aec(game, players, **options), num_cycles=100)


SEATS = [
    pytest.param("sunda", {}, id="sunda-alone"),
    pytest.param("sunda", {"level": 2}, id="sunda-alone-2"),
    pytest.param("sunda", {"opponents": ["random"], "level": 5}, id="sunda-2"),
    pytest.param("sunda", {"opponents": ["random", "random"], "mode": "simultaneous", "seat": None}, id="sunda-3-simultaneous"),
    pytest.param("tongiaki", {"opponents": ["random"]}, id="tongiaki-2"),
    pytest.param("tongiaki", {"opponents": ["greedy", "spoiler", "random"], "seat": 2}, id="tongiaki-4"),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("game", "given"), SEATS)
def test_gymnasium_finds_nothing_wrong_with_the_large_games(game: str, given: dict) -> None:
    check_env(gym(game, **given))
