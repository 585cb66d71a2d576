"""The vectors of the independent implementation: whole games and counts (tests/vectors/tongiaki/README.md)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.replay.format import read_replay, write_replay
from engine.replay.verifier import state_at, verify_replay, walk
from engine.tongiaki import TongiakiState
from tests.engine.tongiaki.helpers import VECTORS, fifteen_each, listed
from tests.engine.tongiaki.order import is_ordered

FOLDER = VECTORS[0].parent


def test_all_twenty_vectors_are_there() -> None:
    assert len(VECTORS) == 20


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_every_vector_verifies_and_is_written_as_it_was_read(path: Path) -> None:
    replay = read_replay(path.read_text(encoding="utf-8"))
    verify_replay(replay)
    assert read_replay(write_replay(replay)) == replay


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_every_legal_list_of_a_vector_is_in_order_without_repeats_and_agrees_with_is_legal(path: Path) -> None:
    replay = read_replay(path.read_text(encoding="utf-8"))
    met = set()
    for state, move in walk(replay):
        assert isinstance(state, TongiakiState)
        if move is not None:
            met.add(move)
        moves = list(state.legal_moves)
        assert is_ordered(state, [str(legal) for legal in moves])
        assert len(moves) == len(state.legal_moves) == len(set(moves))
        assert all(state.is_legal(legal) for legal in moves)
        assert not [old for old in met if state.is_legal(old) and old not in moves]
        assert fifteen_each(state)


@pytest.mark.parametrize(
    ("name", "index", "island"),
    [
        ("r2-409", 90, "Tuvalu"),
        ("r2-323", 91, "Muroroa"),
        ("r2-354", 139, "Tonga"),
        ("r3-23", 191, "Rarotonga"),
        ("r3-111", 215, "Muroroa"),
        ("r4-291", 175, "Rapa_Nui"),
    ],
)
def test_islands_collapse_where_the_readme_of_the_vectors_says(name: str, index: int, island: str) -> None:
    replay = read_replay((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    assert f"collapses {island}" in state_at(replay, index + 1).events
    assert f"collapses {island}" not in state_at(replay, index).events


def test_colonising_anew_is_the_only_move_of_a_turn_where_the_readme_says() -> None:
    assert listed(state_at(read_replay((FOLDER / "r2-354.json").read_text(encoding="utf-8")), 140)) == ["recolonise"]
