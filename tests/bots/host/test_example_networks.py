"""The example of a network with weights: it scores as it was trained, alike with numpy and onnxruntime, and beats random."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from random import Random
from types import ModuleType

import numpy as np
import pytest

from arena.environments import gym
from arena.play.match import play_match
from bots.host.player_pool import PlayerPool
from bots.limits import Level, Runtime
from bots.loader.loading import identify, resolve
from bots.loader.version import BotVersion
from bots.sandbox.probe import best_level
from engine.records import Ticket
from engine.registry import find_game

pytestmark = pytest.mark.slow  # onnxruntime comes with the extra dev
EXAMPLES = Path(__file__).parents[3] / "examples"
FOLDER = EXAMPLES / "network_bot"
RUNTIME = Runtime(("numpy", "onnxruntime"), memory=1 << 30)
GAME = find_game("tongiaki")
MATCHES = 100


def module_of(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_bots_see_and_score_moves_as_the_policy_that_was_trained() -> None:
    training, bots = module_of(EXAMPLES / "train_policy.py"), module_of(FOLDER / "bot.py")
    with_numpy, with_onnx = bots.WithNumpy(), bots.WithOnnx()
    weights = np.concatenate([part.ravel() for part in (with_numpy.layer, with_numpy.biases, with_numpy.last)])
    env = gym("tongiaki", opponents=["random", "random"], seat=1)
    observation, info = env.reset(seed=1)
    is_over, rng = False, Random(1)
    while not is_over:
        view = env.table.current.view(1)
        seen = training.features(observation, 3)
        wanted = training.Network().scores(weights, seen)
        assert bots.facts(view) == pytest.approx(seen)
        assert with_numpy.scores(view) == pytest.approx(wanted, abs=1e-4)
        assert with_onnx.scores(view) == pytest.approx(wanted, abs=1e-4)
        observation, _, is_over, _, info = env.step(rng.randrange(info["legal"]))


@pytest.mark.parametrize("level", sorted({Level.L0, Level.L1, Level.L2, best_level()}), ids=str)
@pytest.mark.parametrize("class_name", ["WithNumpy", "WithOnnx"])
def test_the_bots_play_at_every_level(class_name: str, level: Level) -> None:
    assert share_won(class_name, level, 2) >= 0


@pytest.mark.slow
@pytest.mark.parametrize("class_name", ["WithNumpy", "WithOnnx"])
def test_the_bots_beat_random(class_name: str) -> None:
    assert share_won(class_name, best_level(), MATCHES) >= 0.65, "a bot no better than random gets there once in 500 times"


def share_won(class_name: str, level: Level, matches: int) -> float:
    """Play on pairs of equal decks with changed seats; return the share won."""
    bot: BotVersion = identify(f"{FOLDER}:{class_name}")
    won = 0.0
    with PlayerPool(level, game=GAME, runtime=RUNTIME) as pool:
        for number in range(matches):
            names = ("network", "random") if number % 2 == 0 else ("random", "network")
            players = [pool.seat(bot if name == "network" else resolve("random")) for name in names]
            result = play_match(GAME, Ticket(f"t{number}", names, 0, 0, names, number // 2), players)
            assert [seat.fault for seat in result.seats] == [None, None]
            ranks = [seat.rank for seat in result.seats]
            won += 0.5 if ranks[0] == ranks[1] else ranks[names.index("network")] == 1
    return won / matches
