"""The bytes that the engine writes of Tongiaki are the arrays of the reference encoder, and tell nothing that is hidden."""

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest

from arena.environments.tongiaki import TongiakiEncoder
from engine.tongiaki.game import TONGIAKI
from engine.tongiaki.state import TongiakiState
from tests.arena.environments.reference_tongiaki import ReferenceEncoder

SEATS = range(2, 7)


def positions(players: int, seed: int) -> Iterator[TongiakiState]:
    """Every position of a random game, in which royal islands are founded and seats colonise anew now and then."""
    state = TONGIAKI.new(players, seed)
    rng = Random(seed)
    yield state
    while state.actor is not None:
        state.play(state.random_move(rng))
        yield state


def compare(players: int, seed: int) -> int:
    """Compare all observations of a random game, and return how many there were."""
    encoder, reference = TongiakiEncoder(players), ReferenceEncoder(players)
    compared = 0
    for state in positions(players, seed):
        for seat in range(players):
            view = state.view(seat)
            wanted = reference.position(view)
            assert encoder.pack(state, seat) == b"".join(wanted[name].tobytes() for name in reference.fields), (players, seed, seat)
            compared += 1
        if state.actor is not None:
            moves = state.list_moves()
            view = state.view(state.actor)
            assert encoder.pack_rows(state, state.actor) == reference.rows(view, moves).tobytes(), (players, seed, state.text)
    return compared


@pytest.mark.parametrize("players", SEATS)
def test_the_bytes_are_those_of_the_reference_encoder(players: int) -> None:
    assert compare(players, 1) > 100


@pytest.mark.parametrize("players", [2, 5])
def test_the_bytes_of_a_state_are_those_of_its_view_and_of_every_sample_of_it(players: int) -> None:
    encoder = TongiakiEncoder(players)
    rng = Random(0)
    for state in positions(players, 2):
        for seat in range(players):
            view = state.view(seat)
            packed, rows = encoder.pack(state, seat), encoder.pack_rows(state, seat)
            for other in (view.position, view.sample(rng)):
                assert encoder.pack(other, seat) == packed
                assert encoder.pack_rows(other, seat) == rows


def test_a_ship_on_a_water_is_seen_where_it_stays() -> None:
    encoder, reference = TongiakiEncoder(4), ReferenceEncoder(4)
    seen = 0
    for seed in range(40):
        *_, last = positions(4, seed)
        if last.board.stranded:
            seen += 1
            for seat in range(4):
                wanted = reference.position(last.view(seat))
                assert all(np.array_equal(array, wanted[name]) for name, array in encoder.unpack(encoder.pack(last, seat)).items())
    assert seen, "in some games ships stay on waters"


def test_a_legal_move_is_found_by_its_index_listed_or_not() -> None:
    for state in positions(3, 8):
        moves = state.list_moves()
        for index in (0, len(moves) - 1):
            if state.actor is not None:
                twin = TONGIAKI.position(state.text)
                assert twin.count_moves() == len(moves)
                assert twin.move_at(index) == moves[index]
                twin.play(twin.move_at(index))
        with pytest.raises(IndexError):
            state.copy().move_at(len(moves))
