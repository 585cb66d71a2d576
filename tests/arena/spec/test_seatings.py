"""The seatings of a block: every bot in every seat, and every ordered pair side by side, equally often, whatever the names."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest

from arena.spec.lineups import count_balanced_blocks, count_seatings, seat, squares
from tests.arena.format_plans import plan, play

PLAYERS = range(2, 7)


def neighbours(seatings: list[tuple[int, ...]]) -> Counter[tuple[int, int]]:
    """How often each ordered pair sits on neighbouring seats, around the table."""
    return Counter(pair for seating in seatings for pair in zip(seating, (*seating[1:], seating[0]), strict=True))


@pytest.mark.parametrize("players", PLAYERS)
def test_every_square_has_each_bot_in_each_seat_once(players: int) -> None:
    for square in squares(players):
        assert Counter((place, bot) for seating in square for place, bot in enumerate(seating)) == Counter(
            {(place, bot): 1 for place in range(players) for bot in range(players)}
        )


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("mode", ["balanced", "permutations"])
def test_a_block_has_each_ordered_pair_of_neighbours_equally_often(mode: str, players: int) -> None:
    for draw in range(20):
        seatings = list(seat(mode, players, draw, 0))
        assert len(seatings) == len(set(seatings)) == count_seatings(mode, players)
        found = neighbours(seatings)
        assert set(found) == set(permutations(range(players), 2))
        assert len(set(found.values())) == 1


@pytest.mark.parametrize("players", PLAYERS)
def test_rotations_are_balanced_over_one_block_less_than_there_are_seats(players: int) -> None:
    wanted = count_balanced_blocks("rotations", players)
    assert wanted == players - 1
    seatings = [seating for block in range(wanted) for seating in seat("rotations", players, 5, block)]
    assert len(set(neighbours(seatings).values())) == 1
    assert len(neighbours(seatings)) == players * (players - 1)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_where_the_number_of_seats_is_a_prime_power_each_ordered_pair_of_bots_sits_on_each_ordered_pair_of_seats_once(players: int) -> None:
    pairs = Counter(
        (seating[one], seating[other], one, other)
        for seating in seat("balanced", players, 3, 0)
        for one in range(players)
        for other in range(players)
        if one != other
    )
    assert len(pairs) == (players * (players - 1)) ** 2
    assert set(pairs.values()) == {1}


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("seats", ["balanced", "rotations"])
@pytest.mark.parametrize("kind", ["round-robin", "gauntlet", "swiss", "ladder", "knockout"])
def test_every_format_balances_neighbours(kind: str, seats: str, players: int) -> None:
    options: dict[str, dict[str, object]] = {"gauntlet": {"challengers": ["b00"]}, "swiss": {"rounds": 2}, "ladder": {"rounds": 2}}
    more = options.get(kind, {})
    if kind == "knockout":
        more = {"extra": 0}
    blocks = 1 if seats == "balanced" else players - 1
    spec = plan(players + 1, format=kind, tables=[players], seats=seats, blocks=blocks, **more)
    _, rounds = play(spec, ties=0)
    tickets = [ticket for tickets in rounds for ticket in tickets]
    for key in {(ticket.lineup, ticket.round) for ticket in tickets}:
        mine = [ticket for ticket in tickets if (ticket.lineup, ticket.round) == key]
        numbers = {name: number for number, name in enumerate(key[0])}
        seatings = [tuple(numbers[name] for name in ticket.seats) for ticket in mine]
        assert len(set(neighbours(seatings).values())) == 1
        assert len(neighbours(seatings)) == players * (players - 1)
        assert set(Counter((place, bot) for seating in seatings for place, bot in enumerate(seating)).values()) == {len(mine) // players}
