"""No page, viewer document or command says "seat 2" or "player 2" where it knows a name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from arena.cli.app import app
from benchmarks.web_data import kinds_of_pages, make_database
from tests.arena.web.competition import visitor

NUMBERED = re.compile(r"\b(?:seat|player) (?:\d|no\b)[^<]{0,40}", re.IGNORECASE)
OF_ALL_SEATS = ("API", "rules", "rules of Sunda", "all rules", "help", "play")
"""Pages that speak of seats and players without knowing any."""


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("names") / "names.db"
    make_database(path, bots=6)
    return path


@pytest.fixture(scope="module")
def client(db: Path) -> Iterator[TestClient]:
    with visitor(db, allow_play=True, allow_submissions=True) as found:
        yield found


def words_of(page: str) -> str:
    """What a page shows or tells a screen reader: its text and the attributes that are read out; not its filters and numbers of seats."""
    without = re.sub(r"<(script|style|select)\b.*?</\1>", " ", page, flags=re.DOTALL)
    without = re.sub(r'<span class="chip [^>]*>\d</span>', " ", without)  # the number beside a name
    told = re.findall(r'(?:aria-label|title|alt|content)="([^"]*)"', without)
    return unescape("\n".join([re.sub(r"<[^>]+>", "\n", without), *told]))


def test_no_page_has_a_seats_number_for_a_name(client: TestClient, db: Path) -> None:
    found: dict[str, list[str]] = {}
    for kind, address in kinds_of_pages(db).items():
        if kind not in OF_ALL_SEATS:
            numbered = NUMBERED.findall(words_of(client.get(address).text))
            found |= {kind: numbered} if numbered else {}
    assert found == {}


@pytest.mark.parametrize("kind", ["match", "match of Sunda"])
def test_no_viewer_document_and_no_command_has_one(client: TestClient, db: Path, kind: str) -> None:
    match = kinds_of_pages(db)[kind].removeprefix("/m/")
    document = client.get(f"/m/{match}/viewer.json").text
    printed = [CliRunner().invoke(app, ["replay", match, "--db", str(db), *more]) for more in ([], ["--at", "5"])]

    assert [done.exit_code for done in printed] == [0, 0]
    assert NUMBERED.findall(document) == []
    assert [NUMBERED.findall(done.stdout) for done in printed] == [[], []]
