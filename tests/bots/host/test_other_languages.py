"""The programs in C and in JavaScript that ``arena new`` writes play whole matches of both games."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from arena.languages import Language, build_command
from bots.errors import BotError
from bots.host.player_pool import PlayerPool, check_admission
from bots.limits import Level
from bots.loader.loading import identify
from bots.loader.version import BotVersion
from bots.sandbox import zygote_host
from bots.sandbox.probe import best_level
from engine.core import OptionValue
from engine.registry import find_game
from tests.bots.playing import play

KITS = Path(__file__).parents[3] / "arena" / "languages"
JAVASCRIPT = KITS / Language.JAVASCRIPT

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> BotVersion:
    """The bot in C, built as its ``bot.toml`` says."""
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("kits") / "c"
    shutil.copytree(KITS / Language.C_PROGRAM, folder)
    subprocess.run(shlex.split(build_command(Language.C_PROGRAM)), cwd=folder, check=True)
    return identify(str(folder))


@pytest.fixture
def among_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Room for the bots of other tests: at L0 they run as the same user, whose threads the kernel counts together."""
    count = zygote_host.count_tasks
    monkeypatch.setattr(zygote_host, "count_tasks", lambda: count() + 200)


@needs_node
@pytest.mark.usefixtures("among_others")
@pytest.mark.sampled(1)
@pytest.mark.parametrize(("game", "options"), [("tongiaki", {}), ("sunda", {"level": 5, "mode": "simultaneous"})])
@pytest.mark.parametrize("level", sorted({Level.L0, best_level()} - {Level.L1}, reverse=True), ids=str)
def test_bots_in_c_and_javascript_play(
    built: BotVersion, game: str, options: dict[str, OptionValue], level: Level, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"/usr/bin:{os.environ['PATH']}")
    versions = [built, identify(str(JAVASCRIPT))]
    replays = []
    with PlayerPool(level) as pool:
        for _ in range(2):
            result = play([pool.seat(version) for version in versions], find_game(game, options), seed=3)
            assert [seat.fault for seat in result.seats] == [None, None]
            assert "my seed is" in result.seats[0].log
            assert "ranks" in result.seats[1].log
            replays.append(result.replay)
    assert replays[0] == replays[1]


@needs_node
@pytest.mark.parametrize("level", [Level.NONE, Level.L0, Level.L1])
def test_a_program_is_not_let_in_where_it_can_not_play_or_is_not_trusted(level: Level) -> None:
    version = identify(str(JAVASCRIPT))
    with pytest.raises(BotError):
        check_admission(version, level, trusted=False)
    if level is Level.L0:
        check_admission(version, level, trusted=True)
    check_admission(version, Level.L2, trusted=False)
