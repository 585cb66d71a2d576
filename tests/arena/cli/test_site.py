"""``arena site``: what it prints, and its exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from arena.cli.app import app
from tests.arena.web.hosting import LADDER, make_ladder


@pytest.fixture
def db(here: Path) -> str:
    make_ladder(here / "league.db", rounds=1)
    return "league.db"


@pytest.mark.slow  # a whole site
def test_it_says_how_many_files_of_what_size_and_where_to_start(db: str) -> None:
    done = CliRunner().invoke(app, ["site", db, "public", "--no-replays", "--tournament", LADDER])

    files = [each for each in Path("public").rglob("*") if each.is_file() and each.name != ".arena-site"]
    assert done.exit_code == 0
    assert done.stdout.startswith(f"Wrote {len(files)} files, ")
    assert done.stdout.endswith("kB; start at public/index.html\n")


def test_a_tournament_that_there_is_not_is_one_sentence(db: str) -> None:
    done = CliRunner().invoke(app, ["site", db, "public", "--tournament", "cup"])

    assert (done.exit_code, done.stderr) == (2, f"error: there is no tournament 'cup' in league.db; its tournaments are {LADDER}\n")


def test_ctrl_c_says_that_there_is_no_site(db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("arena.web.static_site.write_site", interrupt)

    done = CliRunner().invoke(app, ["site", db, "public"])

    assert (done.exit_code, done.stderr) == (130, "error: interrupted; no site was written, and public is unchanged\n")
