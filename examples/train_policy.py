"""Train a small policy for Tongiaki against ``random`` with REINFORCE, and save it as a bot.

python examples/train_policy.py --games 600 --out trained.py
arena match trained.py random --game tongiaki

The policy has a row of weights for each kind of move: for a constant, the points of the move's island, and the numbers of own and
other ships that the move puts there. In training, moves are drawn with the softmax of scores; the bot plays the move with the best score.

With --network, a layer of hidden units is added between these features and the score, and the weights are written for the bot in
examples/network_bot, as weights.npz and, if the package onnx is installed, as policy.onnx.

python examples/train_policy.py --games 1500 --network examples/network_bot
arena match examples/network_bot:WithNumpy random --game tongiaki --runtime packages=numpy
"""

import argparse
from pathlib import Path

import numpy as np

from arena.environments import gym

KINDS = 11
FACTS = 4  # a constant, points, own ships, ships of others
HIDDEN = 16  # hidden units of the network
SHIPS_AT = 7  # the first column of a move's ships (docs/reference/environments.md)


def features(observation, players):
    """Return the policy's features for the legal moves, of shape (moves, KINDS * FACTS)."""
    return facts_of(observation["observation"]["moves"][observation["action_mask"] == 1], players)


def facts_of(rows, players):
    """Return the features for the rows of the legal moves."""
    rows = rows.astype(float)
    ships = rows[:, SHIPS_AT:].reshape(len(rows), -1, players)
    own, others = ships[:, :, 0].sum(1), ships[:, :, 1:].sum((1, 2))
    facts = np.stack((np.ones(len(rows)), rows[:, 2] / 5, own / 4, others / 4), 1)
    kinds = np.eye(KINDS)[rows[:, 0].astype(int) - 1]
    return (kinds[:, :, None] * facts[:, None, :]).reshape(len(rows), -1)


class Linear:
    """A policy whose scores are weighted sums of the features."""

    size = KINDS * FACTS

    def initial(self, _rng):
        return np.zeros(self.size)

    def scores(self, weights, seen):
        return seen @ weights

    def gradient(self, _weights, seen, factors):
        """Return the gradient of the weighted sum of the scores."""
        return factors @ seen


class Network:
    """A policy with a layer of hidden units. It has the weights and biases of the layer, and the weights of the score."""

    size = KINDS * FACTS * HIDDEN + HIDDEN + HIDDEN

    def initial(self, rng):
        weights = rng.normal(scale=0.3, size=self.size)
        weights[-2 * HIDDEN : -HIDDEN] = 0
        return weights

    def parts(self, weights):
        return weights[: -2 * HIDDEN].reshape(-1, HIDDEN), weights[-2 * HIDDEN : -HIDDEN], weights[-HIDDEN:]

    def scores(self, weights, seen):
        layer, biases, last = self.parts(weights)
        return np.tanh(seen @ layer + biases) @ last

    def gradient(self, weights, seen, factors):
        layer, biases, last = self.parts(weights)
        hidden = np.tanh(seen @ layer + biases)
        back = factors[:, None] * last * (1 - hidden**2)
        return np.concatenate(((seen.T @ back).ravel(), back.sum(0), factors @ hidden))


def play(env, policy, weights, rng):
    """Play a game; return the gradient of its moves' log probability, and the reward at its end."""
    observation, _ = env.reset()
    gradient = np.zeros_like(weights)
    is_over = False
    while not is_over:
        seen = features(observation, env.table.players)
        scores = policy.scores(weights, seen)
        chances = np.exp(scores - scores.max())
        chances /= chances.sum()
        action = rng.choice(len(chances), p=chances)
        chosen = np.zeros_like(chances)
        chosen[action] = 1
        gradient += policy.gradient(weights, seen, chosen - chances)
        observation, reward, is_over, _, _ = env.step(action)
    return gradient, reward


def train(games, seed, batch=20, rate=0.05, policy=None):
    """Train for this many games, and return the weights; each batch makes a step of size ``rate`` towards moves that did better."""
    env = gym("tongiaki", opponents=["random"], seat=None)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    policy = policy or Linear()
    weights = policy.initial(rng)
    velocity, scale = np.zeros_like(weights), np.zeros_like(weights)
    for number in range(1, games // batch + 1):
        gradients, rewards = zip(*(play(env, policy, weights, rng) for _ in range(batch)), strict=True)
        step = np.array(rewards) - np.mean(rewards)
        gradient = step @ np.array(gradients) / batch
        velocity = 0.9 * velocity + 0.1 * gradient  # Adam
        scale = 0.99 * scale + 0.01 * gradient**2
        weights += rate * velocity / (1 - 0.9**number) / (np.sqrt(scale / (1 - 0.99**number)) + 1e-8)
        if number % 5 == 0:
            print(f"{number * batch} games, mean reward of the last {batch}: {np.mean(rewards):+.2f}")
    return weights


BOT = '''"""A bot for Tongiaki with weights that were learned by examples/train_policy.py."""

import random

from engine.tongiaki.notation.moves import ENTER, EXPAND, LAND, PLACE, SETTLE, TAKE
from engine.tongiaki.board.tiles import POINTS

# For each kind of move: a constant, and the weights of points, own ships and ships of others.
WEIGHTS = {weights}


class Trained:
    def start(self, info):
        self.rng = random.Random(info.seed)

    def choose(self, view, clock):
        return max(view.legal_moves, key=lambda move: (self.score(view, move), self.rng.random()))

    def score(self, view, move):
        island = view.position.target if move.code in (SETTLE, LAND) else 0 if move.code == PLACE else move.island
        points = POINTS[island] if island >= 0 else 0
        own = others = 0
        if move.code == LAND:
            seats = [seat for _, ships in move.ships for seat in ships]
            own = seats.count(view.seat)
            others = len(seats) - own
        elif move.code == TAKE:
            own = -1
        elif move.code in (PLACE, EXPAND, ENTER, SETTLE):
            own = len(move.numbers)
        return sum(weight * fact for weight, fact in zip(WEIGHTS[move.code], (1, points / 5, own / 4, others / 4)))
'''


def write_bot(weights, path):
    """Write a bot file with these weights; it requires only the engine, so it works at every isolation level."""
    rows = ",\n".join(f"    {[round(float(weight), 6) for weight in row]}" for row in weights.reshape(KINDS, FACTS))
    path.write_text(BOT.replace("{weights}", f"[\n{rows},\n]"), encoding="utf-8")


def write_network(weights, folder):
    """Write the weights of a network to the folder of its bot, for numpy and for onnxruntime."""
    layer, biases, last = (each.astype(np.float32) for each in Network().parts(weights))
    np.savez(folder / "weights.npz", layer=layer, biases=biases, last=last)
    try:
        import onnx  # noqa: PLC0415  # only networks need it
    except ImportError:
        print("The package onnx is not installed, so policy.onnx was not written.")
        return
    from onnx import helper, numpy_helper  # noqa: PLC0415  # as above

    facts = helper.make_tensor_value_info("facts", onnx.TensorProto.FLOAT, ["moves", len(layer)])
    scores = helper.make_tensor_value_info("scores", onnx.TensorProto.FLOAT, ["moves"])
    nodes = [
        helper.make_node("Gemm", ["facts", "layer", "biases"], ["sums"]),
        helper.make_node("Tanh", ["sums"], ["hidden"]),
        helper.make_node("MatMul", ["hidden", "last"], ["scores"]),
    ]
    constants = [numpy_helper.from_array(value, name) for name, value in (("layer", layer), ("biases", biases), ("last", last))]
    graph = helper.make_graph(nodes, "policy", [facts], [scores], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)  # older versions can read these, too
    onnx.checker.check_model(model)
    onnx.save(model, folder / "policy.onnx")


def main():
    parser = argparse.ArgumentParser(description="Train a small policy for Tongiaki and save it as a bot.")
    parser.add_argument("--games", type=int, default=600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("trained.py"))
    parser.add_argument("--network", type=Path, metavar="FOLDER", help="train a network, and write its weights to this folder")
    given = parser.parse_args()
    if given.out.is_dir() or not given.out.absolute().parent.is_dir():  # checked before the training starts
        parser.error(f"--out {given.out}: this must be a file in an existing folder")
    if given.network is not None and not given.network.is_dir():
        parser.error(f"--network {given.network}: this must be an existing folder")
    if given.network is not None:
        write_network(train(given.games, given.seed, rate=0.02, policy=Network()), given.network)
        print(f"Written to {given.network}; try it with:")
        print(f"arena match {given.network}:WithNumpy random --game tongiaki --runtime packages=numpy")
        return
    write_bot(train(given.games, given.seed), given.out)
    print(f"Written to {given.out}; try it with: arena match {given.out} random --game tongiaki")


if __name__ == "__main__":
    main()
