"""What a person is offered is exactly what is legal, and what a seat sees has nothing hidden in it."""

from __future__ import annotations

from itertools import count
from random import Random

import msgspec
import pytest

from arena.web.play.move_picker.base import move_picker_of, moves_of
from arena.web.play.seat_view import seat_view
from engine.core import OptionValue
from engine.registry import find_game
from engine.tongiaki.notation.moves import Kind, TongiakiMove
from engine.tongiaki.position import Phase
from engine.tongiaki.state import TongiakiState
from tests.arena.web.replays import TONGIAKI, timeline_of_vector
from tests.arena.web.visits import table_of


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("name", "options", "players"),
    [
        ("tongiaki", {}, 3),
        ("sunda", {"level": 5}, 2),
        ("sunda", {"level": 0}, 4),
        ("sunda", {"level": 1, "pots": "private"}, 2),
        ("sunda", {"level": 2}, 3),
        ("sunda", {"level": 3, "mode": "simultaneous"}, 3),
        ("sunda", {"level": 0}, 1),
        ("sunda", {"level": 2}, 1),
        ("sunda", {"level": 5, "mode": "simultaneous"}, 2),
        ("sunda", {"level": 4, "pots": "private"}, 3),
    ],
)
def test_every_legal_move_can_be_picked_and_no_two_by_the_same_picks(name: str, options: dict[str, OptionValue], players: int) -> None:
    state = find_game(name, options).new(players, 11)
    rng = Random(11)
    for number in count():
        if state.actor is None:
            break
        if number % 4 == 0:
            picker = move_picker_of(state.view(state.actor))
            in_trays = [move for tray in picker.trays for move in moves_of(tray)]
            assert sorted([*in_trays, *(move for move, _ in picker.moves)]) == sorted(map(str, state.list_moves()))
            picks = [tuple(tuple(sorted(stage)) for stage in stages) for _, stages in picker.moves]
            assert len(set(picks)) == len(picks)
            assert {choice for stages in picks for stage in stages for choice in stage} == set(picker.choices)
        state.play(state.random_move(rng))


def test_what_ships_do_that_come_to_an_island_is_told() -> None:
    told = []
    for state in timeline_of_vector(TONGIAKI).states[:-1]:
        assert isinstance(state, TongiakiState)
        words = move_picker_of(state.view(state.actor or 0)).told
        for move in state.list_moves():
            if isinstance(move, TongiakiMove) and move.kind in {Kind.EXPAND, Kind.LAND}:
                after = state.copy()
                after.play(move)
                told.append(words[str(move)])
                assert after.phase is Phase.SAIL or " sail" not in told[-1]
                assert move.kind is Kind.LAND or after.phase is not Phase.SAIL or " sail" in told[-1]
    assert {"1 ship to Tuvalu", "no ship to Mangareva; 3 without a berth go home"} <= set(told)


def test_a_first_match_is_told_about_ones_own_decision_alone() -> None:
    table = table_of(find_game("tongiaki"), "Maui", "Hina")
    asked, waiting, crowd = (seat_view(table.look(seat)).guide for seat in (0, 1, None))
    assert len(asked) == 2
    assert waiting == crowd == asked[:1]


@pytest.mark.parametrize("seat", [None, 0, 1])
def test_tables_that_differ_only_in_what_is_hidden_look_the_same(seat: int | None) -> None:
    tables = [table_of(find_game("tongiaki"), "Maui", "Hina", seed=seed) for seed in (123456789, 987654321)]
    looks = [msgspec.json.encode(seat_view(table.look(seat))) for table in tables]
    assert looks[0] == looks[1]
    assert b"123456789" not in looks[0]
