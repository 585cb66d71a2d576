"""Bots of several files: what is a bot, and what is refused by name, bombs, links and paths outside included."""

from __future__ import annotations

import os
import stat
import zipfile
from pathlib import Path

import pytest

from bots.errors import BotError
from bots.host.player_pool import PlayerPool
from bots.loader.archive import LARGEST_FILE, MOST_FILES
from bots.loader.loading import identify, resolve
from bots.loader.version import pack, unpack
from tests.bots.playing import play_random

BOT = "from helpers import pick\nclass Bot:\n    def choose(self, view, clock): return pick(view.legal_moves)\n"
HELPERS = """\
import pkgutil

WEIGHT = int(pkgutil.get_data(__name__, "weights.txt"))


def pick(moves):
    return moves[min(WEIGHT, len(moves) - 1)]
"""
FILES = {"bot.py": BOT, "helpers.py": HELPERS, "weights.txt": "1"}


def folder(path: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    return path


def refused(path: Path) -> str:
    with pytest.raises(BotError) as error:
        identify(str(path))
    assert str(path) in str(error.value)
    return str(error.value).removeprefix(f"the bot {path}: ")


def test_a_folder_of_modules_plays_with_its_data(tmp_path: Path, own_process: PlayerPool) -> None:
    version = identify(str(folder(tmp_path / "mine", FILES)))
    assert (version.name, version.module, version.class_name) == ("mine", "bot", "Bot")
    assert play_random(own_process, version).seats[0].fault is None
    assert unpack(pack(version)) == version


def test_the_content_decides_the_version(tmp_path: Path) -> None:
    one = identify(str(folder(tmp_path / "one", FILES)))
    same = identify(str(folder(tmp_path / "two", FILES)))
    other = identify(str(folder(tmp_path / "three", FILES | {"weights.txt": "2"})))
    assert one.digest == same.digest != other.digest


def test_an_archive_is_the_same_bot_as_its_folder(tmp_path: Path) -> None:
    mine = folder(tmp_path / "mine", FILES)
    archive = tmp_path / "mine.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for name in FILES:
            file.write(mine / name, f"mine/{name}")
    assert identify(str(archive)).digest == identify(str(mine)).digest


@pytest.mark.parametrize(
    ("manifest", "words"),
    [
        ("comand = ['./x']", "unknown key 'comand'; did you mean 'command'?"),
        ("zzz = 1", "unknown key 'zzz'; the keys are name, class, command, wasm, files"),
        ("build = 'c'\ncommand = ['./bot']", "unknown key 'build'"),
        ("command = ['nodee', 'bot.js']", "the command 'nodee' is neither a file of the bot nor a program on this machine"),
        ("command = ['/bin/sh']", "the command '/bin/sh' is neither"),
        ("command = './bot'", "'command' must be a list of words"),
        ("command = ['./bot']\nclass = 'bot:Bot'", "give exactly one of 'command'"),
        ("name = 'x'", "give exactly one of 'command'"),
        ("class = 'bot'", "'class' must be module:Class"),
        ("class = 'nothing:Bot'", "nothing.py, which is not among the bot's files"),
        ("class = 'bot:Bot'\nfiles = ['bot.py', 'gone.py']", "the file 'gone.py' does not exist; does it have to be built first?"),
        ("class = 'bot:Bot'\nfiles = 'bot.py'", "'files' must be a list of paths"),
        ("class = ", "is not valid TOML"),
    ],
)
def test_a_manifest_that_is_wrong_is_refused_by_what_is_wrong(tmp_path: Path, manifest: str, words: str) -> None:
    assert words in refused(folder(tmp_path / "mine", FILES | {"bot.toml": manifest}))


def test_links_in_a_folder_are_refused(tmp_path: Path) -> None:
    mine = folder(tmp_path / "mine", FILES)
    (mine / "passwd").symlink_to("/etc/passwd")
    assert "'passwd' is a link or a special file" in refused(mine)
    (mine / "passwd").unlink()
    os.mkfifo(mine / "pipe")
    assert "'pipe' is a link or a special file" in refused(mine)


@pytest.mark.parametrize("name", ["../evil.py", "/etc/evil.py", "a/../../evil.py", "a\\..\\evil.py"])
def test_a_path_outside_is_refused(tmp_path: Path, name: str) -> None:
    archive = tmp_path / "mine.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("bot.py", BOT)
        file.writestr(name, "x = 1")
    assert "is not a path inside the bot" in refused(archive)
    assert not (tmp_path.parent / "evil.py").exists()


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["data", "data/moves"], "data occurs both as a file and as a folder"),
        (["data/moves/one", "data/moves"], "data/moves occurs both as a file and as a folder"),
        (["x" * 201], "x'... is longer than 200 bytes"),
        (["\N{LATIN SMALL LETTER A WITH DIAERESIS}" * 101], "is longer than 200 bytes"),
    ],
)
def test_what_no_folder_can_hold_is_refused(tmp_path: Path, names: list[str], words: str) -> None:
    archive = tmp_path / "mine.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for name in ("bot.py", *names):
            file.writestr(name, BOT)
    assert words in refused(archive)


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO])
def test_links_and_devices_in_archives_are_refused(tmp_path: Path, kind: int) -> None:
    archive = tmp_path / "mine.zip"
    with zipfile.ZipFile(archive, "w") as file:
        link = zipfile.ZipInfo("bot.py")
        link.external_attr = (kind | 0o777) << 16
        file.writestr(link, "/etc/passwd")
    assert "'bot.py' is a link or a special file" in refused(archive)


@pytest.mark.slow
def test_bombs_are_refused_before_they_are_unpacked(tmp_path: Path) -> None:
    archive = tmp_path / "bomb.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("bot.py", b"#" * (LARGEST_FILE + 1))
    assert "is larger than 16 MiB" in refused(archive)
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for number in range(3):
            file.writestr(f"{number}.py", b"#" * (LARGEST_FILE - 1))
    assert "its files are larger than 32 MiB" in refused(archive)
    archive = tmp_path / "many.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for number in range(MOST_FILES + 1):
            file.writestr(f"{number}.txt", "")
    assert f"it has more than {MOST_FILES} files" in refused(archive)


def test_what_is_no_archive_and_what_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "mine.zip"
    path.write_bytes(b"this is no archive" * 100)
    assert "it is not a readable archive" in refused(path)
    assert "there is no such file" in refused(tmp_path / "gone.zip")


def test_a_bot_of_several_files_does_not_play_in_the_hosts_process(tmp_path: Path) -> None:
    with pytest.raises(BotError, match=r"has several files, so it can't play in the host's process; .* or name its class: PYTHONPATH="):
        resolve(str(folder(tmp_path / "mine", FILES)))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("raise SystemExit\n", "has no class with a method"),
        ("class A:\n    def choose(self): pass\nclass B(A):\n    pass\n", "several bots; choose one: bot.py:A or bot.py:B"),
        ("class A:\n    pass\n", "its class A lacks the method"),
        ("def (\n", "(line 1)"),
        ("x = " + "(" * 5000, "the bot"),
    ],
)
def test_a_strangers_file_is_read_and_never_run(tmp_path: Path, source: str, words: str) -> None:
    path = tmp_path / "bot.py"
    path.write_text(source)
    with pytest.raises(BotError) as error:
        identify(str(path))
    assert words in str(error.value)
