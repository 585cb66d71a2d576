"""Watches in all tests that nothing but SQLite opens a database which this process has open, and tells which locks it has on one.

Closing a file that was opened by other means drops SQLite's locks (``leaderboard/storage/sqlite.py``).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import unquote

from sqlalchemy import URL, Engine, create_engine
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache

from leaderboard.storage import sqlite

ROOT = Path(__file__).parents[1]
_PROGRAM = tuple(f"{ROOT / package}{os.sep}" for package in ("arena", "bots", "engine", "leaderboard"))
_TESTS = f"{ROOT / 'tests'}{os.sep}"
_NEW = os.O_CREAT | os.O_EXCL
SYNCED = sqlite._TO_WRITE
"""The settings of the program's connections."""


def dont_wait_for_the_disk() -> None:
    """From now on, have this process commit without syncing, which would take a third of the tests' time."""
    sqlite._TO_WRITE = (*SYNCED[:-1], "synchronous=OFF")  # type: ignore[misc]


def share_compiled_statements() -> None:
    """From now on, have this process compile a statement once, not again for each database, which would take a third of a short run."""
    statements = LRUCache[Any, Any](5000)

    def share(url: URL, **options: Any) -> Engine:
        engine = create_engine(url, **options)
        engine._compiled_cache = statements
        return engine

    vars(sqlite)["create_engine"] = share
    SQLiteDialect_pysqlite.__eq__ = lambda self, other: type(self) is type(other)  # type: ignore[method-assign]
    SQLiteDialect_pysqlite.__hash__ = lambda self: hash(type(self))  # type: ignore[method-assign]  # they are in the keys of statements


class DatabaseOpenedError(BaseException):
    """The program opened a database's file itself. No handler of ordinary errors catches it."""


def watch() -> None:
    """From now on, have the program fail where it opens a file that SQLite was given as a database."""
    databases: set[str] = set()
    names: set[str] = set()

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == "sqlite3.connect":
            path = _path(arguments[0])
            databases.add(path)
            names.add(os.path.basename(path))  # noqa: PTH119  # it is called for every file
        elif event == "open" and names:
            opened, _, flags = arguments
            if not isinstance(opened, (str, bytes)) or os.path.basename(os.fsdecode(opened)) not in names:  # noqa: PTH119  # the same
                return
            is_new = isinstance(flags, int) and flags & _NEW == _NEW
            real = os.path.realpath(os.fsdecode(opened))
            if not is_new and real in databases and _is_program(sys._getframe(1)) and locks(Path(real)):
                raise DatabaseOpenedError(f"{real} is a database that is open, and only SQLite may open it again")

    sys.addaudithook(hook)


def _path(database: object) -> str:
    text = os.fsdecode(database) if isinstance(database, (str, bytes, os.PathLike)) else ""
    if text.startswith("file:"):
        text = unquote(text.removeprefix("file:").partition("?")[0])
    return os.path.realpath(text)


def _is_program(frame: FrameType | None) -> bool:
    """Whether the program opens it, not a test; whose library it has do so does not matter."""
    while frame is not None:
        if frame.f_code.co_filename.startswith(_TESTS):
            return False
        if frame.f_code.co_filename.startswith(_PROGRAM):
            return True
        frame = frame.f_back
    return False


def locks(path: Path) -> list[str]:
    """The POSIX locks that this process has on a database and on what SQLite keeps beside it.

    As its open files say, each in one piece; ``/proc/locks`` is read in pieces, between which other processes' locks come and go.
    """
    names = {os.path.realpath(each): each.name for each in (path, Path(f"{path}-shm"))}
    held = set()
    for descriptor in Path("/proc/self/fd").glob("*"):
        try:
            name = names.get(os.path.realpath(descriptor))
            lines = Path(f"/proc/self/fdinfo/{descriptor.name}").read_text(encoding="ascii").splitlines() if name else []
        except FileNotFoundError:  # closed since it was listed
            continue
        for fields in (line.split() for line in lines if line.startswith("lock:")):
            if fields[2] == "POSIX":
                held.add(f"{name} {fields[4]} {'-'.join(fields[-2:])}")
    return sorted(held)
