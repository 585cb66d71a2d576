"""What a bot has beside itself: packages, games of packages, and the files of its folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from arena.bots import rehearse
from bots.errors import HostFaultError, SandboxError
from bots.host.packages import PackagesError, installed_versions
from bots.host.player_pool import PlayerPool
from bots.limits import Level, Runtime
from bots.loader.in_memory import BundleFiles
from bots.loader.loading import identify, resolve
from bots.loader.version import BotVersion
from bots.protocol import ClockSpec
from engine.core import Game
from engine.records import FaultKind, MatchResult
from tests.bots import playing
from tests.bots.conftest import WriteBot
from tests.bots.host.levels import each_level, each_locked_level
from tests.bots.playing import TONGIAKI, play_random
from tests.outside import race, three_in_a_row

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
        ("no-such-package", "the package 'no-such-package' is not installed; pip install no-such-package, or leave it out"),
        ("json", "'json' is in the standard library; leave it out"),
        ("PIL", "there is no package 'PIL'; give the package that provides the module 'PIL' instead: 'pillow'"),
        ("Tile.Arena", "'Tile.Arena' is this program, which every bot can import anyway; leave it out"),
    ],
)
def test_packages_that_bots_cant_have_are_refused_in_a_sentence(package: str, told: str) -> None:
    with pytest.raises(PackagesError) as caught:
        installed_versions(["numpy", package])

    assert str(caught.value) == told


CLOCK = ClockSpec(move=10.0)

FORGES = """
import os

class Bot:
    def __init__(self):
        os.write({fd}, b'{{"type":"error","kind":"game","detail":"it is the host"}}\\n')
    def choose(self, view, clock):
        return view.legal_moves[0]
"""


def play_racing(game: Game, pool: PlayerPool, *versions: BotVersion) -> MatchResult:
    return playing.play([pool.seat(version) for version in versions], game, CLOCK)


@each_level
@pytest.mark.parametrize("is_told", [True, False], ids=["told at the start", "told by the match"])
def test_a_bot_knows_the_games_of_packages_at_every_level(
    level: Level, is_told: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    game, other = three_in_a_row(monkeypatch), race(monkeypatch, tmp_path, "both")
    bots = resolve("random"), resolve("flat")
    with PlayerPool(Level.NONE) as pool:
        inside = play_racing(game, pool, *bots)
    with PlayerPool(level, game=game if is_told else None) as pool:
        outside = play_racing(game, pool, *bots)
        assert play_racing(other, pool, bots[0], bots[0]).end == "home"
        again = play_racing(game, pool, *bots)
    assert [seat.fault for seat in outside.seats] == [None, None]
    assert outside.replay == inside.replay == again.replay


@pytest.mark.slow  # prepares a sandbox
@each_level
def test_a_package_that_does_not_import_in_the_child_is_the_fault_of_the_host(
    level: Level, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LICENCE_OF_THE_GAME", "ours")
    game = race(monkeypatch, tmp_path, "licensed", top="import os; KEY = os.environ['LICENCE_OF_THE_GAME']")
    told = r"the game 'licensed' of tile-arena-licensed 1.0 works in the host's process, but not in a bot's: .*LICENCE_OF_THE_GAME.*ask"
    with PlayerPool(level) as pool, pytest.raises(HostFaultError, match=told):
        play_racing(game, pool, resolve("random"), resolve("random"))
    with PlayerPool(level, game=game) as pool, pytest.raises(SandboxError, match=told):
        rehearse([resolve("random")], game, pool)


def test_a_bot_cannot_blame_the_host(box: PlayerPool) -> None:
    for fd in (3, 4, 5, 6):
        faults = [seat.fault for seat in play_racing(playing.TONGIAKI, box, playing.written(FORGES.format(fd=fd)), resolve("random")).seats]
        assert {fault and fault.kind.value for fault in faults} <= {None, "crash", "protocol error"}


READS = """
import os
import pkgutil
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
BESIDE = os.path.dirname(os.path.abspath(__file__))


class Bot:
    def start(self, info):
        with open(HERE / "weights.npz", "rb") as file:
            assert file.read(2) == b"PK" and file.seekable() and file.name == "weights.npz"
        assert np.load(HERE / "weights.npz")["a"].tolist() == [1, 2, 3]
        assert np.load(os.path.join(BESIDE, "weights.npz"))["a"].sum() == 6
        assert np.loadtxt(HERE / "data" / "table.csv").tolist() == [4, 5]
        assert (HERE / "data" / "table.csv").read_text() == "4\\n5\\n" == (Path(__file__).resolve().parent / "data/table.csv").read_text()
        assert open(HERE / "data/../data/table.csv").readlines() == ["4\\n", "5\\n"]
        assert len((HERE / "weights.npz").read_bytes()) == os.path.getsize(HERE / "weights.npz") == (HERE / "weights.npz").stat().st_size
        assert (HERE / "weights.npz").exists() and (HERE / "weights.npz").is_file() and (HERE / "data").is_dir()
        assert not (HERE / "nothing").exists() and not os.path.exists(HERE / "data" / "nothing") and not (HERE / "data").is_file()
        assert sorted(os.listdir(HERE)) == ["bot.py", "data", "weights.npz"] and [p.name for p in HERE.iterdir()].count("data") == 1
        assert [p.name for p in HERE.glob("*.npz")] == ["weights.npz"] and [p.name for p in HERE.rglob("*.csv")] == ["table.csv"]
        assert pkgutil.get_data(__name__, "data/table.csv") == b"4\\n5\\n"
        print("read")

    def choose(self, view, clock):
        return view.legal_moves[0]
"""


def lay_down(folder: Path, source: str) -> Path:
    (folder / "data").mkdir(parents=True)
    (folder / "bot.py").write_text(source)
    (folder / "data" / "table.csv").write_text("4\n5\n")
    np.savez(folder / "weights.npz", a=np.array([1, 2, 3]))
    return folder


@pytest.mark.parametrize("is_archive", [False, True], ids=["folder", "archive"])
def test_files_are_opened_by_their_paths(with_numpy: PlayerPool, is_archive: bool, tmp_path: Path) -> None:
    place = lay_down(tmp_path / "walker", READS)
    if is_archive:
        place = Path(shutil.make_archive(str(tmp_path / "walker"), "zip", tmp_path, "walker"))

    seat = play_random(with_numpy, identify(str(place))).seats[0]

    assert (seat.fault, seat.log) == (None, "read\n")


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("<walker>/bot.py", "bot.py"),
        ("/<walker>/data/table.csv", "data/table.csv"),
        ("<walker>/data/..", ""),
        (Path("<walker>"), ""),
        ("<walker>", ""),
        ("<walker>/../bot.py", None),
        ("<walkers>/bot.py", None),
        ("bot.py", None),
        (b"<walker>/bot.py", None),
        (3, None),
        ("", None),
    ],
)
def test_only_paths_in_the_bots_folder_are_its_files(path: object, place: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")

    assert BundleFiles({"bot.py": b"", "data/table.csv": b""}, "<walker>").place_of(path) == place
