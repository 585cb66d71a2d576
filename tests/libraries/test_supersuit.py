"""Wrappers of SuperSuit, one on top of the other."""

from typing import Any

import numpy as np

from arena.environments import aec
from tests.libraries import needs

pytestmark = needs("supersuit")


def test_wrappers_take_a_flat_observation() -> None:
    import supersuit

    env = aec("tongiaki", 2, flat=True)
    env = supersuit.dtype_v0(env, np.float32)
    env = supersuit.normalize_obs_v0(env)
    env = supersuit.agent_indicator_v0(env)
    env = supersuit.frame_stack_v1(env, 3)
    env = supersuit.clip_reward_v0(env)
    env.reset(seed=5)
    ends = 0
    for agent in env.agent_iter(4000):
        seen, reward, is_over, _, info = env.last()
        assert seen.dtype == np.float32
        assert np.isfinite(seen).all()
        assert env.observation_space(agent).contains(seen)
        assert not info["illegal"]
        ends += is_over
        assert is_over or reward == 0
        env.step(None if is_over else env.action_space(agent).sample(info["action_mask"]))
    assert ends == 2, "a whole game was played, and both agents were told"


def test_a_wrapper_changes_observations_with_a_mask() -> None:
    import supersuit

    def seats(seen: Any, _: object = None) -> Any:
        return seen["observation"]["seats"]

    env = supersuit.observation_lambda_v0(aec("tongiaki", 3), seats, seats)
    env.reset(seed=1)
    assert env.last()[0].shape == env.observation_space("seat_0").shape == (3, 4)
