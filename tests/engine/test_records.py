"""The ranks of a match in which seats forfeited (docs/replay-format.md), and packed replays."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core import shared_ranks
from engine.records import LARGEST_PACKED, DamagedError, Forfeit, PackedReplay, pack_replay, ranks_after


def forfeits(*seats: int) -> list[Forfeit]:
    """Forfeits of those seats, one after the other."""
    return [Forfeit(seat, 10 * number, "too slow") for number, seat in enumerate(seats)]


def test_of_two_forfeited_seats_the_later_one_ranks_better() -> None:
    assert ranks_after((1, 2, 3, 4), forfeits(0, 2)) == (4, 1, 3, 2)
    assert ranks_after((1, 2, 3, 4), forfeits(2, 0)) == (3, 1, 4, 2)


@given(scores=st.lists(st.integers(0, 3).map(lambda score: (score,)), min_size=2, max_size=6), data=st.data())
def test_forfeits_keep_the_order_of_all_who_played_on(scores: list[tuple[int]], data: st.DataObject) -> None:
    ranks = shared_ranks(scores)
    out = data.draw(st.lists(st.sampled_from(range(len(scores))), unique=True, max_size=len(scores)))
    final = ranks_after(ranks, forfeits(*out))
    kept = [seat for seat in range(len(scores)) if seat not in out]
    assert [final[seat] for seat in kept] == list(shared_ranks([scores[seat] for seat in kept]))
    assert [final[seat] for seat in reversed(out)] == list(range(len(kept) + 1, len(scores) + 1))


@pytest.mark.parametrize("text", ["", "{}", "tile ✓ " * 1000])
def test_the_same_text_comes_out(text: str) -> None:
    packed = pack_replay(text)
    assert packed.text == text
    assert pickle.loads(pickle.dumps(packed)) == packed  # noqa: S301  # our own
    assert pickle.loads(pickle.dumps(packed)).text == text  # noqa: S301  # our own


def test_replays_are_equal_by_their_text() -> None:
    assert pack_replay("one") == pack_replay("one") != pack_replay("other")


def test_damage_is_named_and_a_text_longer_than_a_replay_is_refused() -> None:
    with pytest.raises(DamagedError, match=r"^it is cut off, or too long for a replay$"):
        _ = pack_replay(" " * (LARGEST_PACKED + 1)).text
    with pytest.raises(DamagedError, match="incorrect header"):
        _ = PackedReplay(b"no replay", "").text
    assert len(pack_replay(" " * LARGEST_PACKED).text) == LARGEST_PACKED
