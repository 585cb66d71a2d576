"""Many matches at a time go as they do one by one."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from engine import batch
from engine.core import Game, ReadOnlyError, State
from engine.registry import find_game
from tests.small_games import add_three_in_a_row

TABLES = [
    ("tongiaki", {}, 4),
    ("sunda", {"level": 3}, 2),
    ("sunda", {"level": 5, "mode": "simultaneous", "pots": "private"}, 3),
    ("sunda", {"level": 2}, 1),
    ("three-in-a-row", {}, 2),
]
MOST = 5120


@pytest.fixture(params=TABLES, ids=lambda table: f"{table[0]}, {table[2]} seats, {table[1]}")
def table(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[Game, int]:
    name, options, players = request.param
    return add_three_in_a_row(monkeypatch) if name == "three-in-a-row" else find_game(name, options), players


def pack(state: State, seat: int) -> bytes:
    return b"%d %x;" % (seat, state.key)


def numbers(decisions: bytes) -> list[tuple[int, int]]:
    return [(actor, count) for actor, count in np.frombuffer(decisions, "<i4").reshape(-1, 2).tolist()]


def test_matches_go_as_one_by_one(table: tuple[Game, int]) -> None:
    game, players = table
    rng = Random(1)
    alone, together = [game.new(players, seed) for seed in range(2)], [game.new(players, seed) for seed in range(2)]
    actions: list[int] = []
    while True:
        refused, packed, decisions = batch.step(together, actions, [-1] * len(together), [], MOST, batch.Packer(pack))
        assert refused == []
        assert together == alone
        assert [state.events for state in together] == [state.events for state in alone]
        assert packed == b"".join(pack(state, state.actor or 0) for state in alone)
        assert numbers(decisions) == [(-1, 0) if s.actor is None else (s.actor, min(len(s.list_moves()), MOST)) for s in alone]
        alone, together = ([state for state in states if state.actor is not None] for states in (alone, together))
        if not alone:
            return
        actions = [rng.randrange(len(state.list_moves())) for state in alone]
        for state, action in zip(alone, actions, strict=True):
            state.play(state.list_moves()[action])


def test_others_draw_what_the_bot_random_draws(table: tuple[Game, int]) -> None:
    game, players = table
    quick, plain = game.new(players, 7), game.new(players, 7)
    generators, others = [Random(seat) for seat in range(players)], [Random(seat) for seat in range(players)]
    actions: list[int] = []
    while plain.actor is not None:
        batch.step([quick], actions, [0], [generators], MOST, batch.Packer(pack))
        if actions:
            plain.play(plain.list_moves()[0])
        while plain.actor not in {0, None}:
            view = plain.view(plain.actor)
            plain.play(plain.list_moves()[0] if plain.count_moves() == 1 else view.legal_moves.random(others[view.seat]))
        assert (quick, quick.events) == (plain, plain.events)
        actions = [0]
    assert [own.getstate() for own in generators] == [own.getstate() for own in others]


def test_an_index_of_no_legal_move_is_refused_and_nobody_plays(table: tuple[Game, int]) -> None:
    game, players = table
    wrong = [-1, game.new(players, 1).count_moves(), MOST, 1 << 70]
    states = [game.new(players, 1) for _ in wrong]
    refused, _, decisions = batch.step(states, wrong, [-1] * 4, [[Random(0)] * players] * 4, MOST, batch.Packer(pack))
    assert refused == [0, 1, 2, 3]
    assert states == [game.new(players, 1)] * 4
    assert numbers(decisions) == [(0, states[0].count_moves())] * 4


def test_of_more_moves_than_may_be_played_the_first_are_played(table: tuple[Game, int]) -> None:
    game, players = table
    states = [game.new(players, 1), game.new(players, 1)]
    refused, _, decisions = batch.step(states, [2, 3], [-1, -1], [], 3, batch.Packer(pack))
    assert refused == [1]
    assert numbers(decisions)[1] == (0, 3)


def test_what_a_view_shows_cannot_be_played_on(table: tuple[Game, int]) -> None:
    game, players = table
    with pytest.raises(ReadOnlyError):
        batch.step([game.new(players, 1).view(0).position], [0], [-1], [], MOST, batch.Packer(pack))
