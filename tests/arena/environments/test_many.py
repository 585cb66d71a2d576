"""Many matches at once are the same matches one by one."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.vector.utils import iterate

from arena.environments import aec, batch, gym, vector
from arena.environments.registration import env_id
from arena.environments.vector_env import SeatsVectorEnv
from engine.core import OptionsError
from tests.small_games import RACE, add


@pytest.fixture(autouse=True)
def race(monkeypatch: pytest.MonkeyPatch) -> None:
    add(monkeypatch, "race", RACE)


GAMES: list[tuple[str, int, dict[str, Any]]] = [
    ("tongiaki", 2, {}),
    ("tongiaki", 4, {}),
    ("sunda", 2, {"level": 5}),
    ("sunda", 1, {}),
    ("race", 3, {}),
]
FORMS: list[dict[str, Any]] = [
    {"moves": False, "flat": False},
    {"moves": True, "flat": False},
    {"moves": False, "flat": True},
    {"moves": True, "flat": True, "mask": True},
]


def assert_equal(one: Any, other: Any) -> None:
    """Assert that two observations or infos are the same, to their dtypes."""
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for name in one:
            assert_equal(one[name], other[name])
    elif isinstance(one, tuple | list) or (isinstance(one, np.ndarray) and one.dtype == object):
        for mine, theirs in zip(one, other, strict=True):
            assert_equal(mine, theirs)
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    else:
        assert one == other


def single(game: str, players: int, form: dict[str, Any], options: dict[str, Any], seat: int | None) -> Any:
    return gym(game, opponents=["random"] * (players - 1), seat=seat, infos=False, **form, **options)


def draw(rng: np.random.Generator, masks: np.ndarray) -> np.ndarray:
    """A legal action for each match, now and then an illegal one; 0 where there is none."""
    counts = masks.sum(1)
    actions = (rng.random(len(counts)) * counts).astype(np.int64)
    return np.where(rng.random(len(counts)) < 0.02, counts, actions)


VECTORS: list[tuple[str, int, dict[str, Any], dict[str, Any], AutoresetMode]] = [
    ("tongiaki", 2, {}, FORMS[0], AutoresetMode.NEXT_STEP),
    ("tongiaki", 2, {}, FORMS[1], AutoresetMode.SAME_STEP),
    ("tongiaki", 4, {}, FORMS[2], AutoresetMode.SAME_STEP),
    ("race", 3, {}, FORMS[1], AutoresetMode.NEXT_STEP),
    ("race", 3, {}, FORMS[2], AutoresetMode.SAME_STEP),
    ("race", 3, {}, FORMS[3], AutoresetMode.SAME_STEP),
    ("sunda", 2, {"level": 5}, FORMS[1], AutoresetMode.NEXT_STEP),
    ("sunda", 1, {}, FORMS[0], AutoresetMode.SAME_STEP),
    ("sunda", 1, {}, FORMS[2], AutoresetMode.NEXT_STEP),
]


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("game", "players", "options", "form", "mode"), VECTORS)
def test_a_vector_is_gymnasiums_own_of_the_same_environments(
    game: str, players: int, options: dict[str, Any], form: dict[str, Any], mode: AutoresetMode
) -> None:
    seat = None if players == 4 else 0
    mine: Any = vector(game, players, 3, seat=seat, autoreset_mode=mode.value, **form, **options)
    theirs = SyncVectorEnv([lambda: single(game, players, form, options, seat)] * 3, autoreset_mode=mode)
    assert isinstance(mine, SeatsVectorEnv)
    assert mine.observation_space == theirs.observation_space
    assert mine.action_space == theirs.action_space
    assert mine.metadata == theirs.metadata
    rng = np.random.default_rng(0)
    assert_equal(mine.reset(seed=4), theirs.reset(seed=4))
    ended = 0
    for step in range(24 if game == "sunda" else 150):
        actions = draw(rng, mine.action_masks())
        found = mine.step(actions)
        assert_equal(found, theirs.step(actions))
        ended += int(found[2].sum())
        if step % 50 == 0:
            assert mine.observation_space.contains(found[0])
    assert ended


def test_matches_that_are_over_wait_for_a_reset_of_their_own_if_that_is_wanted() -> None:
    mine: Any = vector("tongiaki", 2, 4, autoreset_mode="Disabled", flat=True)
    theirs = SyncVectorEnv([lambda: single("tongiaki", 2, FORMS[2], {}, 0)] * 4, autoreset_mode=AutoresetMode.DISABLED)
    rng = np.random.default_rng(1)
    assert_equal(mine.reset(seed=0), theirs.reset(seed=0))
    resets = 0
    for _ in range(100):
        actions = draw(rng, mine.action_masks())
        found = mine.step(actions)
        assert_equal(found, theirs.step(actions))
        if found[2].any():
            with pytest.raises(ResetNeeded, match="is over"):
                mine.step(actions)
            assert_equal(mine.reset(options={"reset_mask": found[2]}), theirs.reset(options={"reset_mask": found[2]}))
            resets += 1
    assert resets


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("game", "players", "options"), [*GAMES, ("sunda", 3, {"level": 5, "mode": "simultaneous"})])
def test_a_batch_is_the_same_games_as_one_by_one(game: str, players: int, options: dict[str, Any]) -> None:
    many = batch(game, players, 3, moves=True, **options)
    ones = [aec(game, players, infos=False, **options) for _ in range(3)]
    for match, one in enumerate(ones):
        one.reset(seed=9 + match)
    observations, _ = many.reset(seed=9)
    rng = np.random.default_rng(2)
    ended = 0
    for _ in range(16 if game == "sunda" else 200):
        for match, one in enumerate(ones):
            assert one.agent_selection == f"seat_{many.actors[match]}"
            assert_equal(list(iterate(many.observation_space, observations))[match], one.observe(one.agent_selection))
        actions = draw(rng, many.action_masks())
        observations, rewards, over, infos = many.step(actions)
        for match, one in enumerate(ones):
            one.step(actions[match])
            assert rewards[match].tolist() == [one.rewards[agent] for agent in one.possible_agents]
            assert over[match] == one.terminations["seat_0"]
            if over[match]:
                ended += 1
                assert (infos["illegal"][match] >= 0) == (one.table.forfeit is not None)
                one.reset()
    assert ended or game == "sunda"
    assert many.seeds == [one.table.seed for one in ones]


def test_what_is_wrong_is_said_in_a_sentence() -> None:
    with pytest.raises(ValueError, match="at least 1, not 0"):
        batch("tongiaki", 2, 0)
    with pytest.raises(ValueError, match="one of 'NextStep', 'SameStep', 'Disabled', not 'never'"):
        vector("tongiaki", 2, 2, autoreset_mode="never")
    with pytest.raises(ValueError, match="with players=3, there must be 2 opponents, not 1"):
        vector("tongiaki", 3, 2, opponents=["random"])
    with pytest.raises(ValueError, match="with players=2, there must be 1 opponent, not 0"):
        vector("tongiaki", 2, 2, opponents=[])
    with pytest.raises(ValueError, match=r"a list of bots, such as \['random'\]"):
        vector("tongiaki", 2, 2, opponents="random")
    for players in (0, 7):
        with pytest.raises(OptionsError, match=f"2 to 6 players, not {players}"):
            vector("tongiaki", players, 2)
    with pytest.raises(OptionsError, match="must be an integer, not '2'"):
        vector("tongiaki", "2", 2)  # type: ignore[arg-type]
    env: Any = vector("tongiaki", 2, 2)
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(np.zeros(2, np.int64))
    with pytest.raises(ValueError, match="must have length 2, one seed for each match, but it has length 3"):
        env.reset(seed=[1, 2, 3])
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"integers of shape \(2,\), one for each match, not float64 of shape \(2,\)"):
        env.step(np.zeros(2))
    with pytest.raises(ValueError, match="reset_mask"):
        env.reset(options={"reset_mask": np.zeros(2, np.bool_)})
    assert_equal(env.reset(seed=np.array(7)), env.reset(seed=7))
    with pytest.raises(ValueError, match="a list of bots, such as"):
        gymnasium.make_vec(env_id("tongiaki"), num_envs=2, opponents=3)
    with pytest.raises(ResetNeeded, match="call reset"):
        aec("tongiaki", 2).last()
