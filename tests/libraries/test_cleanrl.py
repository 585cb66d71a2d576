"""The loop of CleanRL's ppo.py: one file, Gymnasium's vector environments, two small networks; only the mask of legal moves is added.

After https://github.com/vwxyzjn/cleanrl/blob/master/cleanrl/ppo.py. (The package cleanrl itself asks for a Gymnasium older than 1.0.)
"""

from typing import Any

import numpy as np
import pytest

from arena.environments import vector
from tests.libraries import needs
from tests.small_games import add_three_in_a_row

pytestmark = needs("torch")
STEPS = 32
GAMMA, LAMBDA, CLIP = 0.99, 0.95, 0.2


def layer(inputs: int, outputs: int, scale: float = 2**0.5) -> Any:
    from torch import nn

    linear = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(linear.weight, scale)
    nn.init.constant_(linear.bias, 0.0)
    return linear


def distribution(logits: Any, masks: Any) -> Any:
    import torch

    return torch.distributions.Categorical(logits=logits.masked_fill(~masks, -1e8))


def advantages(rewards: Any, values: Any, overs: Any, next_value: Any, next_over: Any) -> Any:
    import torch

    found, last = torch.zeros_like(rewards), 0.0
    for at in reversed(range(len(rewards))):
        delta = rewards[at] + GAMMA * next_value * (1 - next_over) - values[at]
        found[at] = last = delta + GAMMA * LAMBDA * (1 - next_over) * last
        next_value, next_over = values[at], overs[at]
    return found


def trained(envs: Any, updates: int, rate: float = 2.5e-4) -> list[float]:
    """Train, and return the results of the games in their order; every action was legal, and every loss finite."""
    import torch
    from torch import nn

    torch.manual_seed(0)
    results: list[float] = []
    size, actions = int(np.prod(envs.single_observation_space.shape or ())), int(envs.single_action_space.n)
    critic = nn.Sequential(layer(size, 64), nn.Tanh(), layer(64, 1, 1.0))
    actor = nn.Sequential(layer(size, 64), nn.Tanh(), layer(64, actions, 0.01))
    weights = [*critic.parameters(), *actor.parameters()]
    optimizer = torch.optim.Adam(weights, lr=rate, eps=1e-5)
    observations, infos = envs.reset(seed=1)
    seen, over = torch.Tensor(observations), torch.zeros(envs.num_envs)
    for _ in range(updates):
        steps = []
        for _ in range(STEPS):
            masks = torch.as_tensor(infos["action_mask"]).bool()
            masks |= over.bool()[:, None]  # the action of the step that resets is ignored
            with torch.no_grad():
                drawn, value = distribution(actor(seen), masks), critic(seen).flatten()
                action = drawn.sample()
            observations, rewards, ended, _, infos = envs.step(action.numpy())
            assert not infos["illegal"].any()
            steps.append((seen, masks, action, drawn.log_prob(action), value, torch.Tensor(rewards), over))
            seen, over = torch.Tensor(observations), torch.Tensor(ended)
            results += rewards[ended].tolist()
        b_seen, b_masks, b_actions, b_chances, values, b_rewards, overs = (torch.stack(each) for each in zip(*steps, strict=True))
        with torch.no_grad():
            gained = advantages(b_rewards, values, overs, critic(seen).flatten(), over)
        for _ in range(2):
            drawn = distribution(actor(b_seen), b_masks)
            ratio = (drawn.log_prob(b_actions) - b_chances).exp()
            policy_loss = torch.max(-gained * ratio, -gained * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
            value_loss = 0.5 * (critic(b_seen).squeeze(-1) - (gained + values)).square().mean()
            loss = policy_loss - 0.01 * drawn.entropy().mean() + 0.5 * value_loss
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(weights, 0.5)
            optimizer.step()
            assert loss.isfinite()
    return results


def test_the_loop_learns_to_beat_random_in_the_vector_that_steps_all_games_in_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    add_three_in_a_row(monkeypatch)
    results = trained(vector("three-in-a-row", 2, 32, flat=True, ids=True, infos=True), updates=40, rate=2.5e-3)
    assert sum(results[-500:]) / 500 > sum(results[:500]) / 500 + 0.25  # from 0.3 to 0.7
