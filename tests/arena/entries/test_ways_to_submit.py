"""Every kind of bot, submitted by the command to a file, by the command to a server and by the form of the page, is the same version."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from leaderboard.storage.store import Store
from leaderboard.storage.submissions import versions
from tests.arena.conftest import Run
from tests.arena.web.hosting import make_token, served, settings_for, sign_in

PYTHON = "class Bot:\n    def choose(self, view, clock): return view.legal_moves[-1]\n"
TWO_MODULES = {"bot.py": "from rest import pick\nclass Bot:\n    def choose(self, view, clock): return pick(view)\n"}
TWO_MODULES |= {"rest.py": "def pick(view): return view.legal_moves[0]\n"}
SHELL = r"""while read -r line; do
  case $line in
    '{"type":"match"'*) echo '{"type":"hello","protocol":1,"name":"shell","wants":["legal"]}' ;;
    '{"type":"decide"'*)
      token=${line#*'"token":"'}; move=${line#*'"legal":["'}
      echo "{\"type\":\"answer\",\"token\":\"${token%%\"*}\",\"move\":\"${move%%\"*}\"}" ;;
  esac
done
"""
EXAMPLES = Path(__file__).parents[3] / "examples"
QUICK = "openspiel:connect_four"
"""A game for bots that think for long at Tongiaki."""
_PATIENCE = 90.0
"""Seconds for one way on a busy machine."""
MODULE = (EXAMPLES / "wasm" / "c.wasm").read_bytes()


@dataclass(frozen=True)
class Kind:
    """A kind of bot: its files, and whether it is one ``file``, a ``folder``, or an archive (``zip``, ``gztar``)."""

    name: str
    form: str
    files: Mapping[str, str | bytes]
    game: str = "tongiaki"

    def write(self, folder: Path) -> Path:
        """Write it and return what a contestant names."""
        for name, content in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
        if self.form == "file":
            return folder / next(iter(self.files))
        return folder if self.form == "folder" else packed(folder, self.form)


KINDS = [
    Kind("python", "file", {"walker.py": PYTHON}),
    Kind("modules", "folder", TWO_MODULES | {"__pycache__/rest.pyc": "old"}),
    Kind("listed", "folder", {"mine.py": PYTHON, "notes.txt": "", "bot.toml": "class = 'mine:Bot'\nfiles = ['mine.py']\n"}),
    Kind("zipped", "zip", TWO_MODULES),
    Kind("tarred", "gztar", {"mine.py": PYTHON, "bot.toml": "class = 'mine:Bot'\n"}),
    Kind("command", "folder", {"bot.sh": SHELL, "README": "", "bot.toml": "command = ['sh', 'bot.sh']\nfiles = ['bot.sh']\n"}),
    Kind("packed-command", "zip", {"bot.sh": SHELL, "bot.toml": "name = 'shell'\ncommand = ['sh', 'bot.sh']\n"}),
    Kind("wasm", "file", {"walker.wasm": MODULE}, QUICK),
    Kind("wasm-folder", "folder", {"walker.wasm": MODULE, "walker.c": "", "bot.toml": "wasm = 'walker.wasm'\n"}, QUICK),
    Kind("packed-wasm", "zip", {"walker.wasm": MODULE, "walker.c": ""}, QUICK),
]


def packed(folder: Path, form: str) -> Path:
    return Path(shutil.make_archive(str(folder.parent / f"packed-{folder.name}"), form, folder.parent, folder.name))


@dataclass(frozen=True)
class Place:
    """Where bots are submitted to: a database, the server that has it open, and a contestant's token."""

    db: Path
    address: str
    token: str
    run: Run

    def digest(self, name: str) -> str:
        with Store.read(str(self.db)) as store:
            [found] = versions(store, name)
        return found.digest


@pytest.fixture
def place(tmp_path: Path, run: Run, kind: Kind) -> Iterator[Place]:
    db = tmp_path / "league.db"
    with Store.create(str(db)):
        token = make_token(db)
    with served(settings_for(db, trust_bots=True, games=tuple({"tongiaki", kind.game}))) as address:
        yield Place(db, address, token, run)


def by_file(place: Place, path: str, game: str) -> str:
    done = place.run("bots", "submit", path, "--name", "one", "--game", game, "--db", str(place.db), "--trust-bots", timeout=_PATIENCE)
    assert done.returncode == 0, done.stderr
    return place.digest("one")


def by_server(place: Place, path: str, game: str) -> str:
    done = place.run(
        "bots", "submit", path, "--name", "two", "--game", game, "--to", place.address, "--token", place.token, timeout=_PATIENCE
    )
    assert done.stdout.startswith("Accepted as two@1."), done.stdout + done.stderr
    return place.digest("two")


def by_form(place: Place, path: str, game: str) -> str:
    file = Path(path) if Path(path).is_file() else packed(Path(path), "zip")  # what a browser can send
    form = {"name": "three", "game": game}
    with httpx2.Client(base_url=place.address, headers={"origin": place.address}, timeout=30) as client:
        sign_in(client, place.token)
        sent = client.post("/submit", data=form, files={"file": (file.name, file.read_bytes())})
        assert sent.status_code == 303, re.sub("<[^>]*>", "", sent.text)
        until = time.monotonic() + _PATIENCE
        while "three@1" not in (page := client.get(sent.headers["location"]).text):
            assert time.monotonic() < until, page
            time.sleep(0.1)
    return place.digest("three")


WAYS: list[Callable[[Place, str, str], str]] = [by_file, by_server, by_form]


@pytest.mark.slow  # each waits for a server that checks the bot; those of WebAssembly need a game of the extra dev
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_bot_is_the_same_version_whichever_way_it_comes(kind: Kind, place: Place, tmp_path: Path) -> None:
    path = kind.write(tmp_path / "mine")
    digests = {way.__name__: way(place, str(path), kind.game) for way in WAYS}
    assert len({*digests.values()}) == 1, digests
