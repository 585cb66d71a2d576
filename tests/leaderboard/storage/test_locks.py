"""The locks that SQLite holds on a database's file: nothing that this program does in the same process may drop them.

In POSIX, closing any descriptor of a file drops all locks that the process has on it (sqlite.org, "How To Corrupt", 2.2). Another process
that closes the database then believes to be its last user and removes the write-ahead log, into which this one goes on committing.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from leaderboard.storage.store import Store
from leaderboard.storage.tokens import tokens

ROOT = Path(__file__).parents[3]

WRITER = """
    import sys
    from leaderboard.storage.store import Store
    from leaderboard.storage.tokens import new_token
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


@pytest.mark.parametrize("opening", ["create", "join"])
def test_no_row_is_lost_when_a_writer_opens_its_database_again(path: Path, opening: str) -> None:
    command = [sys.executable, "-c", dedent(WRITER), str(path), opening]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdin is not None
        assert writer.stdout.readline() == "open\n"
        with Store.read(path) as store:
            assert [each.author for each in tokens(store)] == ["0"]
        writer.stdin.write("go on\n")
        writer.stdin.flush()
        assert writer.stdout.readline() == "written\n"
        writer.kill()
    with Store.read(path) as store:
        assert [each.author for each in tokens(store)] == ["0", "1", "2", "3", "4", "5"]
