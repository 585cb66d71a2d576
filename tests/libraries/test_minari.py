"""Minari records what a Gymnasium environment does, writes a data set, and makes the environment again from it."""

import gc
from pathlib import Path

import numpy as np
import pytest

from arena.environments import gym
from tests.libraries import needs

pytestmark = [
    *needs("minari"),
    # Minari notes where a data set comes from, which a test has no answer to, and leaves its folder to the garbage collector.
    pytest.mark.filterwarnings("ignore:.* is set to None:UserWarning"),
    pytest.mark.filterwarnings("ignore:Implicitly cleaning up:ResourceWarning"),
]
GAMES = 3


@pytest.mark.parametrize("given", [{"flat": True}, {"flat": True, "mask": True}, {}], ids=["flat", "flat-with-mask", "nested"])
def test_games_are_recorded_with_infos_and_read_back(given: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import minari

    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    env = minari.DataCollector(gym("tongiaki", opponents=["random"], infos=False, **given), record_infos=True)
    lengths, last = [], []
    for seed in range(GAMES):
        _, info = env.reset(seed=seed)
        is_over, steps = False, 0
        while not is_over:
            mask = env.get_wrapper_attr("action_masks")()
            assert "action_mask" not in info or (info["action_mask"] == mask).all()
            _, reward, is_over, _, info = env.step(env.action_space.sample(mask.astype(np.int8)))
            steps += 1
        lengths.append(steps)
        last.append(reward)
    data = env.create_dataset("tongiaki/random-v0", algorithm_name="random", description="Random games.")
    episodes = list(data.iterate_episodes())
    assert [len(episode.actions) for episode in episodes] == lengths
    assert [episode.rewards[-1] for episode in episodes] == last
    if given == {"flat": True}:
        masks = episodes[0].infos["action_mask"]
        assert masks[np.arange(lengths[0]), episodes[0].actions].all()
    env.close()
    del env
    gc.collect()
    again = data.recover_environment()
    first, _ = again.reset(seed=0)
    kept = episodes[0].observations
    if given == {"flat": True}:
        np.testing.assert_array_equal(kept[0], first)
    else:
        np.testing.assert_array_equal(kept["action_mask"][0], first["action_mask"])
