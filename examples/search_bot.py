"""Searches a tree of a hundred nodes for each decision, and evaluates its leaves with the chances of winning."""

import random

from bots.search import search
from bots.values import utilities


class Searcher:
    params = {"nodes": 100}

    def start(self, info):
        self.rng = random.Random(info.seed)

    def choose(self, view, clock):
        result = search(view, clock, self.rng, value=utilities, nodes=self.params["nodes"])
        self.nodes = result.nodes
        return result.move
