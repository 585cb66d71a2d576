"""Tianshou's wrapper of PettingZoo environments, its collector, network and DQN; each seat learns for itself."""

from typing import Any

import numpy as np
import pytest

from arena.environments import aec, gym
from tests.libraries import needs
from tests.small_games import add_three_in_a_row

pytestmark = needs("tianshou")


def learner(env: Any) -> Any:
    """A beginner at one seat: DQN with the library's own network."""
    from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
    from tianshou.algorithm.optim import AdamOptimizerFactory
    from tianshou.utils.net.common import Net

    actions = env.action_space
    net = Net(state_shape=env.observation_space["observation"].shape, action_shape=actions.n, hidden_sizes=[32])
    policy = DiscreteQLearningPolicy(
        model=net, action_space=actions, observation_space=env.observation_space, eps_training=0.5, eps_inference=0.1
    )
    return DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), target_update_freq=10)


def test_dqn_trains_each_seat_and_never_forfeits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # compiling Tianshou's few loops takes longer than this test runs them
    from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv, PettingZooEnv
    from tianshou.trainer import OffPolicyTrainerParams

    def make() -> Any:
        return PettingZooEnv(aec("tongiaki", 2, flat=True, mask=True, infos=False))

    env = make()
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=[learner(env) for _ in env.agents], env=env)
    tables = DummyVectorEnv([make for _ in range(2)])
    buffer = VectorReplayBuffer(2_000, 2)
    collector = Collector(algorithm, tables, buffer, exploration_noise=True)
    collector.reset()
    collector.collect(n_step=64)
    algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=200,
            collection_step_num_env_steps=50,
            update_step_num_gradient_steps_per_sample=0.1,
            batch_size=32,
            test_step_num_episodes=0,
            multi_agent_return_reduction=lambda rewards: rewards[:, 0],
        )
    )
    kept = buffer.sample(0)[0]
    assert len(kept) >= 250
    assert kept.obs.mask[np.arange(len(kept)), kept.act.astype(int)].all(), "every action was legal"
    assert {*kept.obs.agent_id} == {"seat_0", "seat_1"}
    assert all(parameter.isfinite().all() for parameter in algorithm.parameters())


def against_random() -> Any:
    """One seat of three in a row, whose actions mean the same in every position; the library looks for ``obs`` and ``mask``."""
    from gymnasium.spaces import Dict
    from gymnasium.wrappers import TransformObservation

    def renamed(seen: Any) -> dict[str, Any]:
        return {"obs": seen["observation"], "mask": seen["action_mask"]}

    env: Any = gym("three-in-a-row", opponents=["random"], flat=True, mask=True, ids=True, infos=False)
    return TransformObservation(env, renamed, Dict(renamed(env.observation_space)))


def test_dqn_learns_to_beat_random(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    import torch
    from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
    from tianshou.algorithm.optim import AdamOptimizerFactory
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv
    from tianshou.trainer import OffPolicyTrainerParams
    from tianshou.utils.net.common import Net

    add_three_in_a_row(monkeypatch)
    torch.manual_seed(0)
    np.random.seed(0)
    envs = DummyVectorEnv([against_random for _ in range(8)])
    env = against_random()
    net = Net(state_shape=env.observation_space["obs"].shape, action_shape=env.action_space.n, hidden_sizes=[64])
    policy = DiscreteQLearningPolicy(
        model=net, action_space=env.action_space, observation_space=env.observation_space, eps_training=0.2, eps_inference=0.0
    )
    algorithm = DQN(policy=policy, optim=AdamOptimizerFactory(lr=2e-3), target_update_freq=100)
    collector = Collector(algorithm, envs, VectorReplayBuffer(20_000, 8), exploration_noise=True)
    collector.reset()
    algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=6_000,
            collection_step_num_env_steps=64,
            update_step_num_gradient_steps_per_sample=0.25,
            batch_size=128,
            test_step_num_episodes=0,
        )
    )
    tries = Collector(algorithm, envs)
    tries.reset()
    results = tries.collect(n_episode=300).returns
    assert results.mean() > 0.5, "a first seat that plays at random has 0.3"
