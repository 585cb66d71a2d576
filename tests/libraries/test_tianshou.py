"""Tianshou's wrapper of PettingZoo environments, its collector, network and DQN; each seat learns for itself."""

from typing import Any

import numpy as np
import pytest

from arena.environments import aec
from tests.libraries import needs

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
