"""What observations and infos may leave out, how they may be flat, and environments made by Gymnasium's own ids."""

from random import Random
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from pettingzoo.test import api_test, seed_test

from arena.environments import aec, gym

FORMS: list[dict[str, Any]] = [
    {"moves": False},
    {"infos": False},
    {"flat": True},
    {"flat": True, "moves": True, "infos": False},
    {"flat": True, "mask": True},
]
GAMES: list[tuple[str, dict[str, Any]]] = [("tongiaki", {}), ("sunda", {"level": 3})]


def play_some(env: Any, steps: int) -> None:
    env.reset(seed=3)
    rng = Random(3)
    for _ in range(steps):
        env.step(rng.randrange(len(env.legal_moves)))


@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning:pettingzoo.test.api_test")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning:pettingzoo.test.api_test")
@pytest.mark.filterwarnings("ignore:The observation contains negative numbers:UserWarning:pettingzoo.test.api_test")
@pytest.mark.sampled(2)
@pytest.mark.parametrize("form", FORMS)
def test_pettingzoo_finds_nothing_wrong_with_any_form(form: dict) -> None:
    api_test(aec("tongiaki", 3, **form), num_cycles=200)
    seed_test(lambda: aec("tongiaki", 3, **form), num_cycles=30)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("form", FORMS)
def test_gymnasium_finds_nothing_wrong_with_any_form(form: dict) -> None:
    check_env(gym("tongiaki", opponents=["random"], **form))


@pytest.mark.parametrize(("game", "options"), GAMES)
def test_forms_hold_the_same_numbers(game: str, options: dict) -> None:
    plain, bare, flat, both, masked = (aec(game, 2, **options, **form) for form in ({}, FORMS[0], *FORMS[2:]))
    for env in (plain, bare, flat, both, masked):
        play_some(env, 25)
    for agent in plain.possible_agents:
        whole: Any = plain.observe(agent)
        arrays = whole["observation"]
        rows = arrays.pop("moves")
        assert data_equivalence(whole, bare.observe(agent))
        position: Any = flat.observe(agent)
        assert position.dtype == np.float32
        assert position.tolist() == [number for array in arrays.values() for number in array.ravel().tolist()]
        seen: Any = both.observe(agent)
        assert np.array_equal(seen["observation"], position)
        assert np.array_equal(seen["moves"], rows)
        assert np.array_equal(masked.observe(agent)["action_mask"], whole["action_mask"])
        assert np.array_equal(flat.infos[agent]["action_mask"], whole["action_mask"])
        for env in (bare, flat, both, masked):
            assert env.observation_space(agent).contains(env.observe(agent))


@pytest.mark.parametrize("form", FORMS)
def test_an_observation_may_be_changed_and_changes_no_other(form: dict) -> None:
    env: Any = aec("sunda", 2, **form)
    play_some(env, 10)
    agent = env.agent_selection

    def arrays(seen: Any) -> list[Any]:
        return [array for each in seen.values() for array in arrays(each)] if isinstance(seen, dict) else [seen]

    first, second = arrays(env.observe(agent)), arrays(env.observe(agent))
    assert all(array.flags.writeable and array.flags.aligned and array.flags.c_contiguous for array in first)
    for array in first:
        array.fill(1)
    assert all(np.array_equal(one, other) for one, other in zip(second, arrays(env.observe(agent)), strict=True))


def test_the_masks_of_sb3_contrib_are_those_of_the_observation() -> None:
    env = gym("tongiaki", opponents=["random"])
    observation, info = env.reset(seed=1)
    assert isinstance(observation, dict)
    masks = env.action_masks()
    assert masks.dtype == np.bool_
    assert masks.sum() == info["legal"]
    assert masks.tolist() == (np.asarray(observation["action_mask"]) == 1).tolist()


def test_a_forfeited_game_offers_no_moves() -> None:
    forms: list[dict[str, Any]] = [{}, {"flat": True, "moves": True}]
    for form in forms:
        env: Any = aec("tongiaki", 2, **form)
        env.reset(seed=1)
        env.step(1000)
        seen = env.observe("seat_0")
        rows = seen["moves"] if form else seen["observation"]["moves"]
        mask = env.infos["seat_0"]["action_mask"] if form else seen["action_mask"]
        assert not rows.any()
        assert not mask.any()


def test_gymnasium_makes_each_game_by_its_id() -> None:
    env: Any = gymnasium.make("arena.environments.registration:TileArena/Tongiaki-v0", moves=False, seat=None)
    env.reset(seed=4)
    assert env.unwrapped.table.players == 2, "by default against the fewest opponents"
    assert "moves" not in env.observation_space["observation"].spaces
    (one, _), (other, _) = gymnasium.make(env.spec).reset(seed=5), env.reset(seed=5)
    assert data_equivalence(one, other)
