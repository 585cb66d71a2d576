"""A bot that plays the legal move with the highest score from a policy of train.py; ``write_bot`` copies this file next to the weights.

It uses only what is available to an isolated bot: the standard library, numpy, the engine and the files in its own folder.
"""

import shutil
from functools import cache
from pathlib import Path

import numpy as np
from move_facts import move_facts

from engine.tongiaki.observation import pack, pack_moves

MOST = 1024  # the maximum number of legal moves, as in the environments
FEW = 20  # columns of rows with fewer possible values than this also get a one-hot encoding


class PolicyBot:
    def __init__(self, file=None):
        with np.load(file or Path(__file__).with_name("policy.npz")) as arrays:  # safe: numpy refuses pickles by default
            self.arrays = dict(arrays)
        self.columns = tuple(map(tuple, self.arrays["columns"].tolist()))

    def start(self, info):
        if (info.game.name, info.players) != ("tongiaki", 2):
            raise ValueError("the policy plays tongiaki with 2 players")

    def choose(self, view, clock):
        return view.legal_moves[int(self.scores(view).argmax())]

    def scores(self, view):
        """Return the logit of each legal move."""
        moves = list(view.legal_moves)[:MOST]
        numbers = np.frombuffer(pack(view.position, view.seat), np.int8).astype(np.float32)
        rows = np.frombuffer(pack_moves(view.position, view.seat, moves), np.int8).reshape(len(moves), -1)
        facts = np.concatenate((row_facts(rows, self.columns), move_facts(numbers[None], rows, np.zeros(len(rows), int))), 1)
        hidden = relu(self.layer("position.1", relu(self.layer("position.0", numbers))))
        first = self.layer("moves.0", np.concatenate((np.repeat(hidden[None], len(moves), 0), facts), 1))
        first += self.layer("gates.0", hidden) * self.layer("gates.1", facts)
        return self.layer("moves.2", relu(self.layer("moves.1", relu(first))))[:, 0]

    def layer(self, name, inputs):
        return inputs @ self.arrays[f"{name}.weight"].T + self.arrays[f"{name}.bias"]


def relu(inputs):
    return np.maximum(inputs, 0)


def row_facts(rows, columns):
    """Return a policy's features for rows of moves, of shape (len(rows), n); ``columns`` are the bounds of each column.

    First come the columns divided by their largest magnitude, then a one-hot encoding of each column with few values.
    """
    few, shift, size, largest = plan_of(columns)
    places = np.zeros((len(rows), size), np.float32)
    places[np.arange(len(rows))[:, None], rows[:, few] + shift] = 1
    return np.concatenate((rows / largest, places), 1, dtype=np.float32)


@cache
def plan_of(columns):
    """Return the columns with few values, the offsets from value to one-hot index, the number of indices, and the largest magnitudes."""
    low, high = np.array(columns).T
    few = np.nonzero(high - low + 1 < FEW)[0]
    sizes = (high - low + 1)[few]
    largest = np.maximum(np.maximum(abs(low), abs(high)), 1).astype(np.float32)
    return few, np.cumsum(sizes) - sizes - low[few], int(sizes.sum()), largest


def write_bot(folder, columns, **parts):
    """Write a policy as a bot; ``parts`` are lists of layers, each with weights of shape (outputs, inputs) and biases."""
    arrays = {}
    for part, layers in parts.items():
        for number, (weight, bias) in enumerate(layers):
            arrays[f"{part}.{number}.weight"], arrays[f"{part}.{number}.bias"] = np.asarray(weight), np.asarray(bias)
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "policy.npz", allow_pickle=False, columns=np.array(columns), **arrays)
    shutil.copyfile(__file__, folder / "bot.py")
    shutil.copyfile(Path(__file__).with_name("move_facts.py"), folder / "move_facts.py")
    return folder
