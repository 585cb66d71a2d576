"""The bot of the example of self-play: it scores moves as its policy does, sees what the board has, and plays sealed."""

import importlib
import runpy
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.environments import aec
from arena.play.match import play_match
from bots import MatchInfo
from bots.host.player_pool import PlayerPool
from bots.limits import Runtime
from bots.loader.loading import identify
from bots.sandbox.probe import best_level
from engine.records import Ticket
from engine.registry import find_game

NUMBERS = 354  # of a flat observation of Tongiaki for two
FACTS = 151  # of a row of a move
OWN_FACTS = 80  # that the example adds
FOLDER = Path(__file__).parents[3] / "examples" / "selfplay"
EXAMPLE = runpy.run_path(str(FOLDER / "move_facts.py"))
MOVE_FACTS = EXAMPLE["move_facts"]
RNG = np.random.default_rng(5)


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(FOLDER))
    for name in ("policy_bot", "move_facts"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module("policy_bot")


def layers(*widths: int) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(RNG.normal(scale=0.1, size=(after, before)), RNG.normal(size=after)) for before, after in pairwise(widths)]


def make_parts() -> dict[str, list[tuple[np.ndarray, np.ndarray]]]:
    facts = FACTS + OWN_FACTS
    return {"position": layers(NUMBERS, 4, 3), "moves": layers(3 + facts, 4, 3, 1), "gates": layers(3, 4) + layers(facts, 4)}


def outputs(given: Sequence[tuple[np.ndarray, np.ndarray]], inputs: Any) -> Any:
    for number, (weight, bias) in enumerate(given):
        inputs = (relu(inputs) if number else inputs) @ weight.T + bias
    return inputs


def test_what_is_seen_of_a_row_are_its_columns_to_scale_and_the_values_of_those_with_few(example: Any) -> None:
    seen = example.row_facts(np.array([[1, -50], [-1, 100]]), ((-1, 1), (-100, 100)))
    assert seen.tolist() == [[1, -0.5, 0, 0, 1], [-1, 1, 1, 0, 0]]


def relu(inputs: Any) -> Any:
    return np.maximum(inputs, 0)


def test_the_bot_scores_each_legal_move_by_the_position_its_row_and_its_facts(example: Any, tmp_path: Path) -> None:
    env = aec("tongiaki", 2, flat=True, moves=True)
    env.reset(seed=4)
    columns = tuple((column.low, column.high) for column in env.table.encoder.columns)
    parts = make_parts()
    bot = example.PolicyBot(example.write_bot(tmp_path, columns, **parts) / "policy.npz")
    for _ in range(60):
        seen, _, is_over, _, info = env.last()
        assert not is_over
        rows = seen["moves"][info["action_mask"] == 1]
        facts = np.hstack((example.row_facts(rows, columns), MOVE_FACTS(seen["observation"][None], rows, np.zeros(len(rows), int))))
        hidden = relu(outputs(parts["position"], seen["observation"]))
        first = outputs(parts["moves"][:1], np.hstack((np.tile(hidden, (len(rows), 1)), facts)))
        first += outputs(parts["gates"][:1], hidden) * outputs(parts["gates"][1:], facts)
        view = env.table.current.view(int(env.agent_selection[-1]))
        assert bot.scores(view) == pytest.approx(outputs(parts["moves"][1:], relu(first))[:, 0], rel=1e-3, abs=1e-3)
        assert bot.choose(view, None) == view.legal_moves[int(bot.scores(view).argmax())]
        env.step(int(RNG.integers(len(rows))))


def test_the_bot_plays_a_sealed_match_with_numpy_alone_and_no_other_game(example: Any, tmp_path: Path) -> None:
    encoder = aec("tongiaki", 2).table.encoder
    folder = example.write_bot(tmp_path / "bot", [(column.low, column.high) for column in encoder.columns], **make_parts())
    game = find_game("tongiaki")
    with PlayerPool(best_level(), game=game, runtime=Runtime(("numpy",))) as pool:
        players = [pool.seat(identify(name)) for name in (str(folder), "random")]
        result = play_match(game, Ticket("t", ("bot", "random"), 0, 0, ("bot", "random"), 7), players)
    assert [seat.fault for seat in result.seats] == [None, None]
    with pytest.raises(ValueError, match="the policy plays tongiaki with 2 players"):
        example.PolicyBot(folder / "policy.npz").start(MatchInfo(game, players=3, seat=0, seed=1))
