"""Packed replays: the same text comes out, also after a journey between processes, and damage is told."""

from __future__ import annotations

import pickle

import pytest

from engine.replay.compression import DamagedError, PackedReplay, pack_replay


@pytest.mark.parametrize("text", ["", "{}", "tile ✓ " * 1000])
def test_the_same_text_comes_out(text: str) -> None:
    packed = pack_replay(text)
    assert packed.text == text
    assert pickle.loads(pickle.dumps(packed)) == packed  # noqa: S301  # our own
    assert pickle.loads(pickle.dumps(packed)).text == text  # noqa: S301  # our own


def test_replays_are_equal_by_their_text() -> None:
    assert pack_replay("one") == pack_replay("one") != pack_replay("other")


@pytest.mark.parametrize("data", [b"", b"\1\2", pack_replay("a text").data[:-3]])
def test_damage_is_told(data: bytes) -> None:
    with pytest.raises(DamagedError):
        _ = PackedReplay(data, "").text
