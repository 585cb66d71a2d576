"""PPO of Stable-Baselines3, and MaskablePPO of sb3-contrib, which tries legal moves only."""

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from arena.environments import gym, sb3
from tests.libraries import needs
from tests.small_games import add_three_in_a_row

pytestmark = needs("sb3_contrib")
EXAMPLE = Path(__file__).parents[2] / "examples" / "train_masked.py"
GAMES = [pytest.param("tongiaki", {}, id="tongiaki"), pytest.param("sunda", {"level": 3}, id="sunda")]


def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("train_masked", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def is_finite(model: Any) -> bool:
    return all(parameter.isfinite().all() for parameter in model.policy.parameters())


@pytest.mark.parametrize(("game", "options"), GAMES)
def test_the_environment_passes_the_check_of_stable_baselines3(game: str, options: dict) -> None:
    from stable_baselines3.common.env_checker import check_env

    check_env(gym(game, opponents=["random"], flat=True, **options), warn=False)


@pytest.mark.parametrize(("game", "options"), GAMES)
def test_ppo_trains(game: str, options: dict) -> None:
    from stable_baselines3 import PPO

    model = PPO("MlpPolicy", gym(game, opponents=["random"], flat=True, **options), n_steps=64, batch_size=32, n_epochs=2, seed=0)
    model.learn(128)
    assert is_finite(model)


@pytest.mark.parametrize(("game", "options"), GAMES)
def test_maskable_ppo_trains_and_never_forfeits(game: str, options: dict) -> None:
    from sb3_contrib import MaskablePPO

    illegal: list[bool] = []
    env = gym(game, opponents=["random"], flat=True, **options)
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=32, n_epochs=2, seed=0)
    model.learn(128, callback=lambda seen, _: illegal.extend(info["illegal"] for info in seen["infos"]) or True)
    assert len(illegal) == 128
    assert not any(illegal)
    assert is_finite(model)


@pytest.mark.parametrize("ids", [False, True], ids=["indices", "ids"])
def test_maskable_ppo_learns_on_the_vec_env_to_beat_random(ids: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import VecMonitor

    add_three_in_a_row(monkeypatch)
    envs = VecMonitor(sb3("three-in-a-row", 2, 16, ids=ids))
    envs.seed(3)
    model = MaskablePPO("MlpPolicy", envs, n_steps=64, batch_size=256, n_epochs=6, seed=0)
    model.learn(16_384)
    results = [episode["r"] for episode in model.ep_info_buffer]
    assert is_finite(model)
    assert min(episode["l"] for episode in model.ep_info_buffer) >= 3, "nobody forfeits"
    assert sum(results) / len(results) > (0.5 if ids else 0.1), "a first seat that plays at random has 0.3; indices teach little"


def test_the_example_trains_a_policy_that_scores_rows() -> None:
    training = example()
    model = training.beginner("tongiaki", 0, has_rows=True, rollout=512)
    before = [parameter.detach().clone() for parameter in model.policy.parameters()]
    model.learn(512)
    assert is_finite(model)
    assert all((old != new).any() for old, new in zip(before, model.policy.parameters(), strict=True))


def test_a_moves_score_does_not_depend_on_its_index() -> None:
    import torch

    training = example()
    policy = training.beginner("tongiaki", 0, has_rows=True).policy
    seen, _ = gym("tongiaki", opponents=["random"], flat=True, moves=True).reset(seed=1)
    count = int((seen["moves"][:, 0] > 0).sum())
    turned = {**seen, "moves": seen["moves"].copy()}
    turned["moves"][:count] = seen["moves"][:count][::-1]
    with torch.no_grad():
        one, other = (policy.extract_features(policy.obs_to_tensor(each)[0])[0, training.HIDDEN :] for each in (seen, turned))
    assert count > 1
    assert one[:count].unique().numel() > 1
    torch.testing.assert_close(one[:count], other[:count].flip(0))
    assert not one[count:].any()
