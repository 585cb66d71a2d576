"""A game of another package is played in bots' processes as in the host's; where it can't be, the host says so and blames no bot."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.bots import rehearse
from arena.play.executors.base import InlineExecutor, Job
from bots.errors import HostFaultError, SandboxError
from bots.host.player_pool import PlayerPool
from bots.limits import Level
from bots.loader.loading import identify, resolve
from bots.loader.version import BotVersion
from bots.protocol import ClockSpec
from engine.core import Game
from engine.records import MatchResult
from tests.bots import playing
from tests.bots.host.levels import each_level, each_locked_level
from tests.outside import race, three_in_a_row

CLOCK = ClockSpec(move=10.0)
LOOKS_ROUND = """
import importlib

class Bot:
    def choose(self, view, clock):
        for name in {names}:
            try:
                importlib.import_module(name)
                print("has", name)
            except ImportError:
                print("lacks", name)
        return view.legal_moves[0]
"""
FORGES = """
import os

class Bot:
    def __init__(self):
        os.write({fd}, b'{{"type":"error","kind":"game","detail":"it is the host"}}\\n')
    def choose(self, view, clock):
        return view.legal_moves[0]
"""


def play(game: Game, pool: PlayerPool, *versions: BotVersion) -> MatchResult:
    return playing.play([pool.seat(version) for version in versions], game, CLOCK)


@each_level
@pytest.mark.parametrize("is_told", [True, False], ids=["told at the start", "told by the match"])
def test_a_bot_knows_the_games_of_packages_at_every_level(
    level: Level, is_told: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    game, other = three_in_a_row(monkeypatch), race(monkeypatch, tmp_path, "both")
    bots = resolve("random"), resolve("flat")
    with PlayerPool(Level.NONE) as pool:
        inside = play(game, pool, *bots)
    with PlayerPool(level, game=game if is_told else None) as pool:
        outside = play(game, pool, *bots)
        assert play(other, pool, bots[0], bots[0]).end == "home"
        again = play(game, pool, *bots)
    assert [seat.fault for seat in outside.seats] == [None, None]
    assert outside.replay == inside.replay == again.replay


@each_locked_level
def test_a_bot_sees_the_modules_of_the_game_and_no_other_package(level: Level, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    game = race(monkeypatch, tmp_path, "seen")
    (tmp_path / "secret_neighbour.py").write_text("KEY = 1\n")
    code = LOOKS_ROUND.format(names=["seen_game", "secret_neighbour", "sqlalchemy"])
    with PlayerPool(level, game=game) as pool:
        result = play(game, pool, playing.written(code), resolve("random"))
    assert result.seats[0].fault is None
    assert set(result.seats[0].log.splitlines()) == {"has seen_game", "lacks secret_neighbour", "lacks sqlalchemy"}


@pytest.mark.slow  # prepares a sandbox
@each_level
def test_a_package_that_does_not_import_in_the_child_is_the_fault_of_the_host(
    level: Level, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LICENCE_OF_THE_GAME", "ours")
    game = race(monkeypatch, tmp_path, "licensed", top="import os; KEY = os.environ['LICENCE_OF_THE_GAME']")
    told = r"the game 'licensed' of tile-arena-licensed 1.0 works for the host, but not in a bot's process: .*LICENCE_OF_THE_GAME.*ask"
    with PlayerPool(level) as pool, pytest.raises(HostFaultError, match=told):
        play(game, pool, resolve("random"), resolve("random"))
    with PlayerPool(level, game=game) as pool, pytest.raises(SandboxError, match=told):
        rehearse([resolve("random")], game, pool)


def test_such_a_game_stops_a_run_and_no_bot_has_a_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LICENCE_OF_THE_VOID", "ours")
    race(monkeypatch, tmp_path, "void", top="import os; KEY = os.environ['LICENCE_OF_THE_VOID']")
    job = Job("void", {}, {name: identify("random", name=name) for name in "ab"}, level=Level.L0)
    executor = InlineExecutor()
    try:
        with pytest.raises(SandboxError, match=r"the game 'void' of tile-arena-void 1.0 works for the host, but not .* KeyError"):
            list(executor.run(job, iter([playing.ticket()])))
    finally:
        executor.close()


def test_a_bot_cannot_blame_the_host(box: PlayerPool) -> None:
    for fd in (3, 4, 5, 6):
        faults = [seat.fault for seat in play(playing.TONGIAKI, box, playing.written(FORGES.format(fd=fd)), resolve("random")).seats]
        assert {fault and fault.kind.value for fault in faults} <= {None, "crash", "protocol error"}
