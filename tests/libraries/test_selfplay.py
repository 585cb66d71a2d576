"""The example of self-play: it learns, its bot is the policy that was trained, its notebook runs."""

import csv
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.libraries import needs

pytestmark = needs("torch")
FOLDER = Path(__file__).parents[2] / "examples" / "selfplay"


@pytest.fixture
def training(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(FOLDER))
    for name in ("train", "policy_bot", "move_facts"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import train  # type: ignore[import-not-found]  # it lies beside the notebook

    return train


def test_self_play_learns_to_beat_random(training: Any, tmp_path: Path) -> None:
    bot = training.train(6 * 16_384, 0, tmp_path, games=4)
    share, _ = training.share_of_wins(bot, "random", 200)
    assert share > 0.6, "a bot no better than random gets there once in 400 times"
    with (tmp_path / "curve.csv").open() as file:
        assert [int(row[0]) for row in csv.reader(file)] == [16_384 * update for update in range(1, 7)]


def test_the_bot_scores_moves_as_the_policy_does_whoever_plays_the_other_seat(training: Any, tmp_path: Path) -> None:
    import torch

    trainer = training.Trainer(1, experts=2)
    for parameter in trainer.policy.parameters():
        torch.nn.init.normal_(parameter, std=0.1)
    trainer.update(1.0)
    bot = training.PolicyBot(trainer.policy.export(tmp_path, trainer.columns) / "policy.npz")
    actors, counts = trainer.env.actors, trainer.infos["action_mask"].sum(1, dtype=np.int64)
    made = trainer.decide(trainer.policy, np.flatnonzero(counts > 1), actors, counts)
    for match, seat, action, chance in zip(made.matches, made.seats, made.actions, made.chances, strict=True):
        scores = bot.scores(trainer.env.matches.states[match].view(int(seat)))
        assert scores[action] - np.log(np.exp(scores).sum()) == pytest.approx(chance, abs=1e-3)


def test_advantages_are_those_of_each_seat_by_itself(training: Any) -> None:
    trainer = training.Trainer(2)
    decisions, rewards, ended = trainer.play(trainer.policy)
    estimates = trainer.advantages(decisions, rewards, ended)
    steps = np.repeat(np.arange(len(decisions)), [len(made.values) for made in decisions])
    matches, seats, values = (np.concatenate([getattr(made, name) for made in decisions]) for name in ("matches", "seats", "values"))
    end, match = (int(found[0]) for found in np.nonzero(ended))
    seat = 1 - match % 2  # the other may be played by an earlier policy
    own = np.flatnonzero((matches == match) & (seats == seat))
    last = own[steps[own] <= end][-2:]
    gained = [rewards[steps[last[0]] : steps[last[1]], match, seat].sum(), rewards[steps[last[1]] : end + 1, match, seat].sum()]
    final = gained[1] - values[last[1]]
    assert estimates[last[1]] == pytest.approx(final, abs=1e-5)
    assert estimates[last[0]] == pytest.approx(gained[0] + values[last[1]] - values[last[0]] + training.LAMBDA * final, abs=1e-5)


@pytest.mark.usefixtures("training")
def test_the_notebook_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "agg")
    cells = json.loads((FOLDER / "selfplay.ipynb").read_text())["cells"]
    names: dict[str, Any] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]).replace("GAMES = 163_840, 100", "GAMES = 16_384, 4"), names)  # noqa: S102  # the notebook is ours
    assert [seat.fault for seat in names["result"].seats] == [None, None]
    assert len(names["curve"]) == 1
