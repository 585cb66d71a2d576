"""``arena people``: links are shown once, and nothing holds the name of who was deleted."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.bots import find_bots
from arena.cli.app import app
from arena.play.executors.base import InlineExecutor
from arena.run.runner import run_tournament
from arena.spec.spec import SpecError, make_spec
from arena.tournament import stored_spec
from bots.loader.loading import identify
from bots.loader.version import pack
from leaderboard.storage.people import begin_session, make_token, people
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import submit
from tests.world import person, sent, tournament_of

NAME = "Zebedee Quux"
BOT = "class Bot:\n    def choose(self, view, clock):\n        return view.legal_moves[{number}]\n"


def arena(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == code, result.output
    return result.output


def cup(blocks: int = 1) -> dict[str, object]:
    filed, bens = {"name": "filed", "source": "filed.py", "author": NAME.upper()}, {"name": "bens", "source": "random", "author": "Ben"}
    bots = ["walker@1", filed, bens]
    return {"name": "cup", "game": "tongiaki", "seed": 7, "bots": bots, "schedule": {"tables": [2], "blocks": blocks}}


def play(store: Store, folder: Path, blocks: int = 1) -> None:
    spec = make_spec(cup(blocks), "cup.toml")
    run_tournament(spec, find_bots(spec, folder, store), store, InlineExecutor(), base=folder)


@pytest.fixture
def db(here: Path, made: Path) -> Path:
    """A copy of that competition."""
    shutil.copytree(made, here, dirs_exist_ok=True)
    return here / "cup.db"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A competition in which Zebedee has a submitted bot, a file of the host's, a submission that waits, and a session."""
    folder = tmp_path_factory.mktemp("people")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        make(folder)
    return folder


def make(folder: Path) -> None:
    Path("filed.py").write_text(BOT.format(number=0), encoding="utf-8")
    Path("walker.py").write_text(BOT.format(number=-1), encoding="utf-8")
    arena("people", "link", NAME, "Ben", "--db", "cup.db")
    with Store.create("cup.db") as store:
        zebedee, version = person(store, NAME), identify("walker.py", name="walker")
        submit(store, "walker", version.digest, zebedee, pack(version))
        sent(store, NAME, "runner", pack(version))
        assert begin_session(store, make_token(store, zebedee))
        play(store, folder)


def test_links_are_shown_once(here: Path) -> None:
    first = arena("people", "link", NAME, "Ben", "--db", "a.db", "--url", "https://arena.example.org/")
    links = re.findall(r"https://arena\.example\.org/my/sign-in#arena_[\w-]{43}$", first, re.MULTILINE)
    assert len(links) == 2
    listed = arena("people", "list", "--db", "a.db")
    assert NAME in listed
    assert "arena_" not in listed + arena("people", "list", "--db", "a.db", "--json")
    assert not any(link.rpartition("#")[2].encode() in Path("a.db").read_bytes() for link in links)
    [again] = json.loads(arena("people", "link", "ben", "--db", "a.db", "--json"))
    assert (again["name"], again["link"]) == ("Ben", again["token"])
    assert "Ben no longer has a link" in arena("people", "link", "Ben", "--revoke", "--db", "a.db")
    assert [each["linked"] is None for each in json.loads(arena("people", "list", "--db", "a.db", "--json"))] == [False, True]


@pytest.mark.parametrize("url", ["arena.example.org", "ftp://x", "https://", "https://x/?a=1", "https://x/#y"])
def test_a_link_needs_the_address_of_a_server(here: Path, url: str) -> None:
    assert "is not the address of a server" in arena("people", "link", "Ana", "--db", "a.db", "--url", url, code=2)
    assert not Path("a.db").exists()


def mentions(*places: Path) -> list[tuple[Path, str]]:
    """The files with the name in them."""
    files = [file for place in places for file in ([place] if place.is_file() else sorted(place.rglob("*"))) if file.is_file()]
    return [(path, word) for path in files for word in ("zebedee", "quux") if word.encode() in path.read_bytes().lower()]


def test_bots_whose_authors_turn_out_to_be_one_do_not_meet(db: Path) -> None:
    with Store.read(db) as store:
        tournament = tournament_of(store)
        assert (tournament.total, store.count_matches(tournament)) == (4, 4)


@pytest.mark.slow  # writes two sites
def test_nothing_holds_the_name_of_who_was_deleted(db: Path, here: Path) -> None:
    arena("export", "--db", "cup.db", "--bundle", "old.arena")
    arena("export", "--db", "cup.db", "--seals", "old.jsonl")
    arena("site", "cup.db", "old", "--no-replays")
    assert mentions(Path("old.arena")) == [], "not even before"
    assert mentions(Path("old")) != []
    shutil.copy("cup.db", "copy.db")
    assert {path.name for path, _ in mentions(here)} >= {"cup.db", "copy.db"}

    said = arena("people", "delete", NAME.lower(), "--why", "asked by mail", "--db", "cup.db")
    pseudonym = re.findall(r"Zebedee Quux is (former author [0-9a-f]{8}) now\.", said)[0]

    arena("verify", "cup.db")
    arena("verify", "old.arena")
    arena("export", "--db", "cup.db", "--bundle", "new.arena", "--with-bots")
    arena("verify", "new.arena")
    arena("verify", "cup.db", "--expect", "old.jsonl")
    arena("site", "cup.db", "new", "--no-replays")
    assert mentions(*(path for path in here.iterdir() if path.name not in {"old", "copy.db"})) == []
    commands = ("people list", "bots list", "bots list walker@1")
    shown = "".join(arena(*each.split(), "--db", "cup.db") for each in commands)
    assert "quux" not in shown.lower()
    assert shown.count(pseudonym) == 3
    assert any(pseudonym in path.read_text(encoding="utf-8") for path in Path("new").rglob("*.html"))


def test_the_file_of_a_tournament_brings_nobody_back(db: Path, here: Path) -> None:
    arena("people", "delete", NAME, "--why", "x", "--db", "cup.db")
    with Store.create(db) as store:
        before = store.tournament("cup")
        assert before is not None
        play(store, here)
        assert store.tournament("cup") == before
        assert [each.name for each in people(store) if each.deleted is None] == ["Ben"]
        play(store, here, blocks=2)
        after = store.tournament("cup")
        assert after is not None
        assert [bot.author for bot in stored_spec(after).bots] == [bot.author for bot in stored_spec(before).bots]
        assert "author" in before.spec
        assert "Ben" not in after.spec
        assert [each.name for each in people(store) if each.deleted is None] == ["Ben"]


def test_a_stored_bot_keeps_its_author(db: Path, here: Path) -> None:
    other = make_spec(cup() | {"bots": ["walker@1", "filed.py", {"name": "bens", "source": "random", "author": "Ana"}]}, "cup.toml")
    with Store.create(db) as store, pytest.raises(SpecError, match="the author of 'bens' is recorded as Ben, not Ana; leave 'author' out"):
        run_tournament(other, find_bots(other, here, store), store, InlineExecutor(), base=here)


def test_the_reason_may_not_hold_the_name(db: Path) -> None:
    why = f"{NAME.upper()} asked"
    assert "--why contains the name" in arena("people", "delete", NAME, "--why", why, "--db", "cup.db", code=2)
    assert "--why is empty" in arena("people", "delete", NAME, "--why", " ", "--db", "cup.db", code=2)
    assert NAME in arena("people", "list", "--db", "cup.db")
    assert "there is nobody called 'Zed'" in arena("people", "delete", "Zed", "--why", "x", "--db", "cup.db", code=2)


def test_during_a_run_rows_are_overwritten_and_the_rest_is_left_to_the_host(db: Path) -> None:
    with Store.create(db):
        said = arena("people", "delete", NAME, "--why", "x", "--db", "cup.db")
    assert "may still contain the name; when no run is in progress: sqlite3 cup.db vacuum" in said
    with Store.read(db) as store:
        assert not any(NAME in str(each) for each in people(store))
