"""Opening a pool of players: on a machine that is known to offer L3, the pool's own sandbox is attacked, and no other is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.play import isolation
from arena.play.isolation import BEST, IsolationError, likely_level, open_player_pool
from bots.host import player_pool
from bots.host.player_pool import PlayerPool
from bots.sandbox import kept_level
from bots.sandbox.levels import Level
from bots.sandbox.probe import best_level, still_holds
from engine.registry import find_game

needs_l3 = pytest.mark.skipif(best_level() < Level.L3, reason="this machine does not offer L3")


@pytest.fixture(autouse=True)
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """How often it was found out what the machine offers, which is L0; L3 is kept."""
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path))
    kept_level.keep(kept_level.circumstances())
    times: list[str] = []

    def found() -> Level:
        times.append("asked")
        return Level.L0

    monkeypatch.setattr(isolation, "best_level", found)
    return times


@needs_l3
def test_the_sandbox_that_will_make_bots_is_attacked(asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    attacked = []
    monkeypatch.setattr(player_pool, "still_holds", lambda *order: attacked.append(order[0]) or still_holds(*order))
    with open_player_pool(BEST, "L3", find_game("tongiaki")) as pool:
        assert pool.level is Level.L3
        assert attacked == [pool._sandbox]
    assert asked == []


def test_one_that_refuses_too_little_is_not_used(asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PlayerPool, "still_holds", lambda _self: False)
    monkeypatch.setattr(PlayerPool, "start_sandbox", lambda _self: None)
    with open_player_pool(BEST) as pool:
        assert pool.level is Level.L0
    with pytest.raises(IsolationError, match="does not offer isolation L3"):
        open_player_pool("L3")
    assert asked == ["asked", "asked"]


@needs_l3
def test_one_that_refused_too_little_is_attacked_again_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "best_level", lambda: Level.L3)
    answers = [False, True]
    attacked = []
    monkeypatch.setattr(player_pool, "still_holds", lambda sandbox, *_: attacked.append(sandbox._host) or answers.pop(0))
    with open_player_pool(BEST) as pool:
        assert pool.level is Level.L3
        assert len(set(attacked)) == 2, "its zygote is a new one"
    assert answers == []
    monkeypatch.setattr(PlayerPool, "still_holds", lambda _self: False)
    monkeypatch.setattr(PlayerPool, "start_sandbox", lambda _self: None)
    with pytest.raises(IsolationError, match="offers isolation L3, but processes for these bots don't refuse all that they should"):
        open_player_pool(BEST)


def test_a_lower_level_that_is_asked_for_is_found_out_as_ever(asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PlayerPool, "start_sandbox", lambda _self: None)
    with pytest.raises(IsolationError, match="does not offer isolation L2"):
        open_player_pool("L2")
    assert asked == ["asked"]


@pytest.mark.parametrize(
    ("wanted", "kept", "level"), [("best", True, Level.L3), ("L3", True, Level.L3), ("best", False, None), ("L1", True, None)]
)
def test_the_likely_level_is_one_that_this_machine_has_offered(
    wanted: str, kept: bool, level: Level | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_level, "is_kept", lambda: kept)
    assert likely_level(wanted) is level
