"""Queries about files through SQLite: no other code may open a database file while this process is connected to it
(``storage/sqlite.py``)."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote


def file_uri(path: Path) -> str:
    """Return a file's SQLite URI, to which settings can be added; even a name such as ``:memory:`` means a file."""
    return f"file:{quote(os.fsencode(path.absolute()))}"


def is_database(path: Path) -> bool:
    """Return True if SQLite recognises the file as a database or can't tell; False for an empty file."""
    if not path.is_file() or not path.stat().st_size:
        return False
    try:
        with closing(sqlite3.connect(f"{file_uri(path)}?mode=rw", uri=True, timeout=0)) as connection:
            connection.execute("PRAGMA schema_version")
    except sqlite3.Error as error:
        return error_code(error) != sqlite3.SQLITE_NOTADB
    return True


def error_code(error: object) -> int:
    """Return the primary result code of SQLite's error, 0 if it has none."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF
