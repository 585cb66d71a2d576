"""Safely reads the files that users name, even if a path is a folder, an endless device, a pipe without a writer or an open database."""

from __future__ import annotations

import os
import select
import stat
from pathlib import Path
from time import monotonic
from typing import Final

from engine.text import plain

PATIENCE: Final = 30.0
"""How many seconds to wait for more data from a pipe."""
_CHUNK: Final = 1 << 16
_DATABASE: Final = b"SQLite format 3\x00"


class UnreadableFileError(Exception):
    """The file can't be read or is too large; the message names it."""


class DatabaseFileError(UnreadableFileError):
    """The file is an SQLite database, which ``read_file`` refuses to read."""


class NoFileError(UnreadableFileError):
    """There is no such file."""


def is_open_database(path: Path) -> bool:
    """Return whether the file is a database that a process has open. Nothing but SQLite may read such a file.

    Closing it after any other read would drop the locks of this process's own connections (``leaderboard/storage/sqlite.py``).
    """
    return os.path.lexists(f"{os.path.realpath(path)}-shm")


def read_file(path: Path, most: int) -> bytes:
    """Return the content of a file or a pipe. Raises UnreadableFileError if it is larger than ``most`` bytes or can't be read."""
    name = plain(str(path))
    try:
        if is_open_database(path):
            raise DatabaseFileError(f"{name} is a database that is open; give a different file")
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except FileNotFoundError:
        raise NoFileError(f"there is no file {name}") from None
    except IsADirectoryError:
        raise UnreadableFileError(f"{name} is a folder, not a file") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise UnreadableFileError(f"{name} can't be read: {getattr(error, 'strerror', None) or error}") from None
    try:
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode) and os.pread(descriptor, len(_DATABASE), 0) == _DATABASE:
            raise DatabaseFileError(f"{name} is a database; give a different file")
        _check(status, name, most)
        return _read(descriptor, name, most)
    except OSError as error:
        raise UnreadableFileError(f"{name} can't be read: {error.strerror}") from None
    finally:
        os.close(descriptor)


def read_text(path: Path, most: int) -> str:
    """Return the text of a UTF-8 file, without a byte order mark and with newlines normalised. Raises UnreadableFileError."""
    try:
        return read_file(path, most).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise UnreadableFileError(f"{plain(str(path))} is not a text file") from None


def _check(status: os.stat_result, name: str, most: int) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise UnreadableFileError(f"{name} is a folder, not a file")
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISFIFO(status.st_mode)):
        raise UnreadableFileError(f"{name} is a device, not a file")
    if stat.S_ISREG(status.st_mode) and status.st_size > most:
        raise _too_much(name, most)


def _read(descriptor: int, name: str, most: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    while part := _part(descriptor, name):
        parts.append(part)
        size += len(part)
        if size > most:
            raise _too_much(name, most)
    return b"".join(parts)


def _part(descriptor: int, name: str) -> bytes:
    """Return the next bytes, or empty bytes at the end or for a pipe without a writer."""
    until = monotonic() + PATIENCE
    while True:
        try:
            return os.read(descriptor, _CHUNK)
        except BlockingIOError:
            if not select.select([descriptor], [], [], max(until - monotonic(), 0))[0]:
                raise UnreadableFileError(f"{name} is a pipe that has delivered no data for {PATIENCE:.0f} seconds") from None


def _too_much(name: str, most: int) -> UnreadableFileError:
    limit = f"{most >> 20} MiB" if most >= 1 << 20 else f"{most >> 10} KiB"
    return UnreadableFileError(f"{name} is larger than {limit}, which is the limit")
