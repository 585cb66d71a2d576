"""Matches whose clock counts fuel: what a bot is told, what it is charged, and who may play."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.bots import admit
from arena.play.match import make_ticket, play_match
from bots.errors import BotError
from bots.host.player_pool import InProcessPlayer
from bots.limits import Level
from bots.loader.loading import identify, resolve
from bots.loader.version import BotVersion
from bots.protocol import Clock, ClockMode, ClockSpec, MatchInfo
from engine.core import Move, State, View
from engine.core.observer import Chronicle
from engine.records import FaultKind
from engine.registry import find_game

LIMITS = ClockSpec(ClockMode.FUEL, start=None, move=None, wall_bank=None, nodes=7, start_fuel=10, move_fuel=100, bank_fuel=250)


class Fuelled(InProcessPlayer):
    """A random bot that says how much fuel it uses, and keeps what it is told."""

    def __init__(self, start: int, decisions: list[int]) -> None:
        super().__init__(resolve("random"))
        self._uses = iter(decisions)
        self._start = start
        self._fuel = 0
        self.told: list[int | None] = []

    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        super().start(info, chronicle)
        self._fuel += self._start

    def choose(self, view: View[State], clock: Clock) -> Move:
        self.told.append(clock.fuel)
        assert (clock.seconds, clock.nodes, clock.stop) == (None, 7, 120.0)
        self._fuel += next(self._uses, 0)
        return super().choose(view, clock)

    def fuel(self) -> int:
        return self._fuel


def played(player: Fuelled) -> tuple[FaultKind, int, str] | None:
    game = find_game("tongiaki")
    ticket = make_ticket(game, ("a", "b"), seed=5)
    result = play_match(game, ticket, [player, InProcessPlayer(resolve("random"))], clock=LIMITS)
    fault = result.seats[0].fault
    return None if fault is None else (fault.kind, fault.index, fault.detail)


def test_each_decision_has_its_fuel_as_long_as_the_bank_lasts() -> None:
    player = Fuelled(10, [100, 40, 90])
    assert played(player) is None
    assert player.told[:5] == [100, 100, 100, 20, 20]


def test_too_much_fuel_is_a_move_timeout() -> None:
    kind, index, detail = played(Fuelled(0, [100, 101])) or pytest.fail("no fault")
    assert (kind, detail) == (FaultKind.MOVE_TIMEOUT, "it used all its fuel for a decision, 100 units")
    assert index > 0


def test_too_much_fuel_at_the_start_is_an_init_timeout() -> None:
    assert played(Fuelled(11, [])) == (FaultKind.INIT_TIMEOUT, 0, "it used all its fuel to get ready, 10 units")


def test_only_what_can_be_measured_is_admitted(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("class Mine:\n    def choose(self, view, clock):\n        return view.legal_moves[0]\n")
    mine = identify("mine.py", base=tmp_path)
    module = BotVersion("m", "", "m.wasm", "", files=(("m.wasm", b""),), wasm="m.wasm")
    admit([resolve("mcts"), module], Level.L3, trusted=False, clock=LIMITS)
    admit([mine], Level.L3, trusted=False, clock=ClockSpec())
    with pytest.raises(BotError, match=r"mine\.py can't play by fuel, which is counted for WebAssembly modules alone"):
        admit([mine], Level.L3, trusted=False, clock=LIMITS)
