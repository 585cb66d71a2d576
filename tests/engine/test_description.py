"""Positions told in words: they say what the seat knows and may do, and nothing that it may not know."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from engine import State, describe, find_game
from engine.core import OptionValue
from engine.description import MOST_MOVES
from tests.arena.made_games import NAME, TITLE, installed

GAMES: list[tuple[str, dict[str, OptionValue], int, str]] = [
    ("tongiaki", {}, 3, "Tongiaki, for 3 players."),
    ("sunda", {"level": 5}, 2, "Sunda to Sahul, for 2 players, with level 5, mode turns, pots shared, resources 1,2,3,4,5,6."),
    ("sunda", {"level": 5, "mode": "simultaneous"}, 2, "Sunda to Sahul, for 2 players, with level 5, mode simultaneous, pots private"),
    ("sunda", {}, 1, "Sunda to Sahul, for 1 player"),
    (NAME, {}, 3, f"{TITLE}, for 3 players, with numbers 300, mood calm."),
]
each_game = pytest.mark.parametrize(("name", "options", "players", "begin"), GAMES, ids=str)


@pytest.fixture(autouse=True)
def made_game() -> Iterator[None]:
    """The game of nobody's package is installed."""
    with installed():
        yield


def positions(name: str, options: dict[str, OptionValue], players: int, every: int) -> Iterator[State]:
    """Every so many positions of a random game, the last one among them."""
    state = find_game(name, options).new(players, 7)
    rng = Random(7)
    number = 0
    while state.actor is not None:
        if number % every == 0:
            yield state
        state.play(state.random_move(rng))
        number += 1
    yield state


@each_game
def test_it_says_title_turn_tally_and_every_legal_move(name: str, options: dict[str, OptionValue], players: int, begin: str) -> None:
    for state in positions(name, options, players, 17):
        seat = state.actor
        text = describe(state.view(0 if seat is None else seat))
        assert text.startswith(begin)
        assert all(f"{title.capitalize()}: " in text for title in state.tally())
        listed = [line[2:].split(": ")[0] for line in text.splitlines() if line.startswith("- ")]
        if seat is None:
            assert not listed
            assert "\nRanks: " in text
        else:
            moves = [str(move) for move in state.list_moves()]
            assert f"You are seat {seat}, and it is your turn." in text
            assert [each for each in listed if not each.startswith("and ")] == moves[:MOST_MOVES]


@each_game
def test_it_is_the_same_whatever_is_hidden(name: str, options: dict[str, OptionValue], players: int, begin: str) -> None:
    rng = Random(3)
    for state in positions(name, options, players, 23):
        for seat in range(players):
            text = describe(state.view(seat))
            assert describe(state.view(seat).sample(rng).view(seat)) == text


@each_game
def test_others_are_not_told_what_the_seat_may_do(name: str, options: dict[str, OptionValue], players: int, begin: str) -> None:
    state = find_game(name, options).new(players, 7)
    assert "You are a spectator." in describe(state.view(-1))
    for seat in range(-1, players):
        assert ("legal move" in describe(state.view(seat))) == (seat == state.actor)


def test_a_secret_is_told_to_its_owner_alone() -> None:
    state = find_game(NAME).new(2, 7)
    cards = [next(line for line in describe(state.view(seat)).splitlines() if line.startswith("cards: ")) for seat in (-1, 0, 1)]
    assert cards[0] == "cards: [0, 0]"
    assert sorted(cards[1:]) in (["cards: [0, 100]", "cards: [101, 0]"], ["cards: [0, 101]", "cards: [100, 0]"])


def test_where_ships_and_islands_are_is_told() -> None:
    state = find_game("tongiaki").new(2, 7)
    for _ in range(2):
        state.play(state.list_moves()[0])
    text = describe(state.view(0))
    assert "Island Tonga at 0,0, turned by 0, 0 points." in text
    assert "1 ship of you, 1 ship of seat 1" in text
