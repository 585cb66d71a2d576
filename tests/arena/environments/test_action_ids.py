"""Action ids: one number for each move in every position, the same game by ids as by indices, and one sentence for what has none."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from arena.environments import aec, batch, gym, vector
from arena.environments.encoding import find_ids
from arena.environments.game_adapter import find_encoder
from engine.core import PositionError
from engine.registry import find_game
from engine.simple import Position, simple_game
from tests.small_games import RACE, add


class Sticks(Position):
    """Take one to three sticks."""

    sticks: int = 12

    def every_move(self) -> list[str]:
        return ["take 1", "take 2", "take 3"]

    def moves(self) -> list[str]:
        return [f"take {number}" for number in range(min(self.sticks, 3), 0, -1)]

    def play(self, move: str, chance: Any) -> None:
        self.sticks -= int(move[-1])
        if self.sticks:
            self.next()
        else:
            self.end([int(seat == self.actor) for seat in range(2)], "last")


@pytest.fixture(autouse=True)
def games(monkeypatch: pytest.MonkeyPatch) -> None:
    add(monkeypatch, "race", RACE)
    add(monkeypatch, "sticks", simple_game(Sticks, "sticks", title="Sticks", players=(2, 2)))


def ids_of(name: str, players: int, options: dict[str, Any]) -> Any:
    game = find_game(name, options)
    return find_ids(game, players, find_encoder(game, players))


TABLES: list[Any] = [
    pytest.param("tongiaki", 4, {}, id="tongiaki"),
    pytest.param("sunda", 2, {"level": 5}, id="sunda"),
    pytest.param("sunda", 3, {"mode": "simultaneous", "level": 3}, id="sunda-simultaneous"),
    pytest.param("sticks", 2, {}, id="simple"),
]


@pytest.mark.parametrize(("name", "players", "options"), TABLES)
def test_a_move_has_the_same_id_in_every_position_and_no_other_has_it(name: str, players: int, options: dict) -> None:
    ids = ids_of(name, players, options)
    moves_of: dict[int, str] = {}
    for seed in range(2):
        state, rng = find_game(name, options).new(players, seed), Random(seed)
        while state.actor is not None:
            if rng.random() < 0.8:  # each fifth position is enough
                state.play(state.random_move(rng))
                continue
            moves, own = state.list_moves(), ids.of(state)
            assert len(set(own)) == len(moves)
            assert 0 <= min(own) <= max(own) < ids.count
            for move, number in zip(map(str, moves), own, strict=True):
                if not move.startswith(("land", "raid")):  # those go by their place in the list, and count seats from the one who decides
                    assert moves_of.setdefault(number, move) == move
            assert ids.move(state, own[-1]) == moves[-1]
            state.play(state.random_move(rng))
        assert ids.of(state) == []


def test_seats_in_moves_are_counted_from_the_seat_that_decides() -> None:
    options, kinds = {"mode": "simultaneous"}, set()
    ids = ids_of("sunda", 3, options)
    state, rng = find_game("sunda", options).new(3, 0), Random(5)
    while state.actor is not None:
        for move, number in zip(map(str, state.list_moves()), ids.of(state), strict=True):
            if move.startswith("raid"):
                _, seat, tile = move.split(" ")
                kinds.add(((int(seat) - state.actor) % 3, tile, number))
        state.play(state.random_move(rng))
    assert len(kinds) > 1
    assert len({number for _, _, number in kinds}) == len(kinds) == len({kind[:2] for kind in kinds})


@pytest.mark.slow  # OpenSpiel comes with the extra dev
@pytest.mark.parametrize("name", ["connect_four", "kuhn_poker", "goofspiel", "chess"])
def test_openspiel_keeps_its_own_ids(name: str) -> None:
    import pyspiel

    ids, state, rng = ids_of(f"openspiel:{name}", 2, {}), find_game(f"openspiel:{name}").new(2, 3), Random(1)
    bare = pyspiel.load_game(name)
    assert ids.count == bare.num_distinct_actions()
    while state.actor is not None:
        own: Any = state
        assert ids.of(state) == own._bare.legal_actions()
        if name == "kuhn_poker":
            with pytest.raises(PositionError, match="a view with hidden information has moves, but no action numbers"):
                ids.of(state.view(0).position)
        state.play(state.random_move(rng))


@pytest.mark.parametrize("form", [{"flat": True}, {"flat": True, "mask": True}, {}], ids=["flat", "with-mask", "nested"])
def test_games_by_ids_are_the_games_by_indices(form: dict[str, Any]) -> None:
    plain: Any = vector("tongiaki", 2, 3, **form)
    named: Any = vector("tongiaki", 2, 3, ids=True, **form)
    plain.reset(seed=5)
    named.reset(seed=5)
    rng, ended = np.random.default_rng(0), 0
    for _ in range(150):
        masks = named.action_masks()
        indices = [int(rng.integers(max(count, 1))) for count in plain.action_masks().sum(1)]
        actions = []
        for match, index in enumerate(indices):
            own = named.table.ids.of(named.matches.states[match]) if masks[match].any() else [0]
            assert set(np.flatnonzero(masks[match])) == set(own if masks[match].any() else ())
            actions.append(own[index])
        one, other = plain.step(np.array(indices)), named.step(np.array(actions))
        assert (one[1] == other[1]).all()
        assert (one[2] == other[2]).all()
        ended += int(one[2].sum())
        assert named.observation_space.contains(other[0])
    assert ended


def test_an_id_that_is_not_legal_forfeits_and_one_out_of_range_is_an_error() -> None:
    env = aec("tongiaki", 2, ids=True)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="action 25225 is out of range: the actions of tongiaki are 0 to 25224"):
        env.step(25_225)
    env.step(25_224)
    assert env.infos["seat_0"]["illegal"]
    state = find_game("tongiaki").new(2, 1)
    with pytest.raises(ValueError, match="action 25224 is not legal in this position; ActionIds"):
        ids_of("tongiaki", 2, {}).move(state, 25_224)


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("race", {}, "race has no action ids: neither its rules"),
        ("sunda", {}, r"sunda has 3,264,555,458,418 action ids, too many for a mask; use ids=False"),
        ("tongiaki", {"moves": True}, "moves=True can't be combined with ids=True"),
    ],
)
def test_what_has_no_ids_is_said_in_one_sentence(name: str, given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        aec(name, 2, ids=True, **given)


def test_batches_and_single_environments_take_ids() -> None:
    matches = batch("tongiaki", 2, 4, flat=True, ids=True)
    _, infos = matches.reset(seed=1)
    for _ in range(30):
        _, _, _, infos = matches.step(infos["action_mask"].argmax(1))
        assert (infos["illegal"] == -1).all()
    env = gym("sticks", opponents=["random"], ids=True)
    seen, _ = env.reset(seed=1)
    assert seen["action_mask"].tolist() == [1, 1, 1]
    assert [str(move) for move in env.legal_moves] == ["take 3", "take 2", "take 1"]
    env.step(0)
    assert env.table.last_move(0).startswith("take")
