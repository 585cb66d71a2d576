"""A database made by any earlier version comes up to date with all that is in it, wholly or not at all."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, event
from sqlmodel import SQLModel

import leaderboard.storage.migrations
from leaderboard.ratings.results_fold import is_milestone
from leaderboard.storage.database import StoreError, upgrade_database
from leaderboard.storage.store import Store
from leaderboard.storage.tables import SCHEMA_VERSION
from tests.leaderboard.conftest import entered, result_of
from tests.stored import points_of

DUMP = Path(__file__).parent / "databases" / "version1.sql"


@pytest.fixture
def old(path: Path) -> Path:
    """A database as version 0.1.0 left it: two matches of ``random`` and ``greedy``."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(DUMP.read_text(encoding="utf-8"))
    return path


def baseline(path: Path) -> None:
    """A database made by the first revision alone, as a program that knew no other would have made it."""
    with Store.create(path.with_name("other.db")):
        pass
    from leaderboard.storage.backends.sqlite import SqliteFile

    engine = SqliteFile(path).engine(to_write=False)
    with engine.begin() as connection:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        leaderboard.storage.migrations.migrate(connection, target="0001")
        connection.exec_driver_sql("INSERT INTO arena_schema VALUES (1)")
    engine.dispose()


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


def test_the_first_revision_is_what_version_0_1_0_made(old: Path, tmp_path: Path) -> None:
    first = tmp_path / "first.db"
    baseline(first)
    made = schema(first)
    del made["alembic_version"]
    with closing(sqlite3.connect(first)) as new, closing(sqlite3.connect(old)) as before:
        for table in schema(old):
            for what in ("table_info", "foreign_key_list", "index_list"):
                ask = f"SELECT * FROM pragma_{what}(?) ORDER BY 2, 1"  # noqa: S608  # our own three words
                assert new.execute(ask, (table,)).fetchall() == before.execute(ask, (table,)).fetchall(), (table, what)
    assert set(made) == set(schema(old))


def test_an_older_database_is_upgraded_when_a_run_opens_it(old: Path) -> None:
    with Store.create(old) as store:
        tournament = store.tournament()
        assert tournament is not None
        assert store.count_matches(tournament) == 2
        [first, _] = store.recent_matches(tournament)
        assert '"format":"arena-replay/1"' in store.replay(first.id)
        assert [point.number for point in points_of(store, tournament, "random")] == [1, 2]
        assert store.standings(tournament) == (0, ())
        store.add_results(tournament, [result_of("m1", ["random", "greedy"], [1, 2])])
    assert differences(old) == []


def test_so_is_one_that_the_first_revision_made(path: Path) -> None:
    baseline(path)
    with Store.create(path) as store:
        entered(store)
    assert differences(path) == []


def test_a_reader_leaves_it_as_it_is_and_says_what_upgrades_it(old: Path) -> None:
    before = old.read_bytes()
    with pytest.raises(StoreError) as caught:
        Store.read(old)
    assert str(caught.value) == (
        f"{old} was made by an older version of this program (tables 1, needed {SCHEMA_VERSION}); "
        f"upgrade it with: arena db upgrade --db {old}"
    )
    assert old.read_bytes() == before


def test_upgrading_says_from_what_to_what(old: Path) -> None:
    assert upgrade_database(old) == (1, SCHEMA_VERSION)
    assert upgrade_database(old) == (SCHEMA_VERSION, SCHEMA_VERSION)
    with Store.read(old) as store:
        assert store.tournament_names() == ("old",)


def test_of_old_ratings_those_stay_that_a_run_would_keep(old: Path) -> None:
    with closing(sqlite3.connect(old)) as connection, connection:
        [row] = connection.execute("SELECT tournament_id, bot_version_id, match_id, mu, sigma FROM rating LIMIT 1")
        connection.execute("DELETE FROM rating")
        tournament, version, *more = row
        rows = [(tournament, version, number, *more) for number in range(1, 5000)]
        connection.executemany("INSERT INTO rating VALUES (?, ?, ?, ?, ?, ?)", rows)
    upgrade_database(old)
    with closing(sqlite3.connect(old)) as connection:
        left = [number for (number,) in connection.execute("SELECT number FROM rating ORDER BY number")]
    assert left == [number for number in range(1, 5000) if is_milestone(number)]


def test_there_is_nothing_to_upgrade_where_there_is_no_database(path: Path) -> None:
    with pytest.raises(StoreError, match="there is no database"):
        upgrade_database(path)
    assert not path.exists()


def killed_after(path: Path, changes: int) -> int:
    """Open a database to write in a fork of this process that is killed after so many changing statements; gives its exit code."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    left = changes

    def count(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        nonlocal left
        if statement.split(maxsplit=1)[0] in {"ALTER", "CREATE", "INSERT", "UPDATE", "DELETE"}:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    code = 1
    try:
        event.listen(Engine, "after_cursor_execute", count)
        Store.create(path).__exit__()
        code = 0
    finally:
        os._exit(code)


@pytest.mark.slow
@pytest.mark.parametrize("begin", [lambda _path: None, baseline], ids=["a new database", "an upgrade"])
def test_killed_in_the_middle_it_is_old_or_new(path: Path, begin: Callable[[Path], None]) -> None:
    states = []
    changes = 1
    while True:
        for each in path.parent.glob(f"{path.name}*"):
            each.unlink()
        begin(path)
        before = schema(path) if path.exists() else {}
        code = killed_after(path, changes)
        after = schema(path)
        if code == 0:
            break
        assert code == -9
        states.append("old" if after == before else "new")
        assert after == before or differences(path) == []
        Store.create(path).__exit__()
        assert differences(path) == []
        changes += 3  # nearly all statements are alike
    assert changes > 9, "no statement was interrupted"
    assert "old" in states
