"""Train MaskablePPO by self-play at Tongiaki for two, and write the policy as a bot that plays sealed (docs/selfplay.md).

python examples/selfplay/train.py --steps 400000 --seed 0 --out out/selfplay

The policy scores the row of each legal move together with the position. Its opponents are its own past: every few updates a copy joins the
pool (pool.py). The lead in points, as it changes, is added to the reward; by the end of a match it has cancelled out.
"""

import argparse
import csv
import time
from math import sqrt
from pathlib import Path

import numpy as np
import pool
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableMultiInputActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnvWrapper
from torch import nn

from arena.environments import export_policy, sb3
from arena.environments.exported_bot import row_facts

GAME = "tongiaki"
HIDDEN = 128
TABLES = 32  # matches that are played side by side
MOST = 96  # moves that are offered: more are legal only in rare landings
POINTS = 287, 291  # where the flat observation has one's own points and the other's: in the array seats
LEAD = 0.1  # what a point of the lead is worth, next to the 1 of a win


class RowScores(BaseFeaturesExtractor):
    """Features of the position, followed by the score of each legal move."""

    def __init__(self, space):
        position, rows = space["observation"], space["moves"]
        super().__init__(space, HIDDEN + MOST)
        self.columns = list(zip(rows.low[0].tolist(), rows.high[0].tolist(), strict=True))
        facts = row_facts(np.array([rows.low[0]]), self.columns).shape[1]
        self.register_buffer("scale", torch.as_tensor(1 / np.maximum(np.maximum(-position.low, position.high), 1)))
        self.position = nn.Sequential(nn.Linear(len(self.scale), HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN), nn.ReLU())
        self.of_position, self.of_facts = nn.Linear(HIDDEN, HIDDEN), nn.Linear(facts, HIDDEN, bias=False)  # together one layer
        self.score = nn.Sequential(nn.ReLU(), nn.Linear(HIDDEN, 64), nn.ReLU(), nn.Linear(64, 1))
        nn.init.uniform_(self.score[-1].weight, -0.01, 0.01)  # at first, all moves are about equally likely

    def forward(self, seen):
        position = self.position(seen["observation"] * self.scale)
        table, index = torch.nonzero(seen["moves"][:, :, 0], as_tuple=True)  # a move has a kind from 1
        facts = row_facts(seen["moves"][table, index].numpy().astype(int), self.columns)
        scores = self.score(self.of_position(position)[table] + self.of_facts(torch.from_numpy(facts)))[:, 0]
        return torch.cat((position, position.new_zeros(len(position), MOST).index_put((table, index), scores)), 1)

    def layers(self):
        """The layers as ``export_policy`` takes them, for numbers that are not scaled."""
        first, second, *_ = pairs(self.position)
        joined = torch.cat((self.of_position.weight, self.of_facts.weight), 1).detach(), self.of_position.bias.detach()
        return {"position": [(first[0] * self.scale, first[1]), second], "moves": [joined, *pairs(self.score)]}


def pairs(layers):
    """The weights and biases of linear layers."""
    return [(layer.weight.detach(), layer.bias.detach()) for layer in layers if isinstance(layer, nn.Linear)]


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
        self.mlp_extractor, self.action_net = Split(), nn.Identity()
        self.value_net = nn.Sequential(nn.Linear(HIDDEN, 64), nn.ReLU(), nn.Linear(64, 1))
        self.optimizer = self.optimizer_class(self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs)


class Tables(VecEnvWrapper):
    """Matches against a bot, a random seat in each, with ``MOST`` moves and the changes of the lead, times ``lead``, in the rewards."""

    def __init__(self, opponent, seed, *, tables=TABLES, lead=0.0):
        envs = sb3(GAME, 2, tables, opponents=[opponent], seat=None, moves=True)
        envs.seed(seed)
        position, rows = envs.observation_space["observation"], envs.observation_space["moves"]
        cut = spaces.Box(rows.low[:MOST], rows.high[:MOST], dtype=rows.dtype)
        super().__init__(envs, spaces.Dict({"observation": position, "moves": cut}), spaces.Discrete(MOST))
        self.worth, self.lead = lead, np.zeros(tables)

    def reset(self):
        observations = self.venv.reset()
        self.lead = lead_of(observations)
        return cut_rows(observations)

    def step_wait(self):
        observations, rewards, ended, infos = self.venv.step_wait()
        before, self.lead = self.lead, lead_of(observations)
        after = self.lead.copy()
        for match in np.flatnonzero(ended):
            after[match] = lead_of(infos[match]["terminal_observation"])
        return cut_rows(observations), (rewards + self.worth * (after - before)).astype(np.float32), ended, infos

    def env_method(self, method_name, *args, **kwargs):  # MaskablePPO asks for action_masks
        return [mask[:MOST] for mask in self.venv.env_method(method_name, *args, **kwargs)]


def lead_of(observations):
    """One's own points minus the other's."""
    return observations["observation"][..., POINTS[0]] - observations["observation"][..., POINTS[1]]


def cut_rows(observations):
    return {"observation": observations["observation"], "moves": observations["moves"][:, :MOST]}


def beginner(seed, steps=256):
    """A model that has learned nothing yet, the first of the pool; it learns after ``steps`` steps of each table."""
    envs = Tables("pool:Past", seed, lead=LEAD)
    given = {"n_steps": steps, "batch_size": 512, "n_epochs": 3, "gamma": 1.0, "ent_coef": 0.01}
    model = MaskablePPO(RowPolicy, envs, learning_rate=lambda left: 1e-3 * max(left, 0.1), seed=seed, device="cpu", **given)
    export(model, pool.FOLDER / "00000")
    return model


def export(model, folder):
    return export_policy(folder, GAME, 2, activation="relu", **model.policy.features_extractor.layers())


def share_of_wins(model, opponent, games, seed=1_000_000):
    """The share of games that the model wins with its best moves, a tie being half a win, and half of the interval of 95 %."""
    tables = Tables(opponent, seed, tables=20)
    seen, rewards = tables.reset(), []
    while len(rewards) < games:
        actions, _ = model.predict(seen, action_masks=np.stack(tables.env_method("action_masks")), deterministic=True)
        seen, earned, ended, _ = tables.step(actions)
        rewards += earned[ended].tolist()
    share = (np.mean(rewards) + 1) / 2
    return share, 1.96 * sqrt(share * (1 - share) / len(rewards))


class Progress(BaseCallback):
    """Adds the policy to the pool after every few updates, and writes down how it does against ``greedy``."""

    def __init__(self, out, *, updates=2, every=50_000, games=100):
        super().__init__()
        self.out, self.updates, self.every, self.games = out, updates, every, games
        self.rollouts = self.next = 0
        self.began, self.measuring = time.process_time(), 0.0

    def _on_rollout_start(self):
        if self.rollouts and self.rollouts % self.updates == 0:
            export(self.model, self.out / "pool" / f"{self.rollouts:05}")
        self.rollouts += 1
        if self.num_timesteps >= self.next:
            self.next += self.every
            self.measure()

    def measure(self):
        spent = time.process_time() - self.began - self.measuring
        share, half = share_of_wins(self.model, "greedy", self.games)
        self.measuring = time.process_time() - self.began - spent
        print(
            f"{self.num_timesteps:>9,} steps, {spent:4.0f} CPU seconds: wins {share:.3f} +- {half:.3f} of {self.games} games against greedy"
        )
        with (self.out / "curve.csv").open("a", newline="") as file:
            csv.writer(file).writerow((self.num_timesteps, round(spent, 1), round(share, 4), self.games))

    def _on_step(self):
        return True


def main():
    parser = argparse.ArgumentParser(description="Train MaskablePPO by self-play at Tongiaki for two.")
    parser.add_argument("--steps", type=int, default=500_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--games", type=int, default=100, help="games against greedy after every fifth of the steps, and three times as many at the end"
    )
    parser.add_argument("--expert", type=float, default=0.0, help="the share of matches against expert, which takes its time")
    parser.add_argument("--out", type=Path, default=Path("out/selfplay"), help="a folder for the pool, the curve and the bot")
    given = parser.parse_args()
    if (given.out / "pool").exists():
        parser.error(f"--out {given.out}: has the pool of an earlier training; give another folder, or remove it")
    torch.set_num_threads(1)
    pool.FOLDER, pool.EXPERT = given.out / "pool", given.expert
    model = beginner(given.seed)
    progress = Progress(given.out, every=given.steps // 5, games=given.games)
    model.learn(given.steps, callback=progress)
    progress.games *= 3
    progress.measure()
    bot = export(model, given.out / "bot")
    print(f"Written to {bot}; try it with: arena rate {bot} --game {GAME} --runtime packages=numpy")


if __name__ == "__main__":
    main()
