"""RLlib's wrapper of PettingZoo environments, and its PPO with the module for action masks that Ray brings, under Ray's own pins."""

from collections.abc import Iterator
from typing import Any

import pytest

from arena.environments import aec, gym
from tests.libraries import needs
from tests.small_games import add_three_in_a_row

pytestmark = [*needs("tree"), pytest.mark.filterwarnings("default")]  # Ray warns of parts of its own


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    ray.init(address="local", num_cpus=1, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def renamed(seen: Any, _: object = None) -> dict[str, Any]:
    """What Ray's module for masks looks for."""
    return {"observations": seen["observation"], "action_mask": seen["action_mask"]}


def table(_config: object) -> Any:
    """Two seats, with an observation that a wrapper of SuperSuit renames."""
    from gymnasium.spaces import Dict
    from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
    from supersuit import observation_lambda_v0

    env = aec("tongiaki", 2, flat=True, mask=True, infos=False)
    return PettingZooEnv(observation_lambda_v0(env, renamed, lambda space: Dict(renamed(space))))


@pytest.mark.usefixtures("cluster")
def test_ppo_trains_all_seats_and_never_forfeits() -> None:
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
    from ray.tune.registry import register_env

    register_env("tongiaki", table)
    config = (
        PPOConfig()
        .environment("tongiaki")
        .env_runners(num_env_runners=0, batch_mode="complete_episodes")
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda *_, **__: "shared")
        .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config={"fcnet_hiddens": [32]}))
        .training(train_batch_size_per_learner=256, minibatch_size=64, num_epochs=1)
    )
    algorithm = config.build_algo()
    result = algorithm.train()
    algorithm.stop()
    assert result["env_runners"]["episode_len_min"] > 10, "a seat that does something illegal forfeits, which ends the game soon"
    assert result["env_runners"]["num_env_steps_sampled"] >= 256
    losses = result["learners"]["shared"]
    assert all(abs(float(losses[name])) < 1e6 for name in ("total_loss", "policy_loss", "vf_loss"))


def against_random(_config: object) -> Any:
    """One seat of three in a row, whose actions mean the same in every position."""
    from gymnasium.spaces import Dict
    from gymnasium.wrappers import TransformObservation

    env: Any = gym("three-in-a-row", opponents=["random"], flat=True, mask=True, ids=True)
    return TransformObservation(env, renamed, Dict(renamed(env.observation_space)))


@pytest.mark.usefixtures("cluster")
def test_ppo_learns_to_beat_random(monkeypatch: pytest.MonkeyPatch) -> None:
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
    from ray.tune.registry import register_env

    add_three_in_a_row(monkeypatch)
    register_env("three-in-a-row", against_random)
    config = (
        PPOConfig()
        .environment("three-in-a-row")
        .env_runners(num_env_runners=0)
        .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config={"fcnet_hiddens": [64]}))
        .training(train_batch_size_per_learner=1024, minibatch_size=256, num_epochs=8, lr=3e-3)
        .debugging(seed=0)
    )
    algorithm = config.build_algo()
    returns = [algorithm.train()["env_runners"]["episode_return_mean"] for _ in range(10)]
    algorithm.stop()
    assert sum(returns[-3:]) / 3 > 0.5, "a first seat that plays at random has 0.3"
