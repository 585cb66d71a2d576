"""Opening a database: what is refused, whose its files are, who may write, and that no password is ever printed."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from textwrap import dedent
from threading import Event, Thread

import pytest
from sqlalchemy import Engine, make_url
from typer.testing import CliRunner

from arena.cli.app import app
from leaderboard.storage import sqlite
from leaderboard.storage.database import StoreError, is_being_written
from leaderboard.storage.people import people
from leaderboard.storage.postgres import hide_secrets
from leaderboard.storage.sqlite import is_database
from leaderboard.storage.store import Store, StoredTournament
from tests.database_files import SYNCED, locks
from tests.leaderboard.conftest import BOTS, entered, result_of
from tests.world import new_token

ROOT = Path(__file__).parents[3]


def refused(path: Path, *, only: str = "") -> str:
    """The sentence with which a database is refused, to read and to write, and which leaves its folder as it was."""
    before = contents(path.parent)
    sentences = set()
    for opening in (Store.create, Store.read):
        if only in opening.__name__:
            with pytest.raises(StoreError) as caught:
                opening(path)
            sentences.add(str(caught.value))
    assert contents(path.parent) == before
    [sentence] = sentences
    assert "\n" not in sentence
    return sentence


def contents(folder: Path) -> dict[str, str]:
    """The names and hashes of the files in a folder."""
    if not folder.is_dir():
        return {}
    return {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in folder.iterdir() if each.is_file()}


def pragma(engine: Engine, name: str) -> object:
    """A setting of a connection of the engine."""
    with engine.connect() as connection:
        return connection.exec_driver_sql(f"PRAGMA {name}").scalar_one()


def python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", dedent(code), *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )


class TestSettings:
    def test_a_commit_survives_a_power_cut(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sqlite, "_TO_WRITE", SYNCED)
        with Store.create(path) as store:
            engine = store._engine
            assert pragma(engine, "journal_mode") == "wal"
            assert pragma(engine, "synchronous") == 2  # FULL
            assert pragma(engine, "foreign_keys") == 1
            assert pragma(engine, "busy_timeout") == 30000

    def test_a_reader_changes_nothing(self, path: Path) -> None:
        with Store.create(path) as store:
            entered(store)
        before = path.read_bytes()
        with Store.read(path) as store:
            assert store.tournament() is not None
        assert path.read_bytes() == before


class TestRefusals:
    def test_an_empty_file_has_nothing_to_read(self, path: Path) -> None:
        path.touch()
        assert "is not a database of this program" in refused(path, only="read")

    def test_a_database_of_another_program_is_left_as_it_is(self, path: Path) -> None:
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE things (name)")
        connection.commit()
        connection.close()
        assert refused(path) == f"{path} is not a database of this program; give a different one with --db"

    @pytest.mark.parametrize(
        "change", ["ALTER TABLE bot ADD COLUMN colour VARCHAR", "DROP TABLE session", "ALTER TABLE run DROP COLUMN place"]
    )
    def test_a_database_with_other_tables_is_left_as_it_is(self, path: Path, change: str) -> None:
        Store.create(path).__exit__()
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(change)
        before = path.read_bytes()
        assert refused(path) == (
            f"{path} was created by a version of this program with different tables; "
            "play its tournaments again, and store them in a new file with --db"
        )
        assert path.read_bytes() == before

    @pytest.mark.parametrize("kept", [16, 100, 5000, 20000])
    def test_a_truncated_database(self, path: Path, kept: int) -> None:
        what = "not a database of this program; give a different file with --db" if kept == 16 else "damaged or not a database: "
        with Store.create(path) as store:
            tournament = entered(store)
            store.add_results(tournament, [result_of(str(number), ["ann", "bob"], [1, 2]) for number in range(50)])
        path.write_bytes(path.read_bytes()[:kept])
        assert refused(path).startswith(f"{path} is {what}")

    def test_a_database_whose_pages_are_garbage(self, path: Path) -> None:
        with Store.create(path) as store:
            tournament = entered(store)
            store.add_results(tournament, [result_of(str(number), ["ann", "bob"], [1, 2]) for number in range(200)])
        data = bytearray(path.read_bytes())
        data[8192:] = b"\xa5" * (len(data) - 8192)
        path.write_bytes(bytes(data))
        with pytest.raises(StoreError, match=r"damaged|can't be used"):
            self.read_all(path, tournament)

    @staticmethod
    def read_all(path: Path, tournament: StoredTournament) -> None:
        with Store.read(path) as store:
            store.matches(str(number) for number in range(200))

    def test_no_such_folder(self, tmp_path: Path) -> None:
        path = tmp_path / "none" / "results.db"
        assert refused(path, only="create") == f"the folder {path.parent} for the database results.db does not exist; create it first"

    def test_no_such_file_to_read(self, path: Path) -> None:
        assert refused(path, only="read") == f"there is no database {path}; 'arena run SPEC --db {path}' creates one"
        for name in ("cup.db", "notes.txt"):
            (path.parent / name).touch()
        assert refused(path, only="read") == f"there is no database {path}; the same folder contains {path.parent / 'cup.db'}"

    def test_another_run_has_locked_it(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sqlite, "_LOCK_SECONDS", 0.0)
        with Store.create(path), pytest.raises(StoreError) as caught:
            Store.create(path)
        assert str(caught.value) == f"another run is writing to {path}; wait for it to end, or give this run a different file with --db"
        Store.create(path).close()

    @pytest.mark.slow  # kills a process
    def test_a_run_that_was_killed_leaves_no_lock(self, path: Path) -> None:
        code = """
            import os, signal, sys
            from pathlib import Path
            from leaderboard.storage.store import Store
            Store.create(Path(sys.argv[1]))
            os.kill(os.getpid(), signal.SIGKILL)
        """
        assert python(code, str(path)).returncode == -9
        with Store.create(path) as store:
            assert store.tournament() is None


AS_ANOTHER_USER = """
    import os, sys
    from pathlib import Path
    import sqlalchemy.dialects.sqlite.pysqlite
    from leaderboard.storage.database import StoreError
    from leaderboard.storage.store import Store
    folder = Path(sys.argv[1])
    for opening in (Store.create, Store.read):
        opening(folder / "warm.db").__exit__()  # whatever is still to be imported, a user without rights could not read
    (folder / "warm.db").unlink()
    (folder / "warm.db.lock").unlink()
    folder.chmod(int(sys.argv[2], 8))
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    for name in sys.argv[3:]:
        for opening in (Store.create, Store.read):
            try:
                with opening(folder / name) as store:
                    print(store.tournament_names())
            except StoreError as error:
                print(error)
    with Store.read(folder / "live" / "results.db") as store:
        for _ in range(2):
            print(store.tournament_names(), flush=True)
            sys.stdin.readline()
"""


class TestRights:
    """Root may do anything, so these run as nobody when the tests run as root."""

    @pytest.fixture
    def shared(self) -> Path:
        """A folder that other users can reach, unlike pytest's own."""
        import tempfile

        return Path(tempfile.mkdtemp(prefix="arena-rights-"))

    @pytest.fixture(autouse=True)
    def removed(self, shared: Path) -> object:
        import shutil

        yield
        shared.chmod(0o700)
        shutil.rmtree(shared)

    def test_another_user_is_told_what_may_not_be_written_or_read_and_sees_what_is_written_later(self, shared: Path) -> None:
        readable, unreadable, missing = paths = [shared / f"{name}.db" for name in ("readable", "unreadable", "missing")]
        live = shared / "live" / "results.db"
        live.parent.mkdir()
        for path, mode in ((readable, 0o444), (unreadable, 0o000), (live, 0o644)):
            with Store.create(path) as store:
                entered(store)
            path.chmod(mode)
        live.with_name("results.db.lock").chmod(0o644)
        before = sorted(shared.iterdir())
        rights = "755" if os.getuid() == 0 else "555"
        command = [sys.executable, "-c", dedent(AS_ANOTHER_USER), str(shared), rights, *(path.name for path in paths)]
        with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
            assert other.stdout is not None
            assert other.stdin is not None
            said = [other.stdout.readline().rstrip() for _ in range(7)]
            with Store.create(live) as store:
                entered(store, "later")
                other.stdin.write("again\n")
                other.stdin.flush()
                later = other.stdout.readline()
        assert said[:6:2] == [f"you have only read access to the database {path}; give a different file with --db" for path in paths]
        assert said[1:4:2] == ["('trial',)", f"the database {unreadable} can't be read: Permission denied"]
        assert said[5].startswith(f"there is no database {missing}; ")
        assert (said[6], later) == ("('trial',)", "('trial', 'later')\n")
        assert sorted(shared.iterdir()) == before


def test_a_snapshot_reads_what_was_stored_when_it_began(path: Path) -> None:
    with Store.create(path) as writer, Store.read(path) as reader:
        tournament = entered(writer)
        writer.add_results(tournament, [result_of("m1", BOTS, (1, 2, 3, 4))])
        with reader.snapshot():
            assert reader.count_matches(tournament) == 1
            writer.add_results(tournament, [result_of("m2", BOTS, (1, 2, 3, 4))])
            assert reader.count_matches(tournament) == 1
            assert set(reader.matches(["m1", "m2"])) == {"m1"}
        assert reader.count_matches(tournament) == 2


ADDRESSES = [
    "postgresql+psycopg://ana:hunter2@{host}/cup",
    "postgresql+psycopg://ana@{host}/cup?password=hunter2",
    "postgresql+psycopg://ana@{host}/cup?password=hunter2&password=hunter2",
    "postgresql+psycopg://ana@{host}/cup?PASSWORD=hunter2",
    "postgresql+psycopg://ana@{host}/cup?sslpassword=hunter2&sslkey=/hunter2&passfile=/hunter2",
    "postgresql+psycopg://ana@{host}/cup?port=hunter2",
    "postgresql+psycopg://ana@{host}/cup?options=-c%20x=hunter2",
    "postgresql+psycopg://ana@{host}/cup?service=hunter2",
    "postgresql+psycopg://ana:x@hunter2@{host}/cup",
    "postgresql+psycopg://ana@{host}/cup%3Fpassword=hunter2",
    "postgresql:/ana:hunter2@{host}/cup",
    "postgresql+psycopg://ana:hunter2@{host}:port/cup",
    "mysql://ana:hunter2@{host}/cup",
]

COMMANDS = [
    ["leaderboard", "--db"],
    ["status", "--db"],
    ["bots", "--db"],
    ["replay", "abc", "--db"],
    ["verify"],
    ["export", "--seals", "s", "--db"],
]


@pytest.mark.parametrize(
    ("address", "command"), [(each, COMMANDS[0]) for each in ADDRESSES] + [(ADDRESSES[1], each) for each in COMMANDS[1:]], ids=str
)
def test_no_command_prints_it(address: str, command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaderboard.storage.postgres._CONNECT_SECONDS", 2)
    done = CliRunner().invoke(app, [*command, address.format(host="127.0.0.1:9")])

    assert done.exit_code != 0
    assert isinstance(done.exception, SystemExit)
    if "port=hunter2" not in address:  # what is no secret may be quoted as wrong
        assert "hunter2" not in done.stdout + done.stderr


def test_an_error_of_the_store_has_no_password_either() -> None:
    with pytest.raises(StoreError) as error:
        Store.create("postgresql+psycopg://ana@127.0.0.1:9/cup?password=hunter2&connect_timeout=1")
    assert "hunter2" not in str(error.value)
    assert "password=***" in str(error.value)


WRITER = """
    import sys
    from leaderboard.storage.store import Store
    from tests.world import new_token
    path, opening = sys.argv[1:]
    Store.create(path).close()
    store = getattr(Store, opening)(path)
    new_token(store, "0")
    Store.read(path).close()
    Store.join(path).close()
    print("open", flush=True)
    sys.stdin.readline()
    for number in range(1, 6):
        new_token(store, str(number))
    print("written", flush=True)
    sys.stdin.readline()
"""


@pytest.mark.sampled(1)  # each starts processes that open the database
@pytest.mark.parametrize("opening", ["create", "join"])
def test_no_row_is_lost_when_a_writer_opens_its_database_again(path: Path, opening: str) -> None:
    command = [sys.executable, "-c", dedent(WRITER), str(path), opening]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdin is not None
        assert writer.stdout.readline() == "open\n"
        with Store.read(path) as store:
            assert [each.name for each in people(store)] == ["0"]
        writer.stdin.write("go on\n")
        writer.stdin.flush()
        assert writer.stdout.readline() == "written\n"
        writer.kill()
    with Store.read(path) as store:
        assert [each.name for each in people(store)] == ["0", "1", "2", "3", "4", "5"]


def test_a_run_that_starts_is_not_refused_because_somebody_asks_whether_one_goes_on(path: Path) -> None:
    Store.create(path).close()
    is_over = Event()

    def ask() -> None:
        while not is_over.is_set():
            is_being_written(path)

    asker = Thread(target=ask)
    asker.start()
    try:
        for _ in range(10):
            Store.create(path).close()
    finally:
        is_over.set()
        asker.join()


def test_a_token_is_made_while_a_run_makes_the_tables(path: Path) -> None:
    with Store.create(path) as run:
        assert is_being_written(path)
        with Store.join(path, creates=True) as store:
            new_token(store, "Ana")
        assert [each.name for each in people(run)] == ["Ana"]


def test_a_database_has_one_server_that_changes_it(place: str) -> None:
    Store.create(place).close()
    with Store.join(place) as first, Store.join(place) as second:
        unlock = first.lock_server()
        with pytest.raises(StoreError, match="another server is taking submissions or running games in"):
            second.lock_server()
        unlock()
        second.lock_server()()


@pytest.mark.parametrize(
    "said",
    [
        "bad dsn: host=db password=hunter2 user=ana",
        "bad dsn: host=db password = 'hunter2 and more'",
        "can't use postgresql://ana:hunter2@db/cup?x=1",
        "can't use postgresql://db/cup?user=ana&password=hunter2&x=1",
        "the key sslpassword=hunter2 does not fit",
        "'s3cret/@ x' is no password, nor is s3cret%2F%40%20x, nor s3cret%2F%40+x",
        "PGPASSWORD is fromenv",
    ],
)
def test_what_a_driver_says_is_cleaned(said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", "fromenv")
    url = make_url("postgresql+psycopg://ana@db/cup").set(password="s3cret/@ x")  # noqa: S106  # a test's

    cleaned = hide_secrets(said, url)

    assert "***" in cleaned
    for secret in ("hunter2", "s3cret", "fromenv", "more'"):
        assert secret not in cleaned


@pytest.mark.skipif(not Path("/proc/self/fdinfo").exists(), reason="only Linux says which locks a process has")
def test_a_lock_that_is_dropped_is_noticed(path: Path) -> None:
    with Store.create(path):
        before = locks(path)
        path.open("rb").close()
        assert locks(path) != before
        assert is_database(path)
