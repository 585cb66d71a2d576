"""``examples/tune.py`` finds the planted optimum of a bot's parameter."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from engine.core import Game
from tests.docs.pages import ROOT

BOT = """
import random


class Planted:
    params = {"edge": 0.0, "style": "calm"}

    def start(self, info):
        self.rng = random.Random(info.seed)

    def choose(self, view, clock):
        if self.params["style"] == "calm" or self.rng.random() < abs(self.params["edge"] - 0.7):
            return None
        return self.rng.choice(view.legal_moves)
"""
"""Gives up, less often the closer ``edge`` is to 0.7."""


@pytest.fixture(scope="module")
def example() -> Any:
    specification = importlib.util.spec_from_file_location("tune_example", ROOT / "examples" / "tune.py")
    assert specification is not None
    assert specification.loader is not None
    module: ModuleType = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.mark.filterwarnings("ignore:WilcoxonPruner is experimental")
def test_the_planted_optimum_is_found(example: Any, games: dict[str, Game], tmp_path: Path) -> None:
    bot = tmp_path / "planted.py"
    bot.write_text(BOT)
    space = dict(map(example.read_range, ["edge=0..1.0", "style=calm,bold"]))
    tuned, score = example.tune(str(bot), space, example.Field(games["three-in-a-row"], ["random"], 1), trials=25, blocks=20)
    name, _, values = tuned.partition("?")
    edge, style = values.split("&")
    assert (name, style) == (str(bot), "style=bold")
    assert float(edge.removeprefix("edge=")) == pytest.approx(0.7, abs=0.15)
    assert score > 0.3
