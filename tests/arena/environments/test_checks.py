"""Both kinds of environments pass the checks that PettingZoo and Gymnasium have for them, as they are."""

import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

from arena.environments import aec, gym

TABLES = [
    pytest.param("tongiaki", 2, {}, id="tongiaki-2"),
    pytest.param("tongiaki", 4, {}, id="tongiaki-4"),
    pytest.param("tongiaki", 6, {}, id="tongiaki-6"),
    pytest.param("sunda", 1, {}, id="sunda-alone"),
    pytest.param("sunda", 2, {"level": 5}, id="sunda-2"),
    pytest.param("sunda", 4, {"level": 3, "pots": "private"}, id="sunda-4-private"),
    pytest.param("sunda", 2, {"level": 5, "mode": "simultaneous"}, id="sunda-2-simultaneous"),
    pytest.param("sunda", 3, {"level": 4, "mode": "simultaneous"}, id="sunda-3-simultaneous"),
]


@pytest.mark.sampled(3)
# PettingZoo warns of every observation that is no plain array, unless the environment is one of its own that it has a list of. With an
# action mask in the observation, as PettingZoo recommends it, there is no other way.
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning:pettingzoo.test.api_test")
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning:pettingzoo.test.api_test")
@pytest.mark.parametrize(("game", "players", "options"), TABLES)
def test_pettingzoo_finds_nothing_wrong_with_the_interface(game: str, players: int, options: dict) -> None:
    api_test(aec(game, players, **options), num_cycles=1000 if game == "tongiaki" else 400)
    seed_test(lambda: aec(game, players, **options), num_cycles=100)


SEATS = [
    pytest.param("sunda", {}, id="sunda-alone"),
    pytest.param("sunda", {"level": 2}, id="sunda-alone-2"),
    pytest.param("sunda", {"opponents": ["random"], "level": 5}, id="sunda-2"),
    pytest.param("sunda", {"opponents": ["random", "random"], "mode": "simultaneous", "seat": None}, id="sunda-3-simultaneous"),
    pytest.param("tongiaki", {"opponents": ["random"]}, id="tongiaki-2"),
    pytest.param("tongiaki", {"opponents": ["greedy", "spoiler", "random"], "seat": 2}, id="tongiaki-4"),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("game", "given"), SEATS)
def test_gymnasium_finds_nothing_wrong(game: str, given: dict) -> None:
    check_env(gym(game, **given))
