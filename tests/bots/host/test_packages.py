"""Bots import the packages that their competition allows, and no others, at every level; they have its memory and threads."""

from __future__ import annotations

from pathlib import Path

import pytest

from bots.host.packages import PackagesError, installed_versions
from bots.host.player_pool import PlayerPool
from bots.limits import Level, Runtime
from bots.loader.loading import identify, resolve
from bots.loader.version import BotVersion
from bots.protocol import ClockSpec
from engine.records import FaultKind, MatchResult
from tests.bots.conftest import WriteBot
from tests.bots.host.levels import BEST, each_level, each_locked_level
from tests.bots.playing import TONGIAKI, play_random

COMPUTES = """
import numpy as np

class Bot:
    def start(self, info):
        self.rng = np.random.default_rng(info.seed)

    def choose(self, view, clock):
        import numpy.ma  # of what is imported late, too
        product = self.rng.random((40, 40)) @ self.rng.random((40, 40))
        values = np.linalg.eigvalsh(product @ product.T) + np.fft.fft(product[0]).real
        return view.legal_moves[int(abs(values.sum()) * 1000) % len(view.legal_moves)]
"""
LACKS = """
class Bot:
    def __init__(self):
        import {module}

    def choose(self, view, clock):
        return view.legal_moves[0]
"""
COUNTS_THREADS = """
import os
import threading

class Bot:
    def __init__(self):
        go_on, threads = threading.Event(), []
        for _ in range(8):
            try:
                thread = threading.Thread(target=go_on.wait, daemon=True)
                thread.start()
                threads.append(thread)
            except RuntimeError:
                break
        go_on.set()
        for thread in threads:
            thread.join()
        print(len(threads), os.environ["OMP_NUM_THREADS"])

    def choose(self, view, clock):
        return view.legal_moves[0]
"""
FILLS = """
class Bot:
    filled = False

    def choose(self, view, clock):
        if not self.filled:  # clearing so much memory takes a quarter of a second
            self.filled = len(bytearray({mib} << 20)) > 0
        return view.legal_moves[0]
"""


def play(pool: PlayerPool, version: BotVersion) -> MatchResult:
    return play_random(pool, version, clock=ClockSpec(move=20.0))


def test_a_bot_computes_with_numpy_as_in_the_hosts_process(with_numpy: PlayerPool, write_bot: WriteBot) -> None:
    path = str(write_bot(COMPUTES))
    with PlayerPool(Level.NONE) as pool:
        inside = play(pool, resolve(path))
    outside, again = play(with_numpy, identify(path)), play(with_numpy, identify(path))

    assert outside.seats[0].fault is None
    assert outside.replay == inside.replay == again.replay


@pytest.mark.slow  # scipy takes a second; test_bot_process has what is said where there are no packages
def test_a_bot_that_needs_another_package_is_told_whom_to_ask(write_bot: WriteBot) -> None:
    bot = identify(str(write_bot(LACKS.format(module="networkx.classes"))))
    with PlayerPool(BEST, game=TONGIAKI, runtime=Runtime(("numpy", "scipy"))) as pool:
        fault = play(pool, bot).seats[0].fault

    assert fault is not None
    assert fault.kind is FaultKind.CRASH
    assert fault.detail.endswith(
        "No module named 'networkx' (line 4); if it is a file of your own, send a folder with both; this competition has numpy and scipy: "
        "ask its host for 'networkx' (at home, --runtime packages=NAME)"
    )


@pytest.mark.parametrize(("module", "missing"), [("scipy", "'scipy' (line 4); if"), ("numpy.nothing", "'numpy.nothing' (line 4)")])
def test_what_is_installed_but_not_allowed_is_absent_and_what_a_package_lacks_is_the_bots_own_mistake(
    module: str, missing: str, with_numpy: PlayerPool, write_bot: WriteBot
) -> None:
    fault = play(with_numpy, identify(str(write_bot(LACKS.format(module=module))))).seats[0].fault

    assert fault is not None
    assert f"No module named {missing}" in fault.detail


@pytest.mark.slow  # loads numpy in a sandbox
@each_level
def test_a_bot_may_start_as_many_threads_as_its_competition_says(level: Level, write_bot: WriteBot) -> None:
    bot = identify(str(write_bot(COUNTS_THREADS)))
    with PlayerPool(level, game=TONGIAKI) as pool:
        single = play(pool, bot).seats[0]
    with PlayerPool(level, game=TONGIAKI, runtime=Runtime(threads=3)) as pool:
        several = [play(pool, bot).seats[0] for _ in range(3)]
        # without namespaces the kernel counts the threads of all bots of the user, those of other tests, too: then fewer are left, or more
        while level is Level.L0 and "2 3\n" not in {each.log for each in several} and len(several) < 30:
            several.append(play(pool, bot).seats[0])

    assert (single.fault, single.log) == (None, "0 1\n")
    assert {each.fault for each in several} == {None}
    told = {each.log for each in several}
    assert "2 3\n" in told
    assert level is Level.L0 or told == {"2 3\n"}


@pytest.mark.slow  # loads numpy in a sandbox
@each_locked_level
def test_the_memory_of_a_bot_is_what_its_competition_says(level: Level, write_bot: WriteBot) -> None:
    bot = identify(str(write_bot(FILLS.format(mib=600))))
    with PlayerPool(level, game=TONGIAKI) as pool:
        standard = play(pool, bot).seats[0].fault
    with PlayerPool(level, game=TONGIAKI, runtime=Runtime(memory=1 << 30)) as pool:
        more = play(pool, bot).seats[0].fault

    assert standard is not None
    assert standard.kind is FaultKind.MEMORY
    assert more is None


def install(folder: Path, name: str, files: dict[str, str], metadata: str = "") -> None:
    """Lay down a package as pip does."""
    for path, content in files.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(content)
    about = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{metadata}\n")
    (about / "RECORD").write_text("".join(f"{path},,\n" for path in files))


@pytest.mark.parametrize(
    ("package", "told"),
    [
        ("no-such-package", "the package 'no-such-package' is not installed here; pip install no-such-package, or take it out"),
        ("json", "'json' is a module of Python itself, which every bot has; leave it out"),
        ("PIL", "there is no package 'PIL' here; the module of that name is in the package 'pillow': name that"),
        ("Tile.Arena", "'Tile.Arena' is this program, whose public part every bot has; leave it out"),
    ],
)
def test_packages_that_bots_cant_have_are_refused_in_a_sentence(package: str, told: str) -> None:
    with pytest.raises(PackagesError) as caught:
        installed_versions(["numpy", package])

    assert str(caught.value) == told
