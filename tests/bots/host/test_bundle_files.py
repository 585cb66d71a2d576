"""A bot opens the files that it travels with by their paths at every level, though it can open nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from bots.host.player_pool import PlayerPool
from bots.limits import Runtime
from bots.loader.in_memory import BundleFiles
from bots.loader.loading import identify
from tests.bots.conftest import WriteBot
from tests.bots.host.levels import BEST
from tests.bots.playing import TONGIAKI, play_random

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
REFUSED = """
import mmap
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent


class Bot:
    def start(self, info):
        for deed in (
            lambda: open(HERE / "bot.py", "w"),
            lambda: open(HERE / "bot.py", "r+b"),
            lambda: open(HERE / "nothing"),
            lambda: open(HERE),
            lambda: (HERE / "bot.py").iterdir().__next__(),
            lambda: np.fromfile(HERE / "bot.py"),
            lambda: np.load(HERE / "weights.npy", mmap_mode="r"),
        ):
            try:
                deed()
                print("done")
            except (OSError, ValueError) as error:
                print(type(error).__name__, error)

    def choose(self, view, clock):
        return view.legal_moves[0]
"""
NO_DESCRIPTOR = (
    "UnsupportedOperation a bot's files are in memory and have no descriptor: give the bytes that read() returns (see docs/adding-a-bot.md)"
)


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


def test_what_cant_be_done_with_them_says_so(with_numpy: PlayerPool, tmp_path: Path) -> None:
    place = lay_down(tmp_path / "walker", REFUSED)
    np.save(place / "weights.npy", np.zeros(3))

    assert play_random(with_numpy, identify(str(place))).seats[0].log.splitlines() == [
        "OSError [Errno 30] a bot's files can't be changed: 'bot.py'",
        "OSError [Errno 30] a bot's files can't be changed: 'bot.py'",
        "FileNotFoundError [Errno 2] the bot has no file: 'nothing'",
        "IsADirectoryError [Errno 21] Is a directory: ''",
        "NotADirectoryError [Errno 20] Not a directory: 'bot.py'",
        NO_DESCRIPTOR,
        NO_DESCRIPTOR,
    ]


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


@pytest.mark.slow  # it moves 90 MiB through a pipe
def test_a_large_bot_plays(tmp_path: Path, write_bot: WriteBot) -> None:
    place = tmp_path / "walker"
    place.mkdir()
    (place / "bot.py").write_text(
        "from pathlib import Path\nLARGE = len((Path(__file__).parent / 'large.bin').read_bytes())\n\nclass Bot:\n"
        "    def choose(self, view, clock):\n        assert LARGE == 60 << 20\n        return view.legal_moves[0]\n"
    )
    (place / "large.bin").write_bytes(bytes(60 << 20))
    runtime = Runtime(memory=1 << 30, bundle=64 << 20)

    with PlayerPool(BEST, game=TONGIAKI, runtime=runtime) as pool:
        assert play_random(pool, identify(str(place), most=runtime.most_bytes)).seats[0].fault is None
