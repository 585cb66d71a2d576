"""The pages of a league that is kept on a PostgreSQL server are those of the same league in a file."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import delete, insert, select
from sqlmodel import SQLModel

from arena.run.host_status import find_host_status
from leaderboard.storage.database import Database
from leaderboard.storage.store import Store
from tests.arena.web.competition import make_competition, visitor
from tests.arena.web.pages.test_pages import PAGES, T, listed
from tests.postgres import Server

OVER = T.replace("/t/", "/api/v1/tournaments/")
API = ("/api/v1/tournaments", *(OVER + each for each in ("", "/standings", "/head-to-head", "/matches")))
CHANGING = re.compile(r"\b(just now|\d+ \w+ ago)\b")
"""How long ago something was, when it was asked."""


def copy_rows(source: Path, target: str) -> None:
    """Fill an empty database with all rows of another."""
    with Database.read(source) as old, Database.create(target) as new, old.reading() as reading, new.writing() as writing:
        for table in SQLModel.metadata.sorted_tables:
            writing.execute(delete(table))  # the tables' own version is there
            rows = [dict(row) for row in reading.execute(select(table)).mappings()]
            if rows:
                writing.execute(insert(table), rows)


def test_every_page_says_the_same_from_a_server_as_from_a_file(tmp_path: Path, postgres: Server) -> None:
    file, place = make_competition(tmp_path), postgres.new_database()
    copy_rows(file, place)
    with visitor(file) as by_file, visitor(place) as by_server:
        matches = listed(by_file.get(f"{T}/matches").text)
        assert matches
        for address in (*PAGES, *API, *(f"/m/{match}" for match in matches[:3])):
            expected, found = by_file.get(address), by_server.get(address)
            assert (expected.status_code, found.status_code) == (200, 200), address
            assert CHANGING.sub("", found.text) == CHANGING.sub("", expected.text), address


def test_the_state_of_a_database_is_the_same_on_a_server_as_in_a_file(tmp_path: Path, postgres: Server) -> None:
    file, place = make_competition(tmp_path), postgres.new_database()
    copy_rows(file, place)
    now = datetime.now(UTC)
    with Store.read(file) as by_file, Store.read(place) as by_server:
        expected, found = find_host_status(by_file, now), find_host_status(by_server, now)
    assert replace(found, database=expected.database, space=expected.space) == expected
    assert expected.matches
    assert expected.run is not None
