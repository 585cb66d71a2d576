"""Tongiaki bots that choose moves with a small neural network, using numpy or onnxruntime; examples/train_policy.py trains it."""

from pathlib import Path

import numpy as np

from engine.tongiaki.board.tiles import POINTS
from engine.tongiaki.notation.moves import ENTER, EXPAND, LAND, PLACE, SETTLE, TAKE

HERE = Path(__file__).parent
KINDS = 11
FACTS = 4  # a constant, points, own ships, ships of others


def facts(view):
    """Return the network's input: a row for each legal move, in which only the entries for the move's kind are not zero."""
    rows = np.zeros((len(view.legal_moves), KINDS, FACTS), np.float32)
    for row, move in zip(rows, view.legal_moves, strict=True):
        island = view.position.target if move.code in (SETTLE, LAND) else 0 if move.code == PLACE else move.island
        own = others = 0
        if move.code == LAND:
            seats = [seat for _, ships in move.ships for seat in ships]
            own = seats.count(view.seat)
            others = len(seats) - own
        elif move.code == TAKE:
            own = -1
        elif move.code in (PLACE, EXPAND, ENTER, SETTLE):
            own = len(move.numbers)
        row[move.code] = 1, (POINTS[island] if island >= 0 else 0) / 5, own / 4, others / 4
    return rows.reshape(len(rows), -1)


class WithNumpy:
    def __init__(self):
        with np.load(HERE / "weights.npz") as weights:
            self.layer, self.biases, self.last = weights["layer"], weights["biases"], weights["last"]

    def scores(self, view):
        return np.tanh(facts(view) @ self.layer + self.biases) @ self.last

    def choose(self, view, clock):
        return view.legal_moves[int(self.scores(view).argmax())]


class WithOnnx:
    def __init__(self):
        import onnxruntime  # noqa: PLC0415  # here, so that WithNumpy works without it

        # As bytes: given a path, onnxruntime would open the file itself, which fails in a bot's process.
        self.session = onnxruntime.InferenceSession((HERE / "policy.onnx").read_bytes())

    def scores(self, view):
        [scores] = self.session.run(["scores"], {"facts": facts(view)})
        return scores

    def choose(self, view, clock):
        return view.legal_moves[int(self.scores(view).argmax())]
