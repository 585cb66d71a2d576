"""Train a policy for two-player Tongiaki by self-play with PPO, in one file, and save it as a bot that can be isolated (docs/selfplay.md).

python examples/selfplay/train.py --steps 1200000 --seed 0 --out out/selfplay

The policy scores the row of each legal move together with the position, and plays both seats. In a quarter of the matches, an earlier
policy from the pool plays one of the seats; with --experts 8, ``expert`` plays that seat in eight of these matches. Changes of the lead are
rewarded immediately and taken back when the match is over, so that only the result counts (potential-based shaping).

It requires torch (see docs/selfplay.md for the version).
"""

import argparse
import copy
import csv
import time
from math import sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from move_facts import move_facts
from policy_bot import PolicyBot, row_facts, write_bot
from torch import nn

from arena.environments import batch
from bots import Clock, MatchInfo, load_bot
from engine import find_game

GAME = find_game("tongiaki")
HIDDEN = 128
MATCHES, STEPS = 128, 128  # matches that are played in parallel, and steps between updates
EPOCHS, MINIBATCH = 3, 2048
RATE, CLIP, ENTROPY, LAMBDA = 7e-4, 0.2, 0.01, 0.95
LEAD = 0.05  # the reward for a point of the lead; a win is 1
POINTS = 287, 291  # where the flat observation contains the points of the agent and of its opponent
EVERY, NEWEST = 10, 20  # updates between additions to the pool, and the size of the pool


class Policy(nn.Module):
    def __init__(self, largest, facts):
        super().__init__()
        self.register_buffer("scale", torch.as_tensor(np.minimum(3 / largest, 1)))
        self.position = nn.Sequential(nn.Linear(len(largest), HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, HIDDEN), nn.ReLU())
        self.value = nn.Sequential(nn.Linear(HIDDEN, 64), nn.ReLU(), nn.Linear(64, 1))
        self.of_position, self.of_facts = nn.Linear(HIDDEN, HIDDEN), nn.Linear(facts, HIDDEN, bias=False)  # together one layer
        self.gates = nn.ModuleList([nn.Linear(HIDDEN, HIDDEN), nn.Linear(facts, HIDDEN)])
        self.score = nn.Sequential(nn.ReLU(), nn.Linear(HIDDEN, 64), nn.ReLU(), nn.Linear(64, 1))
        nn.init.uniform_(self.score[-1].weight, -0.01, 0.01)  # at first, all moves are about equally likely

    def forward(self, numbers, facts, counts):
        """Return the log probabilities of moves, of shape (positions, maximum number of moves), and the values of the positions."""
        hidden = self.position(numbers * self.scale)
        of = torch.repeat_interleave(torch.arange(len(counts)), counts)  # the position of each move
        place = torch.arange(len(of)) - (counts.cumsum(0) - counts)[of]
        products = self.gates[0](hidden)[of] * self.gates[1](facts)
        scores = self.score(self.of_position(hidden)[of] + self.of_facts(facts) + products)[:, 0]
        logits = torch.full((len(counts), int(counts.max())), -1e9).index_put((of, place), scores)
        return torch.log_softmax(logits, 1), self.value(hidden)[:, 0]

    def export(self, folder, columns):
        """Save the policy as a bot, and return its folder."""
        first, second = pairs(self.position)
        joined = torch.cat((self.of_position.weight, self.of_facts.weight), 1).detach(), self.of_position.bias.detach()
        layers = {"position": [(first[0] * self.scale, first[1]), second], "moves": [joined, *pairs(self.score)]}
        return write_bot(folder, columns, **layers, gates=pairs(self.gates))


def pairs(layers):
    """Return the weights and biases of the linear layers."""
    return [(layer.weight.detach(), layer.bias.detach()) for layer in layers if isinstance(layer, nn.Linear)]


class Decisions(NamedTuple):
    """The decisions of the policy in one step: their matches and seats, what was observed, and what was done."""

    matches: np.ndarray
    seats: np.ndarray
    numbers: np.ndarray
    facts: np.ndarray
    counts: np.ndarray
    actions: np.ndarray
    chances: np.ndarray  # log probabilities
    values: np.ndarray


class Trainer:
    def __init__(self, seed, experts=0):
        torch.manual_seed(seed)
        self.rng = np.random.default_rng(seed)
        self.env = batch(GAME.name, 2, MATCHES, flat=True, moves=True, copy=False)
        numbers, rows = (self.env.single_observation_space[name] for name in ("observation", "moves"))
        self.columns = tuple(zip(rows.low[0].tolist(), rows.high[0].tolist(), strict=True))
        largest = np.maximum(np.maximum(-numbers.low, numbers.high), 1)
        self.policy = Policy(largest, self.facts_of(numbers.low[None], rows.low[:1], np.zeros(1, int)).shape[1])
        self.optimizer = torch.optim.Adam(self.policy.parameters(), lr=RATE, eps=1e-5)
        self.pool, self.updates = [], 0
        self.seen, self.infos = self.env.reset(seed=1_000_000 * seed + 1)
        self.leads = np.zeros((MATCHES, 2))
        self.experts = [load_bot("expert", MatchInfo(GAME, 2, match % 2, seed + match)) for match in range(experts)]

    def update(self, left):
        """Play some steps and learn from them; ``left`` is the fraction of the training that is left."""
        if self.updates % EVERY == 0:
            self.pool = [*self.pool, copy.deepcopy(self.policy)][-NEWEST:]
        self.updates += 1
        decisions, rewards, ended = self.play(self.pool[self.rng.integers(len(self.pool))])
        self.learn(decisions, self.advantages(decisions, rewards, ended), left)

    def play(self, past):
        """Return the decisions of the policy in each step, the rewards of both seats, and which matches ended."""
        decisions, rewards, ended = [], np.zeros((STEPS, MATCHES, 2)), np.zeros((STEPS, MATCHES), bool)
        numbers = np.arange(MATCHES)
        others = (numbers < max(MATCHES // 4, len(self.experts)), numbers % 2)  # the matches with a different player, and its seat
        for step in range(STEPS):
            actors, counts = self.env.actors, self.infos["action_mask"].sum(1, dtype=np.int64)
            actions = np.zeros(MATCHES, int)
            is_other = others[0] & (actors == others[1])
            of_past, own = (np.flatnonzero((counts > 1) & is_it) for is_it in (is_other, ~is_other))
            decisions.append(self.decide(self.policy, own, actors, counts))
            actions[own] = decisions[-1].actions
            if len(of_past):
                actions[of_past] = self.decide(past, of_past, actors, counts).actions
            for match in of_past[of_past < len(self.experts)]:
                state = self.env.matches.states[match]
                actions[match] = state.list_moves().index(self.experts[match].choose(state.view(int(actors[match])), Clock()))
            self.seen, earned, ended[step], self.infos = self.env.step(actions)
            now = self.seen["observation"][:, POINTS[0]] - self.seen["observation"][:, POINTS[1]]
            leads = np.where(np.arange(2) == self.env.actors[:, None], now[:, None], -now[:, None])  # 0 where a match begins
            rewards[step] = earned + LEAD * (leads - self.leads)
            self.leads = leads
        return decisions, rewards, ended

    def facts_of(self, numbers, rows, of):
        return np.concatenate((row_facts(rows, self.columns), move_facts(numbers, rows, of)), 1)

    def decide(self, policy, which, actors, counts):
        rows = self.seen["moves"][which, : counts[which].max()]
        numbers = self.seen["observation"][which].copy()
        facts = self.facts_of(numbers, rows[rows[:, :, 0] > 0], np.repeat(np.arange(len(which)), counts[which]))  # kinds count from 1
        with torch.no_grad():
            chances, values = policy(torch.from_numpy(numbers), torch.from_numpy(facts), torch.from_numpy(counts[which]))
            actions = torch.distributions.Categorical(logits=chances, validate_args=False).sample()
            chosen = chances.gather(1, actions[:, None])[:, 0]
        return Decisions(which, actors[which], numbers, facts, counts[which], actions.numpy(), chosen.numpy(), values.numpy())

    def advantages(self, decisions, rewards, ended):
        """Return generalised advantage estimates; for each seat, its own decisions count as consecutive."""
        with torch.no_grad():
            numbers = torch.from_numpy(self.seen["observation"])
            last = self.policy.value(self.policy.position(numbers * self.policy.scale))[:, 0].numpy()
        is_actor = np.arange(2) == self.env.actors[:, None]
        following = np.where(is_actor, last[:, None], -last[:, None])  # one seat's win is the other's loss
        advantage, earned = np.zeros((MATCHES, 2)), np.zeros((MATCHES, 2))
        estimates = []
        for made, gained, over in zip(reversed(decisions), rewards[::-1], ended[::-1], strict=True):
            for each in (following, advantage, earned):
                each[over] = 0
            earned += gained
            at = made.matches, made.seats
            advantage[at] = earned[at] + following[at] - made.values + LAMBDA * advantage[at]
            estimates.append(advantage[at].astype(np.float32))
            following[at], earned[at] = made.values, 0
        return np.concatenate(estimates[::-1])

    def learn(self, decisions, advantages, pace):
        numbers, facts, counts, actions, chances, values = (np.concatenate(parts) for parts in list(zip(*decisions, strict=True))[2:])
        starts = counts.cumsum() - counts
        targets = values + advantages
        for group in self.optimizer.param_groups:
            group["lr"] = RATE * pace
        for _ in range(EPOCHS):
            order = self.rng.permutation(len(counts))
            for begin in range(0, len(order), MINIBATCH):
                some = order[begin : begin + MINIBATCH]
                few = counts[some]
                rows = np.arange(few.sum()) + np.repeat(starts[some] - few.cumsum() + few, few)
                seen = (torch.from_numpy(each) for each in (numbers[some], facts[rows], few))
                wanted = (torch.from_numpy(each[some]) for each in (actions, chances, advantages, targets))
                self.descend(*seen, *wanted, ENTROPY * pace)

    def descend(self, numbers, facts, counts, actions, before, advantages, targets, exploring):
        chances, values = self.policy(numbers, facts, counts)
        ratio = (chances.gather(1, actions[:, None])[:, 0] - before).exp()
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        gain = torch.min(ratio * advantages, ratio.clamp(1 - CLIP, 1 + CLIP) * advantages).mean()
        entropy = -(chances.exp() * chances.clamp_min(-50)).sum(1).mean()
        loss = 0.5 * (values - targets).square().mean() - gain - exploring * entropy
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.policy.parameters(), 0.5)
        self.optimizer.step()


def share_of_wins(bot, opponent, games, seed=1_000_000):
    """Return the share of games that the bot wins, and half of its 95% interval. Decks are played in pairs; a tie is half a win."""
    policy, won = PolicyBot(bot / "policy.npz"), 0.0
    for number in range(games):
        state, own = GAME.new(2, seed + number // 2), number % 2
        other = load_bot(opponent, MatchInfo(GAME, 2, 1 - own, number))
        while state.actor is not None:
            player = policy if state.actor == own else other
            state.play(state.move_at(0) if state.count_moves() == 1 else player.choose(state.view(state.actor), Clock()))
        ranks = state.outcome.ranks
        won += 0.5 if ranks[0] == ranks[1] else ranks[own] == 1
    share = won / games
    return share, 1.96 * sqrt(share * (1 - share) / games)


def train(steps, seed, out, *, games=200, experts=0):
    """Train, and write the bot and ``curve.csv``, with the CPU seconds and the share won against greedy after each tenth of the steps."""
    torch.set_num_threads(1)
    trainer = Trainer(seed, experts)
    updates, spent = max(steps // (MATCHES * STEPS), 1), 0.0
    out.mkdir(parents=True, exist_ok=True)
    with (out / "curve.csv").open("w", newline="") as file:
        for number in range(updates):
            began = time.process_time()
            trainer.update(1 - number / updates)
            spent += time.process_time() - began
            if number + 1 == updates or (number + 1) % max(updates // 10, 1) == 0:
                share, half = share_of_wins(trainer.policy.export(out / "bot", trainer.columns), "greedy", games)
                played = (number + 1) * MATCHES * STEPS
                print(
                    f"{played:>9,} steps, {spent:4.0f} CPU seconds: wins {share:.3f} +- {half:.3f} of {games} games against greedy",
                    flush=True,
                )
                csv.writer(file).writerow((played, round(spent, 1), share, half))
    return out / "bot"


def main():
    parser = argparse.ArgumentParser(description="Train a policy for two-player Tongiaki by self-play, and save it as a bot.")
    parser.add_argument("--steps", type=int, default=1_200_000, help="decisions of both seats in all matches")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--games", type=int, default=200, help="games against greedy after each tenth of the steps")
    parser.add_argument("--experts", type=int, default=0, help=f"in how many of the {MATCHES} matches expert plays (which is slow)")
    parser.add_argument("--out", type=Path, default=Path("out/selfplay"), help="a folder for the bot and the curve")
    given = parser.parse_args()
    if given.out.exists() and not given.out.is_dir():
        parser.error(f"--out {given.out}: this must be a folder")
    bot = train(given.steps, given.seed, given.out, games=given.games, experts=given.experts)
    print(f"Written to {bot}; try it with: arena rate {bot} --game {GAME.name} --runtime packages=numpy")


if __name__ == "__main__":
    main()
