"""The locks that SQLite holds on a database's file: nothing that this program does in the same process may drop them.

In POSIX, closing any descriptor of a file drops all locks that the process has on it (sqlite.org, "How To Corrupt", 2.2). Another process
that closes the database then believes to be its last user and removes the write-ahead log, into which this one goes on committing.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from threading import Event, Thread

import pytest

from leaderboard.errors import StoreError
from leaderboard.storage.database import is_being_written
from leaderboard.storage.people import people
from leaderboard.storage.store import Store
from tests.people import new_token

ROOT = Path(__file__).parents[3]

WRITER = """
    import sys
    from leaderboard.storage.store import Store
    from tests.people import new_token
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
        with pytest.raises(StoreError, match="another server takes submissions or plays tables in"):
            second.lock_server()
        unlock()
        second.lock_server()()
