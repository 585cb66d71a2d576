"""A private PostgreSQL server for tests: it listens on a socket in a folder of its own, runs as an ordinary user, and is always stopped."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

MISSING = "there is no PostgreSQL server on this machine (Debian package postgresql)"


def find_programs() -> Path | None:
    """The folder of the newest server's programs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    return Path(initdb).parent if initdb else None


class Server:
    """A running server; each test gets a database of its own."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs = programs
        self.folder = folder
        self._made = 0
        self._process: subprocess.Popen[bytes] | None = None
        account = pwd.getpwnam("nobody")
        # The server refuses to run as root.
        self._as: dict[str, Any] = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []} if os.getuid() == 0 else {}
        if os.getuid() == 0:
            os.chown(folder, account.pw_uid, account.pw_gid)
        self._run("initdb", "--username=arena", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync", folder / "data")
        (folder / "data" / "pg_hba.conf").write_text("local all careful scram-sha-256\nlocal all all trust\n")

    def _run(self, program: str, *arguments: str | Path) -> None:
        done = subprocess.run(
            [self._programs / program, *arguments],
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            **self._as,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def start(self) -> None:
        """Start, and wait until it answers. It ends with this process, also when that is killed."""
        settings = {"listen_addresses": "", "unix_socket_directories": str(self.folder), "fsync": "off", "max_connections": "40"}
        self._process = subprocess.Popen(
            [
                *("setpriv", "--pdeathsig", "INT"),
                *(self._programs / "postgres", "-D", self.folder / "data"),
                *(part for key, value in settings.items() for part in ("-c", f"{key}={value}")),
            ],
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **self._as,
        )
        end = time.monotonic() + 60
        while True:
            try:
                self.execute("SELECT 1")
            except psycopg.OperationalError:
                assert self._process.poll() is None, "the server has ended"
                assert time.monotonic() < end, "the server does not answer"
                time.sleep(0.05)
            else:
                return

    def stop(self) -> None:
        """Stop at once; whoever is connected loses the connection."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(60)
            self._process = None

    def url(self, database: str, user: str = "arena") -> str:
        """The address of a database on it; ``user`` may have a password after a colon."""
        return f"postgresql+psycopg://{user}@/{database}?host={self.folder}"

    def execute(self, statement: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Run one statement as the owner of all; gives the rows, if there are any."""
        with psycopg.connect(host=str(self.folder), user="arena", dbname=database, autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def new_database(self) -> str:
        """The address of a new, empty database."""
        self._made += 1
        self.execute(f"CREATE DATABASE test{self._made}")
        return self.url(f"test{self._made}")


@contextmanager
def running_server() -> Iterator[Server]:
    """A server that is there for the time of the block. Skips the test where there is none."""
    programs = find_programs()
    if programs is None:
        pytest.skip(MISSING)
    folder = Path(tempfile.mkdtemp(prefix="arena-pg-"))  # pytest's own folders can't be entered by another user
    try:
        server = Server(programs, folder)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """The server that the tests of one process share."""
    with running_server() as server:
        yield server
