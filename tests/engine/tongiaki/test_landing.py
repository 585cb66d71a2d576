"""RULES 4, "Island: it lands": who goes where, and who goes home."""

from __future__ import annotations

from itertools import product

from hypothesis import example, given
from hypothesis import strategies as st

from engine.tongiaki.rules.landing import landings, may_land, packed_colors, packed_seats, packed_size
from tests.engine.tongiaki.helpers import line, listed, parsed, played, position


def landing(group: str, target: str) -> str:
    """A group of seats 0 to 2 about to land; the island's name is the first word of its line."""
    return f"tongiaki\nplayers 3\ndecides 0 land {target.split(' ', maxsplit=1)[0]} {group}\n{target}"


def test_excess_ships_return_and_the_active_player_chooses_which() -> None:
    state = position(landing("001", "Tubuai 0,0 0: 11 22"))
    supply = state.supply[:]
    assert listed(state) == ["land 0:0 1:0", "land 0:0 1:1", "land 0:1 1:0"]
    played(state, "land 0:0 1:1")
    assert line(state, "Tubuai") == "Tubuai 0,0 0: 011 122"
    assert state.supply == [supply[0] + 1, supply[1], supply[2]]


def test_the_ships_of_a_landing_are_no_more_in_flight() -> None:
    state = position(landing("001", "Tubuai 0,0 0: 11 22"))
    played(state, "land 0:0 1:0")
    assert (state.supply[1], state.group) == (15 - 2, 0)


def test_with_no_free_berth_every_ship_returns_by_one_legal_move() -> None:
    state = position(landing("001", "Tubuai 0,0 0: 111 222"))
    assert listed(state) == ["land"]
    played(state, "land")
    assert state.supply == [15, 12, 12]
    assert "decides 0 sail" in state.text


def lawful(free: tuple[int, ...], group: tuple[int, ...]) -> set[str]:
    """Every landing of RULES 4, found by trying each place for each ship."""
    open_beaches = [beach for beach, berths in enumerate(free) if berths]
    texts = set()
    for places in product([None, *open_beaches], repeat=len(group)):
        given_to = {beach: sorted(seat for seat, place in zip(group, places, strict=True) if place == beach) for beach in open_beaches}
        sizes = [len(given_to[beach]) for beach in open_beaches]
        if any(size > free[beach] for size, beach in zip(sizes, open_beaches, strict=True)):
            continue
        if sum(sizes) != min(len(group), sum(free)):
            continue
        if (min(sizes, default=1) if len(group) >= len(open_beaches) else 2 - max(sizes)) < 1:
            continue
        texts.add(" ".join(["land", *(f"{beach}:{''.join(map(str, given_to[beach]))}" for beach in open_beaches if given_to[beach])]))
    return texts


@given(
    free=st.lists(st.integers(0, 3), min_size=2, max_size=6).map(tuple),
    group=st.lists(st.integers(0, 5), min_size=1, max_size=5).map(sorted).map(tuple),
)
def test_landings_are_just_those_found_by_trying_each_place_for_each_ship(free: tuple[int, ...], group: tuple[int, ...]) -> None:
    packed = sum(1 << 4 * seat for seat in group)
    listed = landings(free, packed)
    assert {str(move) for move in listed} == lawful(free, group)
    assert len(set(listed)) == len(listed)
    assert [parsed(str(move)) for move in listed] == list(listed)
    assert [move.ships for move in listed] == sorted(move.ships for move in listed)
    assert all(may_land(free, packed, move.ships) for move in listed)


@given(
    free=st.lists(st.integers(0, 3), min_size=2, max_size=3).map(tuple),
    group=st.lists(st.integers(0, 2), min_size=1, max_size=4).map(tuple),
    ships=st.lists(st.tuples(st.integers(-1, 3), st.lists(st.integers(-1, 3), max_size=3).map(tuple)), max_size=3).map(tuple),
)
@example(free=(1, 1), group=(0,), ships=((-1, (0,)),))
@example(free=(2, 0), group=(0, 0), ships=((0, (0,)), (0, (0,))))
def test_a_landing_may_be_made_exactly_if_it_is_listed(free: tuple[int, ...], group: tuple[int, ...], ships: tuple) -> None:
    packed = sum(1 << 4 * seat for seat in group)
    assert may_land(free, packed, ships) == (ships in [move.ships for move in landings(free, packed)])


@given(st.lists(st.integers(0, 5), max_size=15))
def test_a_packed_group_knows_its_ships_and_colours(seats: list[int]) -> None:
    packed = sum(1 << 4 * seat for seat in seats)
    assert packed_size(packed) == len(seats)
    assert packed_colors(packed) == len(set(seats))
    assert packed_seats(packed) == tuple(sorted(seats))
