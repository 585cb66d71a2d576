"""PPO of Stable-Baselines3, and MaskablePPO of sb3-contrib, which tries legal moves only."""

from typing import Any

import pytest

from arena.environments import gym
from tests.libraries import needs

pytestmark = needs("sb3_contrib")
GAMES = [pytest.param("tongiaki", {}, id="tongiaki"), pytest.param("sunda", {"level": 3}, id="sunda")]


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
