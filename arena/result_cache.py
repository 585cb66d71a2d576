"""A cache of expensive results, in a single file in the user's cache folder.

A key covers everything that the value depends on (``key_of``). The cache may be deleted at any time. If its file can't be read or written,
or if other users may write to it, everything works without the cache, and ``Cache.trouble`` says why.
"""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import zlib
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from time import time_ns
from typing import Final, TypeVar

T = TypeVar("T")

VARIABLE: Final = "ARENA_CACHE"
"""The environment variable that sets the cache folder, in place of the user's usual one."""
FILE: Final = "analyses.db"
MOST_BYTES: Final = 256 << 20
"""The maximum total size of the values in bytes; the least recently used values are dropped first."""
_WAIT: Final = 2.0
"""How many seconds to wait for another process that is writing."""
_LAYOUT: Final = "create table if not exists kept (key text primary key, used integer not null, hash text not null, value blob not null)"


def key_of(*parts: object) -> str:
    """Return a key for these parts, which must be valid JSON; different parts have different keys."""
    return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


class Cache:
    """Stores values by key in an SQLite file, which is created when a value is stored. ``trouble`` says why the cache failed, if it did."""

    def __init__(self, path: Path) -> None:
        self.path: Final = path
        self.trouble = ""

    def get(self, key: str) -> bytes | None:
        """Return the value stored under the key, or None if there is none or it is damaged."""
        return self._do(lambda connection: _find(connection, key), makes=False)

    def put(self, key: str, value: bytes) -> None:
        """Store the value under the key; if all values exceed the limit, drop the least recently used ones."""
        self._do(lambda connection: _keep(connection, key, zlib.compress(value)), makes=True)

    def _do(self, action: Callable[[sqlite3.Connection], T], *, makes: bool) -> T | None:
        """Run the action in one transaction and return its result, or None if the file doesn't exist and ``makes`` is not set.

        An error is stored in ``trouble`` instead of being raised; from then on, nothing is done.
        """
        if self.trouble:
            return None
        try:
            if not makes and not self.path.exists():
                return None
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _check_ours(self.path.parent)
            if self.path.exists():
                _check_ours(self.path)
            with closing(sqlite3.connect(self.path, timeout=_WAIT)) as connection, connection:
                connection.execute(_LAYOUT)
                return action(connection)
        except (OSError, sqlite3.Error) as error:
            self.trouble = f"nothing is cached, since {self.path} can't be used ({error}); remove it, or set {VARIABLE} to another folder"
            return None


def _check_ours(path: Path) -> None:
    """Raise PermissionError if another user of this machine owns a file or folder, or may write to it."""
    status = path.stat()
    if status.st_uid != os.geteuid() or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(f"other users may write to {path}")


def _find(connection: sqlite3.Connection, key: str) -> bytes | None:
    row = connection.execute("select hash, value from kept where key = ?", (key,)).fetchone()
    if row is None:
        return None
    value = _unpacked(*row)
    if value is None:
        connection.execute("delete from kept where key = ?", (key,))
    else:
        connection.execute("update kept set used = ? where key = ?", (time_ns(), key))
    return value


def _unpacked(digest: object, packed: object) -> bytes | None:
    if not isinstance(packed, bytes) or sha256(packed).hexdigest() != digest:
        return None
    try:
        return zlib.decompress(packed)
    except zlib.error:
        return None


def _keep(connection: sqlite3.Connection, key: str, value: bytes) -> None:
    row = (key, time_ns(), sha256(value).hexdigest(), value)
    connection.execute("insert or replace into kept (key, used, hash, value) values (?, ?, ?, ?)", row)
    (size,) = connection.execute("select sum(length(value)) from kept").fetchone()
    if size > MOST_BYTES:
        connection.execute("delete from kept where key in (select key from kept order by used limit (select 1 + count(*) / 4 from kept))")


def open_cache(folder: Path | None = None) -> Cache:
    """Return the cache in ``folder``, which defaults to ``ARENA_CACHE`` or else the user's usual cache folder."""
    if folder is None:
        usual = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111  # Path.expanduser raises an error for a user without a home
        folder = Path(os.environ.get(VARIABLE) or Path(usual, "tile-arena"))
    return Cache(folder / FILE)
