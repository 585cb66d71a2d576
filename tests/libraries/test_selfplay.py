"""The example of self-play: it learns, its bot is the policy that was trained, and its notebook runs."""

import csv
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.environments import gym
from arena.environments.exported_bot import Exported
from tests.libraries import needs

pytestmark = needs("sb3_contrib")
FOLDER = Path(__file__).parents[2] / "examples" / "selfplay"


@pytest.fixture
def train(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    import torch

    torch.set_num_threads(1)
    monkeypatch.syspath_prepend(str(FOLDER))
    for name in ("pool", "train"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    import pool  # type: ignore[import-not-found]  # it lies beside the example
    import train  # type: ignore[import-not-found]

    monkeypatch.setattr(pool, "FOLDER", tmp_path / "pool")
    return train


def test_self_play_learns_to_beat_random_and_fills_its_pool(train: Any, tmp_path: Path) -> None:
    model = train.beginner(0, steps=64)
    model.learn(12 * 64 * train.TABLES, callback=train.Progress(tmp_path, every=10**9, games=4))
    share, _ = train.share_of_wins(model, "random", 200)
    assert share > 0.6, "a bot no better than random gets there once in 400 times"
    assert [path.name for path in sorted((tmp_path / "pool").iterdir())] == ["00000", "00002", "00004", "00006", "00008", "00010"]
    with (tmp_path / "curve.csv").open() as file:
        assert [row[0] for row in csv.reader(file)] == ["0"]


def test_the_bot_scores_moves_as_the_policy_does(train: Any, tmp_path: Path) -> None:
    import torch

    model = train.beginner(1)
    for parameter in model.policy.parameters():
        torch.nn.init.normal_(parameter, std=0.1)
    bot = Exported(train.export(model, tmp_path / "bot") / "policy.npz")
    env: Any = gym("tongiaki", opponents=["random"], flat=True, moves=True)
    seen, _ = env.reset(seed=3)
    for _ in range(20):
        position, rows = seen["observation"], seen["moves"][: train.MOST]
        with torch.no_grad():
            features = model.policy.extract_features(model.policy.obs_to_tensor({"observation": position, "moves": rows})[0])[0]
        scores = bot.scores(env.unwrapped.table.current.view(0))
        assert scores == pytest.approx(features[train.HIDDEN :][: len(scores)].numpy(), abs=1e-3)
        seen, _, is_over, _, _ = env.step(np.int64(0))
        assert not is_over


def test_policies_of_the_library_can_be_exported(train: Any, tmp_path: Path) -> None:
    from sb3_contrib import MaskablePPO

    from arena.environments import export_policy, sb3

    envs = sb3("tongiaki", 2, 2)
    model = MaskablePPO("MlpPolicy", envs, n_steps=8, batch_size=8)
    given = train.pairs([*model.policy.mlp_extractor.policy_net, model.policy.action_net])
    bot = Exported(export_policy(tmp_path, "tongiaki", 2, position=given) / "policy.npz")
    env: Any = gym("tongiaki", opponents=["random"], flat=True)
    seen, info = env.reset(seed=3)
    for _ in range(20):
        action, _ = model.predict(seen, action_masks=info["action_mask"] == 1, deterministic=True)
        view = env.unwrapped.table.current.view(0)
        assert bot.choose(view, None) == view.legal_moves[int(action)]
        seen, _, is_over, _, info = env.step(action)
        assert not is_over


@pytest.mark.usefixtures("train")
def test_the_notebook_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "agg")
    cells = json.loads((FOLDER / "selfplay.ipynb").read_text())["cells"]
    names: dict[str, Any] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]).replace("8_192, 20", "1_024, 4"), names)  # noqa: S102  # the notebook is ours
    assert [seat.fault for seat in names["result"].seats] == [None, None]
