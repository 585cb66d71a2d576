"""New databases are what the models say; those of later revisions come up to date, wholly or not at all; older ones are refused."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlmodel import SQLModel

import leaderboard.storage.migrations
import leaderboard.storage.server_tables  # so that all tables are there
from leaderboard.storage.database import StoreError
from leaderboard.storage.migrations import upgrade
from leaderboard.storage.store import Store
from leaderboard.storage.tables import SCHEMA_VERSION

REVISION = """
import sqlalchemy as sa
from alembic import op

revision = "{number:04}"
down_revision = {before}


def upgrade():
    {change}
"""


def schema(path: Path) -> dict[str, str]:
    """The statement that makes each table and index, with its blanks evened out."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    return {name: " ".join(sql.split()) for name, sql in rows}


def differences(path: Path) -> list[object]:
    """What Alembic would change to make the database what the models say."""
    with Store.read(path) as store, store.reading() as connection:
        found: list[object] = compare_metadata(
            MigrationContext.configure(connection, opts={"compare_server_default": True}), SQLModel.metadata
        )
    return found


def test_the_models_say_the_number_of_the_newest_revision() -> None:
    script = ScriptDirectory(str(Path(leaderboard.storage.migrations.__file__).parent))
    assert script.get_current_head() == f"{SCHEMA_VERSION:04}"


def test_a_new_database_is_what_the_models_say(path: Path) -> None:
    Store.create(path).__exit__()
    assert differences(path) == []


def test_the_comparison_sees_what_differs(path: Path) -> None:
    Store.create(path).__exit__()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("ALTER TABLE bot ADD COLUMN colour VARCHAR")
        connection.commit()
    assert differences(path) != []


def test_a_later_revision_changes_the_tables_of_a_database_that_does_not_have_it(path: Path, tmp_path: Path) -> None:
    revisions = tmp_path / "revisions"
    revisions.mkdir()
    change = 'op.add_column("bot", sa.Column("colour", sa.String()))'
    (revisions / "first.py").write_text(REVISION.format(number=SCHEMA_VERSION, before=None, change="pass"))
    (revisions / "second.py").write_text(REVISION.format(number=SCHEMA_VERSION + 1, before=f'"{SCHEMA_VERSION:04}"', change=change))
    with Store.create(path) as store, store.writing() as connection:
        upgrade(connection, SCHEMA_VERSION, versions=revisions)
    assert "colour" in schema(path)["bot"]


@pytest.mark.parametrize("open_", [Store.create, Store.join, Store.read])
def test_one_from_before_the_first_release_is_refused_and_left_as_it_is(path: Path, open_: object) -> None:
    Store.create(path).__exit__()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE arena_schema SET version = 11")
    before = path.read_bytes()
    with pytest.raises(StoreError) as caught:
        open_(path)  # type: ignore[operator]
    assert str(caught.value) == (
        f"{path} was written by a version from before release 0.1.0 (tables 11), which this program can't read; "
        "play its tournaments again into another file, given with --db"
    )
    assert path.read_bytes() == before
