"""The Parallel API: all seats that choose at the same time act together, and see what they see when they choose one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from pettingzoo.test import parallel_api_test

from arena.environments import aec, parallel
from tests.arena.environments.test_many import assert_equal

TABLES = [
    pytest.param("sunda", 3, {"mode": "simultaneous", "level": 3}, id="sunda"),
    pytest.param("tongiaki", 2, {}, id="tongiaki"),
    pytest.param("openspiel:goofspiel", 2, {"ids": True}, id="goofspiel", marks=pytest.mark.slow),  # it comes with the extra dev
]


@pytest.mark.parametrize(("game", "players", "options"), TABLES)
def test_pettingzoo_finds_nothing_wrong(game: str, players: int, options: dict) -> None:
    parallel_api_test(parallel(game, players, **options), num_cycles=60)


@pytest.mark.parametrize(("game", "players", "options"), TABLES)
def test_rounds_are_the_decisions_of_the_same_game_one_after_the_other(game: str, players: int, options: dict) -> None:
    rounds, single = parallel(game, players, **options), aec(game, players, **options)
    seen, infos = rounds.reset(seed=4)
    single.reset(seed=4)
    rng, together = np.random.default_rng(1), 0
    rewards: dict[str, float] = {}
    for _ in range(60):
        if not rounds.agents:
            break
        deciding = rounds.deciding
        together += len(deciding) > 1
        actions = {agent: int(rng.choice(np.flatnonzero(seen[agent]["action_mask"]))) for agent in deciding}
        for agent in set(rounds.agents) - set(deciding):
            assert not seen[agent]["action_mask"].any()
        for agent in deciding:
            assert single.agent_selection == agent
            assert_equal(seen[agent], single.observe(agent))
            assert infos[agent]["legal"] == single.infos[agent]["legal"]
            single.step(actions[agent])
        seen, rewards, *_, infos = rounds.step(actions)
    if not rounds.agents:
        assert rewards == single.rewards
    assert bool(together) == (game != "tongiaki")


def test_an_illegal_action_forfeits_and_a_missing_one_is_an_error() -> None:
    env: Any = parallel("sunda", 2, mode="simultaneous")
    with pytest.raises(ResetNeeded):
        env.step({})
    env.reset(seed=1)
    with pytest.raises(ValueError, match="seat_0 has to decide, but has no action"):
        env.step({})
    _, rewards, overs, _, infos = env.step({"seat_0": 3000, "seat_1": 0})
    assert rewards == {"seat_0": -1.0, "seat_1": 1.0}
    assert all(overs.values())
    assert infos["seat_0"]["illegal"]
    assert env.agents == []


def test_an_action_that_is_none_plays_nothing_for_the_others_either() -> None:
    env: Any = parallel("sunda", 3, mode="simultaneous", level=3)
    env.reset(seed=1)
    while len(env.deciding) < 3:
        env.step(dict.fromkeys(env.deciding, 0))
    before, deciding = str(env.table.current), env.deciding
    with pytest.raises(ValueError, match="an action is an integer, the index of a legal move, not 'x'"):
        env.step({"seat_0": 0, "seat_1": 0, "seat_2": "x"})
    assert str(env.table.current) == before
    assert env.deciding == deciding
    *_, infos = env.step(dict.fromkeys(deciding, 0))
    assert {info["move"] for info in infos.values()} != {"?"}
