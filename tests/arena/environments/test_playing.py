"""Episodes: seeds, rewards, forfeits, what is told beside the observation, opponents, and how mistakes are told."""

import sys
from pathlib import Path
from random import Random

import gymnasium
import numpy as np
import pytest

from arena.environments import MissingPackageError, aec, gym, vector
from arena.environments.game_adapter import by_ranks
from arena.environments.gym_env import OpponentError
from bots.errors import BotError
from engine.core import OptionsError
from engine.registry import find_game


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


def test_ties_share_and_all_rewards_add_up_to_nothing() -> None:
    assert by_ranks((1, 2)) == (1.0, -1.0)
    assert by_ranks((1, 1)) == (0.0, 0.0)
    assert by_ranks((3, 1, 1, 4)) == pytest.approx((-1 / 3, 2 / 3, 2 / 3, -1))


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


def test_infos_tell_the_moves_since_ones_last_turn() -> None:
    env = gym("tongiaki", opponents=["random", "random"], seat=1)
    _, info = env.reset(seed=3)
    assert len(info["moves"]) == 1
    own = str(env.legal_moves[2])
    _, _, _, _, info = env.step(2)
    assert info["moves"][0] == own
    assert len(info["moves"]) == 3
    assert info["legal"] == len(env.legal_moves)


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


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise KeyError('x')", "choose raised KeyError"),
        ("return view.game.parse('pass')", "'pass' is not legal"),
        ("return 3", "which is not a move"),
    ],
)
def test_an_opponent_that_fails_is_named(tmp_path: Path, body: str, said: str) -> None:
    bot = tmp_path / "broken.py"
    bot.write_text(f"class Broken:\n    def choose(self, view, clock):\n        {body}\n")
    env = gym("tongiaki", opponents=[str(bot)])
    env.reset(seed=0)
    with pytest.raises(OpponentError, match="seat 1") as caught:
        env.step(0)
    assert said in str(caught.value)


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


@pytest.mark.slow  # draws many
def test_pictures_have_one_size_and_show_something() -> None:
    env = aec("tongiaki", 2, render_mode="rgb_array")
    env.reset(seed=0)
    picture = env.render()
    env.step(0)
    assert picture.shape == env.render().shape == (720, 960, 3)
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 50


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
        (lambda: aec("sunda", 2, render_mode="gif"), ValueError, "must be None, 'ansi', 'human' or 'rgb_array', not 'gif'"),
        (lambda: gym("tongiaki", opponents=["random"], seat=2), ValueError, "seat must be None or from 0 to 1, not 2"),
        (lambda: gym("tongiaki", opponents="random"), ValueError, r"a list of bots, such as \['random'\]"),
        (lambda: gym("tongiaki", opponents=[3]), ValueError, r"such as \['greedy'\], not \[3\]"),  # type: ignore[list-item]
        (lambda: gym("tongiaki", opponents=["gredy"]), BotError, "gredy"),
        (lambda: aec("tongiaki", 2).reset(seed=1.5), gymnasium.error.Error, "a seed is a non-negative integer or None, not 1.5"),  # type: ignore[arg-type]
        (lambda: vector("tongiaki", 2, 2).reset(seed=[1, -2]), gymnasium.error.Error, "or None, not -2"),  # type: ignore[arg-type]
        (lambda: vector("tongiaki", 2, 2, opponents=["greedy"]).reset(seed="a"), gymnasium.error.Error, "or None, not 'a'"),  # type: ignore[arg-type]
        (lambda: aec("tongiaki", 2).step(0), gymnasium.error.ResetNeeded, r"call reset\(\) first"),
        (lambda: gym("sunda").step(0), gymnasium.error.ResetNeeded, r"call reset\(\) first"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(make, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        make()


@pytest.mark.parametrize("action", ["a", None, 1.5, [0], np.float32(0)])
def test_an_action_that_is_no_integer_is_told_in_a_sentence_and_forfeits_nothing(action: object) -> None:
    alone, table = gym("sunda"), aec("tongiaki", 2)
    for env in (alone, table):
        env.reset(seed=1)
        with pytest.raises(ValueError, match=r"an action is an integer, the index of a legal move, not|None is only for agents whose game"):
            env.step(action)  # type: ignore[arg-type]
        env.step(np.int64(0))
        assert env.table.forfeit is None


@pytest.mark.parametrize(
    ("package", "module", "make"),
    [
        ("pettingzoo", "arena.environments.aec_env", lambda: aec("tongiaki", 2)),
        ("gymnasium", "arena.environments.gym_env", lambda: gym("sunda")),
    ],
)
def test_a_missing_package_is_named_with_what_to_install(package: str, module: str, make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, module, raising=False)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingPackageError, match=rf"needs {package}, .* pip install 'tile-arena\[environments\]'"):
        make()
