"""The vectors of the independent implementation: whole games and counts (tests/vectors/tongiaki/README.md)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.replay.format import read_replay, write_replay
from engine.replay.verifier import verify_replay
from tests.engine.tongiaki.helpers import VECTORS


def test_all_twenty_vectors_are_there() -> None:
    assert len(VECTORS) == 20


@pytest.mark.parametrize("path", VECTORS, ids=lambda path: path.stem)
def test_every_vector_verifies_and_is_written_as_it_was_read(path: Path) -> None:
    replay = read_replay(path.read_text(encoding="utf-8"))
    verify_replay(replay)
    assert read_replay(write_replay(replay)) == replay
