"""Which level a pool of players plays at, by what was asked for and what this machine offers."""

from __future__ import annotations

import pytest

from arena import bots
from arena.bots import BEST, IsolationError, open_player_pool
from bots.limits import Level


@pytest.fixture(autouse=True)
def offered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that offers L1 at best."""
    monkeypatch.setattr(bots, "_best_level", lambda: Level.L1)


@pytest.mark.parametrize(("wanted", "level"), [(BEST, Level.L1), ("l1", Level.L1), ("L0", Level.L0), ("none", Level.NONE)])
def test_a_pool_plays_at_the_level_that_is_asked_for(wanted: str, level: Level) -> None:
    with open_player_pool(wanted) as pool:
        assert pool.level is level


@pytest.mark.parametrize(
    ("wanted", "required", "sentence"),
    [
        ("L2", None, "this machine does not offer isolation L2; its best is L1"),
        (BEST, "L3", "isolation L3 is required, but the best this machine offers is L1"),
        ("L0", "L1", "isolation L1 is required, but --isolation L0 asks for less"),
        ("L9", None, "there is no isolation level 'L9'; the levels are none, L0, L1, L2, L3, and best"),
    ],
)
def test_a_level_that_is_not_offered_or_too_low_is_refused(wanted: str, required: str | None, sentence: str) -> None:
    with pytest.raises(IsolationError, match=sentence):
        open_player_pool(wanted, required)
