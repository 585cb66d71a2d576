"""A sealed bot keeps nothing for a later match, and takes nothing from who sits at its table: no bits, no memory, no threads, no time."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path
from threading import Timer

import pytest

from bots.errors import HostFaultError
from bots.host.bot_process import ProcessPlayer
from bots.host.player_pool import PlayerPool
from bots.limits import Level
from bots.loader.loading import identify, resolve
from bots.loader.version import BotVersion
from bots.protocol import Clock, ClockSpec, MatchInfo
from bots.sandbox.child import Child
from bots.sandbox.spawn import Sandbox
from engine.core import Move, State, View
from engine.core.observer import Chronicle
from engine.records import FaultKind, MatchResult
from tests.bots import playing
from tests.bots.sandbox.stage import HOSTILE, is_stopped, read_line, read_some, started
from tests.world import wait_for

pytestmark = pytest.mark.slow  # it compiles attacks in C and waits for clocks

RUNS_COMMANDS = (Level.L3, Level.L2)
MIB = 1 << 20
NEEDS_CC = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
NOBODY = 65533


@pytest.fixture(scope="module", params=RUNS_COMMANDS, ids=str)
def level(request: pytest.FixtureRequest) -> Level:
    started(request.param).close()
    found: Level = request.param
    return found


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hostile programs in C, built."""
    folder = tmp_path_factory.mktemp("programs")
    for source in HOSTILE.glob("native_*.c"):
        warnings = ("-Wall", "-Wextra", "-Werror", "-Wno-unused-function")
        subprocess.run(["cc", "-O1", *warnings, "-pthread", "-o", folder / source.stem, source], check=True)
    return folder


def version_of(programs: Path, name: str) -> BotVersion:
    return BotVersion(name, "0" * 64, name, "", files=((name, (programs / name).read_bytes()),), command=(f"./{name}",))


def run(sandbox: Sandbox, programs: Path, name: str) -> Child:
    return sandbox.spawn_command([f"./{name}"], {name: (programs / name).read_bytes()})


def play(pool: PlayerPool, *versions: BotVersion, clock: ClockSpec | None = None, seed: int = 3) -> MatchResult:
    return playing.play([pool.seat(version) for version in versions], clock=clock or ClockSpec(), seed=seed)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("level", [Level.L3, Level.L2, Level.L1], ids=str)
def test_a_bot_foretells_nothing_from_an_earlier_match_on_the_same_deck(level: Level, workers: int) -> None:
    started(level).close()
    version = BotVersion("foretells", "1" * 64, "foretells.py", "Bot", (HOSTILE / "foretells.py").read_text())
    pools = [PlayerPool(level) for _ in range(workers)]
    try:
        logs = [play(pools[number % workers], version, resolve("random")).seats[0].log for number in range(4)]
    finally:
        for pool in pools:
            pool.close()

    seen = [re.findall(r"SEEN (\d+)", log) for log in logs]
    read = [re.findall(r"READ (\d+)", log) for log in logs]
    assert seen[0] == seen[1] != [], logs
    assert read == [[]] * 4, "bits came through"
    assert all("KEPT NOTHING" in log for log in logs), logs


@NEEDS_CC
def test_a_native_bot_can_neither_tell_nor_change_what_is_cached(level: Level, programs: Path) -> None:
    with started(level, preload=("engine.registry",)) as sandbox, run(sandbox, programs, "native_page_cache") as child:
        assert child.wait(60) is not None
        said = (read_some(child.stdout_fd, 1) or b"").decode().splitlines()
    assert said == ["opened 1", "done"]


@NEEDS_CC
def test_a_native_bot_makes_only_a_few_pipes(level: Level, programs: Path) -> None:
    with started(level, preload=("engine.registry",)) as sandbox:
        for _ in range(2):
            with run(sandbox, programs, "native_pipes") as child:
                assert read_line(child) == b"made 16, then Too many open files\n"


@NEEDS_CC
def test_a_native_bot_gets_no_memory_beside_its_limit(level: Level, programs: Path) -> None:
    with started(level, preload=("engine.registry",)) as sandbox, run(sandbox, programs, "native_memory") as child:
        said = read_line(child, 60).split()
    assert said[:3] == [b"stacks", b"0", b"tables"]
    assert int(said[3]) <= 64


@NEEDS_CC
def test_the_host_sees_memory_that_the_kernel_does_not_limit(programs: Path) -> None:
    limits_of_the_kernel = Level.L0  # where stacks may grow
    with started(limits_of_the_kernel, preload=("engine.registry",)) as sandbox, run(sandbox, programs, "native_memory") as child:
        child.memory_limit = 32 * MIB
        wait_for(lambda: child.excess_memory() is not None)
        excess = child.excess_memory()
    assert excess is not None
    assert excess > 32 * MIB


@NEEDS_CC
@pytest.mark.parametrize("others", [1, 3, 5])
def test_a_bot_that_takes_all_threads_takes_none_from_others(
    level: Level, others: int, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"/usr/bin:{os.environ['PATH']}")
    peer = (
        identify(str(HOSTILE.parents[1] / "arena" / "languages" / "javascript"))
        if shutil.which("node")
        else version_of(programs, "native_starves")
    )
    hogs = [version_of(programs, "native_takes_threads")] * others
    with PlayerPool(level) as pool:
        result = play(pool, *hogs, peer)
    threads = [int(re.findall(r"threads (\d+)", seat.log)[0]) for seat in result.seats[:-1]]
    assert threads == [16] * others
    assert [seat.fault for seat in result.seats] == [None] * (others + 1)


@NEEDS_CC
def test_a_bot_that_waits_for_its_opponent_to_think_takes_no_time_from_it(level: Level, programs: Path) -> None:
    thinks = "class Bot:\n    def choose(self, view, clock):\n        for _ in range(200000): pass\n        return view.legal_moves[0]\n"
    with PlayerPool(level) as pool:
        starver = pool.seat(version_of(programs, "native_starves"))
        victim = pool.seat(BotVersion("victim", "2" * 64, "victim.py", "Bot", thinks))
        taken: list[float] = []
        choose = victim.choose

        def watched(view: View[State], clock: Clock) -> Move:
            assert isinstance(starver, ProcessPlayer)
            child = starver._child
            assert child is not None
            wait_for(lambda: is_stopped(child.pid), pause=0.001)
            before = child.cpu_seconds()
            move = choose(view, clock)
            taken.append(child.cpu_seconds() - before)
            return move

        victim.choose = watched  # type: ignore[method-assign]  # just this player's
        result = playing.play([starver, victim], clock=ClockSpec(), seed=3)
    assert "threads 15" in result.seats[0].log
    assert [seat.fault for seat in result.seats] == [None, None]
    assert len(taken) > 10
    assert sum(taken) < 0.05


@pytest.mark.parametrize("level", [Level.L3, Level.L2, Level.L1, Level.L0], ids=str)
def test_a_bot_is_frozen_from_before_its_first_decision(level: Level) -> None:
    started(level).close()
    with PlayerPool(level) as pool:
        first, second = (pool.seat(resolve("random")) for _ in range(2))
        looked: list[int] = []
        start = second.start

        def look(info: MatchInfo, chronicle: Chronicle) -> None:
            assert isinstance(first, ProcessPlayer)
            assert first._child is not None
            looked.append(pid := first._child.pid)
            wait_for(lambda: is_stopped(pid))
            start(info, chronicle)

        second.start = look  # type: ignore[method-assign]
        playing.play([first, second], seed=3)
    assert len(looked) == 1


def test_a_sealed_bot_sees_a_file_system_of_harmless_devices() -> None:
    source = """
    import os
    class Bot:
        def __init__(self):
            with open(os.devnull, "w") as null:
                null.write("words")
            with open("/dev/urandom", "rb") as random:
                print("RANDOM", len(random.read(4)))
            for path in ("/usr", "/usr/lib/os-release", "/etc/passwd", "/proc/self/status", "/bots", "/lib"):
                try:
                    print("OPENED", path, os.open(path, os.O_RDONLY))
                except OSError as error:
                    print("REFUSED", path)
        def choose(self, view, clock):
            return view.legal_moves[0]
    """
    started(Level.L3).close()
    code = "\n".join(line[4:] for line in source.splitlines())
    with PlayerPool(Level.L3) as pool:
        result = play(pool, BotVersion("looks", "3" * 64, "looks.py", "Bot", code), resolve("random"))
    log = result.seats[0].log
    assert result.seats[0].fault is None, result.seats[0].fault
    assert "RANDOM 4" in log
    assert "OPENED" not in log
    assert log.count("REFUSED") == 6


def test_what_a_bot_sleeps_while_it_gets_ready_is_charged() -> None:
    sleeps = """
import time
class Bot:
    def start(self, info):
        self.left = 8
        time.sleep(1.2)
    def choose(self, view, clock):
        self.left -= 1
        if self.left >= 0:
            time.sleep(0.5)
        return view.legal_moves[0]
"""
    with PlayerPool(Level.L0) as pool:
        bot = BotVersion("sleeps", "5" * 64, "sleeps.py", "Bot", sleeps)
        spared = play(pool, bot, resolve("random"), clock=ClockSpec(start=2.0, move=2.0, wall_bank=None, slack=30.0, strikes=1000), seed=9)
        charged = play(pool, bot, resolve("random"), clock=ClockSpec(start=2.0, move=2.0, wall_bank=4.0, slack=30.0, strikes=1000), seed=9)
        late = play(pool, bot, resolve("random"), clock=ClockSpec(start=2.0, move=2.0, wall_bank=1.0, slack=30.0, strikes=1000), seed=9)
    assert spared.seats[0].fault is None
    assert charged.seats[0].fault is not None
    assert charged.seats[0].fault.kind is FaultKind.MOVE_TIMEOUT
    assert charged.seats[0].decisions <= 6  # 1.2 s and six times 0.5, or less if the machine stops meanwhile
    assert late.seats[0].fault is not None
    assert late.seats[0].fault.kind is FaultKind.INIT_TIMEOUT
    assert "for more than the 1 s of wall time that 'wall_bank' allows" in late.seats[0].fault.detail


@pytest.mark.parametrize("level", [Level.L3, Level.L0], ids=str)
@pytest.mark.parametrize(("clock", "limit"), [(ClockSpec(), 10011), (ClockSpec(bank=5000.0), 5011), (ClockSpec(bank=9.0), 600)], ids=str)
def test_the_kernels_limit_of_cpu_time_follows_the_clock(level: Level, clock: ClockSpec, limit: int) -> None:
    tells = """
import resource
class Bot:
    def __init__(self):
        print("LIMIT", resource.getrlimit(resource.RLIMIT_CPU)[0])
    def choose(self, view, clock):
        return view.legal_moves[0]
"""
    started(level).close()
    with PlayerPool(level) as pool:
        for _ in range(2):  # a process made beforehand, and one made when it is asked for
            result = play(pool, BotVersion("tells", "6" * 64, "tells.py", "Bot", tells), resolve("random"), clock=clock)
            assert f"LIMIT {limit}\n" in result.seats[0].log


@pytest.mark.parametrize("level", [Level.L3, Level.L0], ids=str)
def test_a_bot_that_the_system_kills_is_not_to_blame_where_it_could_not_have_done_it_itself(level: Level) -> None:
    started(level).close()
    waits = "import time\nclass Bot:\n    def choose(self, view, clock): time.sleep(30)\n"
    with PlayerPool(level) as pool:
        killed = pool.seat(BotVersion("waits", "7" * 64, "waits.py", "Bot", waits))
        assert isinstance(killed, ProcessPlayer)
        choose = killed.choose

        def shot(view: View[State], clock: Clock) -> Move:
            assert killed._child is not None
            Timer(0.1, os.kill, (killed._child.pid, signal.SIGKILL)).start()
            return choose(view, clock)

        killed.choose = shot  # type: ignore[method-assign]  # just this player's
        players = [killed, pool.seat(resolve("random"))]
        if level is Level.L0:
            result = playing.play(players, clock=ClockSpec(), seed=3)
            assert result.seats[0].fault is not None
            assert result.seats[0].fault.kind is FaultKind.CRASH
        else:
            with pytest.raises(HostFaultError, match="was killed by the system"):
                playing.play(players, clock=ClockSpec(), seed=3)


def test_a_sealed_program_opens_devices() -> None:
    with started(Level.L3, preload=("engine.registry",)) as sandbox:
        script = "echo x >/dev/null && exec 3</dev/urandom 4</dev/zero 5</dev/null && echo opened"
        with sandbox.spawn_command(["sh", "-c", script], {}) as child:
            assert child.wait(60) is not None
            said = read_some(child.stdout_fd, 1) or b""
    assert said == b"opened\n"


def test_a_bot_imports_what_was_there_from_memory_and_its_modules_are_whole() -> None:
    code = """
import asyncio, csv, inspect, json.tool, traceback, wave
import xml.etree.ElementTree as tree
from bots import Clock, View, load_bot
from engine import records
class Bot:
    def __init__(self):
        load_bot("greedy")
        print("TREE", tree.fromstring("<a><b/></a>")[0].tag, len(asyncio.__all__) > 10, records.Fault.__name__)
    def choose(self, view, clock):
        return view.legal_moves[0]
"""
    for level in (Level.L3, Level.L2, Level.L1):
        started(level).close()
        with PlayerPool(level) as pool:
            result = play(pool, BotVersion("imports", "4" * 64, "imports.py", "Bot", code), resolve("random"))
        assert result.seats[0].fault is None, result.seats[0].fault
        assert "TREE b True Fault" in result.seats[0].log


ORDINARY = """
import pytest, sys
options = ["-p", "no:cacheprovider", "-p", "no:schemathesis", "-n", "0", "-q", "-x", "-rs", "--tb=short", "--basetemp", sys.argv[1]]
sys.exit(pytest.main([*options, *sys.argv[2:]]))
"""


@pytest.fixture
def ordinary() -> Iterator[Path]:
    """A folder of an ordinary user with an interpreter that this user may run; not in pytest's own folders, which it closes to others."""
    if os.geteuid() != 0:
        pytest.skip("this is an ordinary user already")
    name = f"python3.{sys.version_info.minor}"
    found = next((path for path in (f"/usr/bin/{name}", f"/usr/local/bin/{name}") if Path(path).exists()), None)
    if found is None or shutil.which("setpriv") is None:
        pytest.skip("there is no interpreter for all users, or no setpriv")
    with tempfile.TemporaryDirectory(prefix="arena-test-") as folder:
        home = Path(folder)
        subprocess.run([found, "-m", "venv", "--without-pip", home / "venv"], check=True)
        packages = home / "venv" / "lib" / name / "site-packages"
        shutil.rmtree(packages)
        packages.symlink_to(os.path.realpath(sysconfig.get_path("purelib")))
        shutil.chown(home, NOBODY, NOBODY)
        yield home


@pytest.mark.parametrize(
    "wanted",
    [
        ["tests/bots/sandbox/test_no_memory.py", "-k", "native or threads or harmless_devices or opens_devices or frozen or kernels_limit"],
        ["tests/bots/sandbox/test_hostile.py", "-k", "s48 or s49 or s50 or s08"],
    ],
    ids=["here", "hostile"],
)
def test_all_this_holds_for_an_ordinary_user(ordinary: Path, wanted: list[str]) -> None:
    root = str(HOSTILE.parents[1])
    python = str(ordinary / "venv" / "bin" / "python")
    as_nobody = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    command = [*as_nobody, python, "-c", ORDINARY, str(ordinary / "tests"), *wanted]
    environment = {"HOME": str(ordinary), "PYTHONPATH": root, "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(ordinary)}
    done = subprocess.run(command, cwd=root, env={"PATH": os.environ["PATH"]} | environment, capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
