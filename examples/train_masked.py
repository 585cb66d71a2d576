"""Train MaskablePPO of sb3-contrib against ``random`` with a policy that scores moves, and count how many games it wins.

python examples/train_masked.py --steps 20000
python examples/train_masked.py --steps 20000 --numbers

An action is the index of a legal move, and the same index means another move in the next position. So this policy learns nothing about
indices: it scores the features of each legal move (its row in the array ``moves``) together with the position. With --numbers the usual
policy of the library is trained for comparison, which learns a preference for each index.

It needs stable-baselines3, sb3-contrib and torch (docs/environments.md says which versions).
"""

import argparse
from math import sqrt
from pathlib import Path

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.policies import MaskableMultiInputActorCriticPolicy
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from arena.environments import gym

HIDDEN = 64
TABLES = 8  # games that are played side by side


class RowScores(BaseFeaturesExtractor):
    """Features of a position, followed by the score of each legal move."""

    def __init__(self, space):
        rows = space["moves"]
        super().__init__(space, HIDDEN + rows.shape[0])
        self.names = [name for name in space.spaces if name != "moves"]
        self.kinds = int(rows.high[0, 0])
        self.register_buffer("scale", 1 / torch.cat([largest(space[name]).flatten() for name in self.names]))
        self.register_buffer("row_scale", 1 / largest(rows)[0])
        self.position = nn.Sequential(nn.Linear(len(self.scale), HIDDEN), nn.Tanh())
        self.move = nn.Sequential(nn.Linear(HIDDEN + len(self.row_scale) + self.kinds, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, 1))
        nn.init.uniform_(self.move[-1].weight, -0.01, 0.01)  # at first, all moves are about equally likely

    def forward(self, seen):
        position = self.position(torch.cat([seen[name].flatten(1) for name in self.names], 1) * self.scale)
        table, index = torch.nonzero(seen["moves"][:, :, 0], as_tuple=True)  # a move has a kind from 1
        rows = seen["moves"][table, index]
        kinds = nn.functional.one_hot(rows[:, 0].long() - 1, self.kinds)
        scores = self.move(torch.cat([position[table], rows * self.row_scale, kinds], 1))
        return torch.cat([position, position.new_zeros(seen["moves"].shape[:2]).index_put((table, index), scores[:, 0])], 1)


def largest(box):
    """The largest magnitude of each number in the space, at least 1."""
    return torch.as_tensor(np.maximum(np.maximum(np.abs(box.low), np.abs(box.high)), 1), dtype=torch.float32)


class Split(nn.Module):
    """Takes apart what ``RowScores`` returns: the scores are the logits of the actions, and the value is made from the position."""

    def forward(self, features):
        return self.forward_actor(features), self.forward_critic(features)

    def forward_actor(self, features):
        return features[:, HIDDEN:]

    def forward_critic(self, features):
        return features[:, :HIDDEN]


class RowPolicy(MaskableMultiInputActorCriticPolicy):
    """A policy whose logits are the scores of the moves' rows, so no weight belongs to an index."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs, features_extractor_class=RowScores)

    def _build(self, lr_schedule):
        self.mlp_extractor = Split()
        self.action_net = nn.Identity()
        self.value_net = nn.Sequential(nn.Linear(HIDDEN, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, 1))
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)


def tables(game, seed, *, has_rows):
    """Tables of one seat, another in each game, against ``random``; with or without the features of moves."""
    given = {"game": game, "opponents": ["random"], "seat": None, "flat": True, "moves": has_rows, "infos": False}
    return make_vec_env(gym, TABLES, seed=seed, env_kwargs=given)


def beginner(game, seed, *, has_rows, rollout=2048):
    """A model that has learned nothing yet; it learns after each ``rollout`` steps."""
    given = {"n_steps": rollout // TABLES, "batch_size": 256, "learning_rate": 1e-3, "gamma": 0.999, "ent_coef": 0.01}
    policy = RowPolicy if has_rows else "MlpPolicy"
    return MaskablePPO(policy, tables(game, seed, has_rows=has_rows), seed=seed, device="cpu", **given)


def share_of_wins(model, fresh, games):
    """The share of games that the model wins when it draws its moves, a tie being half a win; and the interval around it."""
    rewards, _ = evaluate_policy(model, fresh, games, deterministic=False, return_episode_rewards=True)
    return interval((np.mean(rewards) + 1) / 2, games)


def interval(share, games):
    """The share, and Wilson's interval of 95 % around it."""
    z = 1.96
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z * sqrt(share * (1 - share) / games + z * z / (4 * games * games)) / (1 + z * z / games)
    return f"{share:.3f} ({middle - half:.3f} to {middle + half:.3f})"


def main():
    parser = argparse.ArgumentParser(description="Train MaskablePPO with a policy that scores moves.")
    parser.add_argument("--game", default="tongiaki")
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--games", type=int, default=500, help="games that are played to count wins, before and after")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--numbers", action="store_true", help="train the library's own policy over indices of moves")
    parser.add_argument("--out", type=Path, help="save the model here")
    given = parser.parse_args()
    if given.out is not None and not given.out.absolute().parent.is_dir():  # before all that takes time
        parser.error(f"--out {given.out}: give a file in a folder that exists")
    model = beginner(given.game, given.seed, has_rows=not given.numbers)
    fresh = tables(given.game, 1_000_000 + given.seed, has_rows=not given.numbers)
    print(f"Wins of {given.games} games against random: {share_of_wins(model, fresh, given.games)}")
    model.learn(given.steps)
    print(f"After {model.num_timesteps:,} steps: {share_of_wins(model, fresh, given.games)}")
    if given.out is not None:
        model.save(given.out)
        print(f"Saved as {given.out}")


if __name__ == "__main__":
    main()
