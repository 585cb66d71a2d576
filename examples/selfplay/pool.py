"""The opponent of a policy in training: one of its own past, drawn anew for each match, or now and then ``expert``."""

from functools import cache
from pathlib import Path

import numpy as np

from arena.environments.exported_bot import Exported
from bots import load_bot

FOLDER = Path()  # train.py says where the pool is, and how often expert plays
EXPERT = 0.0
NEWEST = 20
OLD = 0.25  # how often another than the newest of the pool plays

loaded = cache(Exported)


class Past:
    def start(self, info):
        self.rng = np.random.default_rng(info.seed)
        self.expert = load_bot("expert", info) if self.rng.random() < EXPERT else None
        if self.expert is None:
            files = sorted(FOLDER.glob("*/policy.npz"))[-NEWEST:]
            self.policy = loaded(self.rng.choice(files) if self.rng.random() < OLD else files[-1])

    def choose(self, view, clock):
        if self.expert is not None:
            return self.expert.choose(view, clock)
        scores = self.policy.scores(view)
        return view.legal_moves[int((scores + self.rng.gumbel(size=len(scores))).argmax())]  # drawn with the softmax of the scores
