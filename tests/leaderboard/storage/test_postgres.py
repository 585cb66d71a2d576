"""A database on a PostgreSQL server: up to date, locked, and one clear sentence for each one that can't be used."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from leaderboard.storage.database import StoreError, find_database
from leaderboard.storage.store import Store
from tests.leaderboard.conftest import entered, execute, result_of
from tests.postgres import Server, running_server

ROOT = Path(__file__).parents[3]


@pytest.fixture
def url(postgres: Server) -> str:
    """The address of a new database."""
    return postgres.new_database()


@pytest.fixture(scope="module")
def careful(postgres: Server) -> Iterator[Server]:
    """The server with a user who has a password."""
    postgres.execute("CREATE ROLE careful LOGIN PASSWORD 'open sesame'")
    yield postgres
    postgres.execute("DROP ROLE careful")


def refused(place: str) -> str:
    """The sentence with which a database is refused, to write and to read."""
    sentences = set()
    for opening in (Store.create, Store.read):
        with pytest.raises(StoreError) as caught:
            opening(place)
        sentences.add(str(caught.value))
    [sentence] = sentences
    assert "\n" not in sentence
    return sentence


def in_another_process(place: str, then: str = "") -> subprocess.CompletedProcess[str]:
    """Open to write elsewhere, and do something then."""
    code = f"""
        import os, signal, sys
        from leaderboard.storage.database import StoreError
        from leaderboard.storage.store import Store
        try:
            store = Store.create(sys.argv[1])
            {then or "store.__exit__()"}
        except StoreError as error:
            print(error)
    """
    return subprocess.run([sys.executable, "-c", dedent(code), place], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


class TestTables:
    def test_a_new_database_can_be_read(self, url: str) -> None:
        Store.create(url).__exit__()
        Store.read(url).__exit__()

    def test_one_with_other_tables_is_left_as_it_is(self, url: str) -> None:
        with Store.create(url) as store:
            execute(store, "ALTER TABLE bot ADD COLUMN colour text")
        assert "was created by a version of this program with different tables" in refused(url)


class TestLock:
    def test_another_run_is_kept_out(self, url: str) -> None:
        with Store.create(url) as store:
            said = in_another_process(url).stdout
            assert said == f"another run is writing to {store.name}; wait for it to end, or give this run a different database with --db\n"
        assert in_another_process(url).stdout == ""

    def test_a_run_that_was_killed_leaves_no_lock(self, url: str) -> None:
        assert in_another_process(url, "os.kill(os.getpid(), signal.SIGKILL)").returncode == -9
        Store.create(url).__exit__()


class TestRefusals:
    def test_a_reader_can_change_nothing(self, url: str) -> None:
        with Store.create(url) as store:
            entered(store)
        with Store.read(url) as store, pytest.raises(StoreError, match="you have only read access"):
            entered(store, "other")

    def test_a_user_who_may_not_write(self, postgres: Server, url: str) -> None:
        postgres.execute("CREATE ROLE guest LOGIN")
        with pytest.raises(StoreError, match=r"only read access to the database .*guest@"):
            Store.create(url.replace("arena@", "guest@"))
        postgres.execute("DROP ROLE guest")

    def test_no_server(self, tmp_path: Path) -> None:
        place = f"postgresql+psycopg://arena@/league?host={tmp_path}"
        assert refused(place) == f"no server answers at {find_database(place).name}; is PostgreSQL running there?"

    def test_no_such_database(self, postgres: Server) -> None:
        assert (
            refused(postgres.url("nothing"))
            == "there is no database 'nothing' on this machine; create it with: createdb -E UTF8 -T template0 nothing"
        )

    @pytest.mark.parametrize("user", ["careful:wr%40ng", "careful"])
    def test_a_wrong_password_is_not_printed(self, careful: Server, user: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PGPASSFILE", "/nowhere")
        sentence = refused(careful.url("postgres", user))
        assert "password" in sentence
        assert "~/.pgpass" in sentence
        assert "wr@ng" not in sentence
        assert "wr%40ng" not in sentence

    @pytest.mark.parametrize(
        ("place", "words"),
        [
            ("postgresql+psycopg://me:secret@host:port/x", "can't be read"),
            ("mysql://me:secret@host/x", "databases at 'mysql://' are not supported"),
            ("postgresql+psycopg://me:secret@host", "has no database name"),
        ],
    )
    def test_an_address_that_makes_no_sense(self, place: str, words: str) -> None:
        sentence = refused(place)
        assert words in sentence
        assert "secret" not in sentence

    def test_without_the_driver(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "psycopg", None)
        assert refused("postgresql+psycopg://arena@host/x") == (
            "a database on PostgreSQL needs the package psycopg: pip install 'psycopg[binary]'"
        )


@pytest.mark.slow
def test_a_server_that_goes_away_is_told_and_keeps_what_was_stored() -> None:
    with running_server() as server:
        url = server.new_database()
        with Store.create(url) as store:
            tournament = entered(store)
            server.stop()
            with pytest.raises(StoreError, match=r"the connection to .* was lost|no server answers"):
                store.add_results(tournament, [result_of("m1", ["ann", "bob"], [1, 2])])
            server.start()
        with Store.create(url) as store:
            assert store.tournament() == tournament
