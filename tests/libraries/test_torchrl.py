"""TorchRL's wrappers of PettingZoo and Gymnasium environments, its collector and its PPO."""

from __future__ import annotations

from typing import Any

import pytest

from arena.environments import aec, gym
from tests.libraries import needs
from tests.small_games import add_three_in_a_row

pytestmark = [
    *needs("torchrl"),
    pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested using version:UserWarning"),
    pytest.mark.filterwarnings(
        "ignore:Creating .* which inherits from WeightUpdaterBase is deprecated:DeprecationWarning"
    ),  # in its own code
]

BATCHES = 3


def trained_by_ppo(env: Any, *group: str, batches: int = BATCHES, frames: int = 64, epochs: int = 1, rate: float = 1e-3) -> list[Any]:
    """Train with PPO on batches of the collector, and return them; ``group`` is where the environment keeps what its agents see and do."""
    import torch
    from tensordict.nn import TensorDictModule, TensorDictSequential
    from torch import nn
    from torchrl.collectors import Collector
    from torchrl.modules import ProbabilisticActor, ValueOperator
    from torchrl.objectives import ClipPPOLoss
    from torchrl.objectives.value import GAE

    key = {name: (*group, name) for name in ("observation", "action_mask", "scores", "logits", "action", "state_value", "sample_log_prob")}
    size, actions = env.observation_spec[key["observation"]].shape[-1], env.full_action_spec[key["action"]].space.n

    def masked(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        mask = mask.bool()
        return scores.masked_fill(~mask & mask.any(-1, keepdim=True), -1e8)

    network = nn.Sequential(nn.Linear(size, 32), nn.Tanh(), nn.Linear(32, actions))
    actor = ProbabilisticActor(
        TensorDictSequential(
            TensorDictModule(network, in_keys=[key["observation"]], out_keys=[key["scores"]]),
            TensorDictModule(masked, in_keys=[key["scores"], key["action_mask"]], out_keys=[key["logits"]]),
        ),
        in_keys={"logits": key["logits"]},
        out_keys=[key["action"]],
        distribution_class=torch.distributions.Categorical,
        return_log_prob=True,
        log_prob_key=key["sample_log_prob"],
    )
    critic = ValueOperator(nn.Linear(size, 1), in_keys=[key["observation"]], out_keys=[key["state_value"]])
    loss = ClipPPOLoss(actor, critic)
    gae = GAE(gamma=0.99, lmbda=0.95, value_network=critic, average_gae=True)
    ends = {name: (*group, name) for name in ("reward", "done", "terminated")}
    loss.set_keys(action=key["action"], sample_log_prob=key["sample_log_prob"], value=key["state_value"], **ends)
    gae.set_keys(value=key["state_value"], **ends)
    optimizer = torch.optim.Adam(loss.parameters(), lr=rate)
    played = []
    collector = Collector(env, actor, frames_per_batch=frames, total_frames=frames * batches, auto_register_policy_transforms=True)
    for batch in collector:
        for _ in range(epochs):
            gae(batch)
            found = loss(batch)
            total = found["loss_objective"] + found["loss_critic"] + found["loss_entropy"]
            assert total.isfinite()
            optimizer.zero_grad()
            total.backward()
            optimizer.step()
        played.append(batch)
    return played


@pytest.mark.parametrize("given", [{"flat": True}, {"moves": False}, {}], ids=["flat", "without-rows", "with-rows"])
def test_the_wrapper_of_pettingzoo_finds_its_specs_right(given: dict) -> None:
    from torchrl.envs import PettingZooWrapper, check_env_specs

    check_env_specs(PettingZooWrapper(aec("tongiaki", 3, infos=False, **given), use_mask=True))


def test_the_wrapper_of_gymnasium_finds_its_specs_right_and_draws_legal_actions() -> None:
    from torchrl.envs import ActionMask, GymWrapper, TransformedEnv, check_env_specs

    env = TransformedEnv(GymWrapper(gym("tongiaki", opponents=["random"]), categorical_action_encoding=True), ActionMask())
    check_env_specs(env)
    episode = env.rollout(1000)
    assert episode["next", "done"][-1]
    assert episode["action_mask"].gather(-1, episode["action"][:, None]).all()


def test_ppo_learns_to_beat_random(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch
    from torchrl.envs import GymWrapper

    torch.manual_seed(0)
    add_three_in_a_row(monkeypatch)
    env = GymWrapper(gym("three-in-a-row", opponents=["random"], flat=True, mask=True, ids=True), categorical_action_encoding=True)
    env.set_seed(0)
    batches = trained_by_ppo(env, batches=24, frames=512, epochs=10, rate=3e-3)
    results = [batch["next", "reward"][batch["next", "done"]] for batch in batches]
    last = torch.cat(results[-3:]).mean()
    assert last > 0.5, "a first seat that plays at random has 0.3"


def test_ppo_trains_all_seats() -> None:
    from torchrl.envs import MarlGroupMapType, PettingZooWrapper

    env = PettingZooWrapper(aec("tongiaki", 2, flat=True, infos=False), use_mask=True, group_map=MarlGroupMapType.ALL_IN_ONE_GROUP)
    batches = trained_by_ppo(env, "agents")
    assert len(batches) == BATCHES
    for batch in batches:
        agents = batch["agents"]
        legal = agents["action_mask"].gather(-1, agents["action"][:, :, None]).squeeze(-1)
        assert (legal | ~agents["mask"]).all()
        assert (agents["mask"].sum(-1) == 1).all(), "one agent acts at a time"
