"""What the engine keeps up to date against what is worked out from the laid tiles again, in games of every level and mode."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from engine.sunda import SundaState, sunda
from engine.sunda.board.tiles import IDS, LAND
from engine.sunda.board.trigrid import corners_of_triangle, lozenge_of
from engine.sunda.notation.moves import PLACE, SundaMove
from engine.sunda.position import LAY, MEND
from tests.engine.sunda.helpers import as_pair, eager_move, laid, line_ups, random_game
from tests.engine.sunda.plain import Table

LINE_UPS = list(line_ups())


def bodies_of(state: SundaState) -> set[frozenset[tuple[int, int]]]:
    islands = state.inside.board.islands
    return {frozenset(as_pair(vertex) for vertex in islands.members(body)) for body in islands.open}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", range(len(LINE_UPS)))
def test_islands_lakes_and_spaces_are_those_of_a_fresh_look(number: int) -> None:
    game, players = LINE_UPS[number]
    for index, state in enumerate(random_game(game, players, seed=number)):
        if index % 12 and state.inside.phase != MEND:
            continue
        board = state.inside.board
        table = Table(laid(board))
        assert {as_pair(v): angle * 60 for v, angle in board.wedges.items()} == table.angles
        assert {as_pair(v): "LW"[kind] for v, kind in board.types.items()} == table.types
        assert bodies_of(state) == table.bodies()
        for body, still_open in board.islands.open.items():
            members = board.islands.members(body)
            assert board.islands.size[body] == len(members) == len(set(members))
            assert still_open == sum(not table.closed(as_pair(v)) for v in members)
            assert all(board.islands.name[v] == body for v in members)
        spaces = {space for placement in board.lies.values() for space in board.spots.spaces_at(lozenge_of(placement))}
        assert {frozenset(map(as_pair, corners_of_triangle(space))) for space in spaces} == table.spaces()
        assert len(spaces) == (state.inside.phase == MEND)


def score(state: SundaState) -> tuple[int, ...]:
    """The points of each seat by RULES 6, worked out from the table."""
    claims = state.inside.claims
    table = Table(laid(state.inside.board))
    body_of = {v: body for body in table.bodies() for v in body}
    factor = {body: 2 if all(map(table.closed, body)) else 1 for body in body_of.values()}
    tokens: dict[frozenset[tuple[int, int]], Counter[int]] = {}
    points = [0] * state.players
    for vertex, tribe in claims.tribes.items():
        island = body_of[as_pair(vertex)]
        tokens.setdefault(island, Counter()).update(tribe)
        for seat in tribe:
            points[seat] += factor[island] * (len(tribe) if state.inside.level >= 2 else 1)
    around = {}
    for vertex, seat in claims.lakes.items():
        lake = body_of[as_pair(vertex)]
        x, y = min(lake)
        around[as_pair(vertex)] = island = body_of[x - 1, y]
        tokens.setdefault(island, Counter())[seat] += 1
        points[seat] += 5 * len(lake) * factor[island]
    values: Counter[frozenset[tuple[int, int]]] = Counter()
    for value, vertex in claims.markers:
        values[around.get(as_pair(vertex), body_of[as_pair(vertex)])] += value
    for island, value in values.items():
        seats = tokens.get(island, Counter())
        for seat in (best := [seat for seat in seats if seats[seat] == max(seats.values())]):
            points[seat] += 2 * value * factor[island] // len(best)
    return tuple(points)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("number", range(len(LINE_UPS)))
def test_the_score_is_that_of_a_fresh_count(number: int) -> None:
    game, players = LINE_UPS[number]
    for index, state in enumerate(random_game(game, players, seed=number)):
        if players > 1 and index % 20 == 0:
            assert state.points == score(state)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("number", range(len(LINE_UPS)))
def test_tokens_tiles_and_markers_are_never_lost(number: int) -> None:
    game, players = LINE_UPS[number]
    total = {1: 0, 2: 24, 3: 16, 4: 12}[players]
    for state in random_game(game, players, seed=100 + number):
        p = state.inside
        on_table = Counter(seat for tribe in p.claims.tribes.values() for seat in tribe) + Counter(p.claims.lakes.values())
        assert [left + on_table[seat] for seat, left in enumerate(p.claims.tokens)] == [total] * players
        assert sorted([value for value, _ in p.claims.markers] + p.claims.supply) == sorted(p.options.resources)
        assert sum(p.pots.sizes) + len(p.board.lies) == 136
        for pot, size in enumerate(p.pots.sizes):
            assert len(p.pots.tiles(pot)) == size
        assert all(p.board.is_closed(v) and p.board.types[v] == LAND for v in p.claims.tribes)
        assert all(1 <= len(tribe) <= (5 if p.level >= 2 else 1) for tribe in p.claims.tribes.values())
        assert p.claims.held >= set(p.claims.tribes) | set(p.claims.lakes) | {v for _, v in p.claims.markers}


def expected_places(state: SundaState) -> set[str]:
    p = state.inside
    held = {as_pair(v) for v in p.claims.held}
    table = Table(laid(p.board))
    tiles = [IDS[tile] for tile in p.pots.tiles(p.pot(state.actor or 0))]
    places: set[str] = set()
    for place in table.candidates():
        fitting = [tile for tile in tiles if table.fits(tile, place)]
        if fitting and table.makes_spaces(place):
            fitting = [tile for tile in fitting if table.may_place(tile, place, held)]
        places |= {"place {} {},{},{}".format(tile, *place) for tile in fitting}
    return places


def expected_shifts(state: SundaState) -> set[str]:
    p = state.inside
    shifts = Table(laid(p.board)).shifts(IDS[p.newest], {as_pair(v) for v in p.claims.held})
    return {"shift {},{},{} {},{},{}".format(*before, *after) for before, after in shifts}


def checked(state: SundaState) -> bool:
    """Compare the legal placements or shifts, where the decision is about them."""
    listed = list(state.legal_moves)
    if state.inside.phase == MEND:
        assert {str(move) for move in listed} == expected_shifts(state)
    elif state.inside.phase == LAY:
        assert {str(move) for move in listed if isinstance(move, SundaMove) and move.kind == PLACE} == expected_places(state)
    else:
        return False
    return True


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("level", "players", "after"), [(0, 2, 6), (0, 2, 12), (1, 3, 40), (2, 4, 70), (4, 2, 110), (0, 1, 45)])
def test_legal_placements_are_those_found_by_trying_every_tile_everywhere(level: int, players: int, after: int) -> None:
    state = sunda({"level": level}).new(players, after)
    rng = Random(after)
    while after > 0 or state.inside.phase != LAY:
        state.play(eager_move(state, rng))
        after -= 1
    assert checked(state)


def test_legal_shifts_are_those_found_by_trying_every_place() -> None:
    n_checked = 0
    for seed in (0, 2):
        for state in random_game(sunda({"level": seed}), 2, seed):
            if state.inside.phase == MEND:
                n_checked += checked(state)
    assert n_checked > 10


@pytest.mark.parametrize("number", range(0, len(LINE_UPS), 2))
def test_counting_listing_asking_and_drawing_agree(number: int) -> None:
    game, players = LINE_UPS[number]
    rng = Random(number)
    for index, state in enumerate(random_game(game, players, seed=200 + number)):
        if index % 5 == number % 5 and state.actor is not None:
            listed = list(state.legal_moves)
            assert len(listed) == len(set(listed)) == len(state.legal_moves) > 0
            assert listed == sorted(listed, key=lambda m: (m.kind, m.first, m.second) if isinstance(m, SundaMove) else ())
            for _ in range(5):
                assert state.legal_moves.random(rng) in listed
            assert all(move in state.legal_moves for move in rng.sample(listed, min(20, len(listed))))
