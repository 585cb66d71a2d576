"""Moves in the words in which tables, replays and analyses tell them."""

from __future__ import annotations

import re
from random import Random

import pytest

from engine.registry import find_game
from engine.render.drawing import describe_move
from engine.simple import TextMove
from tests.arena.web.replays import ALL, timeline_of_vector

_NOTATION = re.compile(r"[LW]{4}|[-+]{4}|(on|off|,) beach|side \d|-?\d,-?\d")


@pytest.mark.parametrize(("name", "level"), [("tongiaki", None), ("sunda", 5)])
def test_moves_are_told_without_notation(name: str, level: int | None) -> None:
    state = find_game(name, {} if level is None else {"level": level}).new(3, 5)
    rng = Random(5)
    while state.actor is not None:
        for move in state.list_moves()[:20]:
            words = describe_move(state, move)
            assert not _NOTATION.search(words), words
        played = state.random_move(rng)
        state.play(played)
        words = describe_move(state, played, is_done=True)
        assert not _NOTATION.search(words), words


@pytest.mark.parametrize("name", ALL[::6])
def test_a_seat_is_told_the_same_as_a_spectator(name: str) -> None:
    timeline = timeline_of_vector(name)
    for state, move in zip(timeline.states, timeline.moves, strict=False):
        assert state.actor is not None
        words = [describe_move(view.position, move) for view in (state.view(state.actor), state.view(-1))]
        assert words == 2 * [describe_move(state, move)]


def test_a_beach_is_told_by_where_it_lies() -> None:
    state = find_game("tongiaki").new(2, 3)
    assert describe_move(state, state.list_moves()[0]) == "places a ship on the north beach of Tonga"


def test_landings_of_the_same_ships_are_told_together() -> None:
    timeline = timeline_of_vector("tongiaki/r2-70")
    assert [describe_move(timeline.states[at], timeline.moves[at]) for at in (27, 9)] == [
        "lands a ship on each of the north, north-east and south-west beaches of Muroroa",
        "lands on Tuvalu: a ship of seat 1 on the west beach; a ship of seat 0 on each of the north and east beaches",
    ]


@pytest.mark.parametrize("name", ["tongiaki", "sunda"])
def test_a_move_or_a_position_of_another_game_is_refused(name: str) -> None:
    state, other = find_game(name).new(2, 0), find_game({"tongiaki": "sunda", "sunda": "tongiaki"}[name]).new(2, 0)
    with pytest.raises(TypeError, match=f"describes moves of {name}, not TextMove"):
        describe_move(state, TextMove("pass"))
    with pytest.raises(TypeError, match="describes moves of"):
        describe_move(other, state.list_moves()[0])
