"""The page on environments, and the example that trains a policy and plays it as a bot."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from arena.environments import gym, sunda, tongiaki
from arena.environments.encoding import Encoder
from arena.environments.generic import GenericEncoder
from arena.play.match import play_match
from bots.host.player_pool import InProcessPlayer
from bots.loader.loading import resolve
from bots.loader.version import load
from engine.records import Ticket
from engine.registry import find_game
from engine.sunda import sunda as sunda_game
from engine.tongiaki import TongiakiMove
from tests.small_games import TRICKS

PAGE = (Path(__file__).parents[3] / "docs" / "environments.md").read_text(encoding="utf-8")

GENERIC = PAGE.partition("### A game without")[2]

ENCODERS = (tongiaki.TongiakiEncoder(4), sunda.SundaEncoder(4, sunda_game({}).settings))

BLOCKS = re.findall(r"```py\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_a_block_of_code_runs(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    exec(BLOCKS[number], {})  # noqa: S102  # that is what readers do with it
    assert capsys.readouterr().out


def test_there_are_blocks() -> None:
    assert len(BLOCKS) == 5


@pytest.mark.parametrize(
    ("encoder", "told"),
    [
        *((encoder, re.findall(r"^ *- ``(\w+)`` \((.+?)\):", encoder.__doc__ or "", re.MULTILINE)) for encoder in ENCODERS),
        (
            GenericEncoder(TRICKS.game("", {}), 4),
            re.findall(r"^\| `(\w+)` \| ([^|`]+?) \|", PAGE.partition("### A game without")[2], re.MULTILINE),
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_array_is_described_with_its_shape(encoder: Encoder, told: list[tuple[str, str]]) -> None:
    shapes = {name: field.shape for name, field in encoder.fields.items()} | {"moves": (encoder.actions, len(encoder.columns))}
    assert {name: tuple(_number(part, encoder) for part in text.split(", ")) for name, text in told} == shapes


def _number(text: str, encoder: Encoder) -> int:
    return {"N": encoder.actions, "P": 4, "T": 1, "7 + 6 P": 7 + 6 * 4}.get(text) or int(text)


def test_the_page_has_the_numbers_of_actions() -> None:
    ids = [encoder.action_ids().count for encoder in ENCODERS]
    for actions in (tongiaki.TongiakiEncoder.actions, sunda.ACTIONS, sunda.TICK_ACTIONS, *ids):
        assert f"| {actions:,} |" in PAGE


EXAMPLE = Path(__file__).parents[3] / "examples" / "train_policy.py"

MATCHES = 100


def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("train_policy", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_a_trained_policy_plays_as_a_bot_and_beats_random(tmp_path: Path) -> None:
    training = example()
    training.write_bot(training.train(400, seed=0), tmp_path / "trained.py")
    trained, other = resolve(str(tmp_path / "trained.py")), resolve("random")
    game = find_game("tongiaki")
    won = 0.0
    for number in range(MATCHES):
        names = ("trained", "random") if number % 2 == 0 else ("random", "trained")
        players = [InProcessPlayer(trained if name == "trained" else other) for name in names]
        result = play_match(game, Ticket(f"t{number}", names, 0, 0, names, number // 2), players)
        assert [seat.fault for seat in result.seats] == [None, None]
        ranks = [seat.rank for seat in result.seats]
        won += 0.5 if ranks[0] == ranks[1] else ranks[names.index("trained")] == 1
    assert won >= 0.7 * MATCHES, "a bot no better than random gets there once in 25,000 times"


def test_the_bot_scores_moves_as_the_policy_does(tmp_path: Path) -> None:
    training = example()
    weights = np.random.default_rng(0).normal(size=training.KINDS * training.FACTS).round(6)
    training.write_bot(weights, tmp_path / "trained.py")
    bot: Any = load(resolve(str(tmp_path / "trained.py")))()
    env = gym("tongiaki", opponents=["random", "random"], seat=1)
    observation, info = env.reset(seed=1)
    is_over, rng, kinds = False, Random(1), set()
    while not is_over:
        view = env.table.current.view(1)
        wanted = [bot.score(view, move) for move in env.legal_moves]
        assert training.features(observation, 3) @ weights == pytest.approx(wanted)
        kinds |= {move.code for move in env.legal_moves if isinstance(move, TongiakiMove)}
        observation, _, is_over, _, info = env.step(rng.randrange(info["legal"]))
    assert len(kinds) >= 8
