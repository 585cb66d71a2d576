"""Reads the files in a bot's folder or archive. Rejects archive bombs, links and paths that lead outside. Never runs any code."""

from __future__ import annotations

import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Final

from bots.limits import DEFAULT_BUNDLE

LARGEST_FILE: Final = 16 << 20
MOST_BYTES: Final = DEFAULT_BUNDLE
MOST_FILES: Final = 500
MOST_ENTRIES: Final = 2 * MOST_FILES
"""The most entries (files and folders together) that an archive or folder may have."""
LONGEST_PATH: Final = 200
"""The maximum length of a path in bytes, which every file system allows."""
ENDING: Final = ".zip"
_DATABASE: Final = b"SQLite format 3\x00"
_IGNORED: Final = frozenset([".git", "__pycache__", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".DS_Store", "__MACOSX"])
"""Names of files and folders that are never part of a bot."""


class BundleError(ValueError):
    """The folder or archive is not a bot; the message says why."""


def largest_file(most: int) -> int:
    """Return the size limit of a single file of a bot in bytes. ``most`` is the limit for all of its files together."""
    return LARGEST_FILE if most == MOST_BYTES else most


def mebibytes(size: int) -> str:
    """Return a size as text, such as ``32 MiB``."""
    return f"{size / (1 << 20):.6g} MiB" if size >= 1 << 20 else f"{size / (1 << 10):.6g} KiB"


def read_files(path: Path, most: int = MOST_BYTES) -> dict[str, bytes]:
    """Return the content of every file in a folder or an archive, by its path. ``most`` limits the total size in bytes. Raises
    BundleError and OSError."""
    return dict(_folder(path, most) if path.is_dir() else _archive(path, most))


class _Taker:
    """Counts entries and reads files, up to their limits."""

    def __init__(self, most: int) -> None:
        self._most, self._largest = most, largest_file(most)
        self._files: set[str] = set()
        self._folders: set[str] = set()
        self._size = self._entries = 0

    def is_wanted(self, name: str) -> bool:
        """Count one more entry and return whether it may be part of the bot. Raises BundleError if there are too many."""
        if self._entries >= MOST_ENTRIES:
            raise BundleError(f"it has more than {MOST_FILES} files")
        self._entries += 1
        return _IGNORED.isdisjoint(name.split("/"))

    def take(self, name: str, source: IO[bytes]) -> tuple[str, bytes]:
        """Read one more file. Raises BundleError if its path is not allowed, or if there are too many files or bytes."""
        path = PurePosixPath(name.removeprefix("./"))
        inside = path.parts and not path.is_absolute() and ".." not in path.parts
        if not inside or not name.isprintable() or "\\" in name:
            raise BundleError(f"{name[:60]!r} is not a path inside the bot")
        if len(name.encode()) > LONGEST_PATH:
            raise BundleError(f"the path {name[:60]!r}... is longer than {LONGEST_PATH} bytes")
        if str(path) in self._files:
            raise BundleError(f"the file {path} occurs twice")
        self._folders.update(map(str, path.parents))
        if both := self._folders & {*self._files, str(path)}:
            raise BundleError(f"{min(both)} occurs both as a file and as a folder")
        content = source.read(self._largest + 1)
        if content.startswith(_DATABASE):
            raise BundleError(f"it contains the database {path}, which may hold seeds and other bots; move the database elsewhere")
        self._size += len(content)
        self._files.add(str(path))
        if len(content) > self._largest:
            raise BundleError(f"the file {path} is larger than {mebibytes(self._largest)}")
        if self._size > self._most:
            raise BundleError(f"its files are larger than {mebibytes(self._most)} in total")
        if len(self._files) > MOST_FILES:
            raise BundleError(f"it has more than {MOST_FILES} files")
        return str(path), content


def _folder(path: Path, most: int) -> Iterator[tuple[str, bytes]]:
    taker = _Taker(most)
    folders = [path]
    while folders:
        for each in sorted(folders.pop().iterdir()):
            kind = each.lstat().st_mode
            if each.name in _IGNORED or not taker.is_wanted(each.name):
                continue
            if stat.S_ISDIR(kind):
                folders.append(each)
            elif stat.S_ISREG(kind):
                with each.open("rb") as file:
                    yield taker.take(each.relative_to(path).as_posix(), file)
            else:
                raise BundleError(f"{each.relative_to(path).as_posix()!r} is a link or a special file; replace it with a regular file")


def _archive(path: Path, most: int) -> Iterator[tuple[str, bytes]]:
    if not path.exists():
        raise BundleError("there is no such file")
    if path.stat().st_size > most:
        raise BundleError(f"it is larger than {mebibytes(most)}")
    try:
        yield from _zip(path, most)
    except (zipfile.BadZipFile, EOFError, zlib.error, NotImplementedError, RuntimeError) as error:
        raise BundleError(f"it is not a readable archive ({error})") from None


def _zip(path: Path, most: int) -> Iterator[tuple[str, bytes]]:
    taker = _Taker(most)
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            kind = stat.S_IFMT(entry.external_attr >> 16)
            if not taker.is_wanted(entry.filename) or entry.is_dir():
                continue
            if kind not in {0, stat.S_IFREG}:
                raise BundleError(f"{entry.filename[:60]!r} is a link or a special file; replace it with a regular file")
            if entry.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
                raise BundleError(f"{entry.filename[:60]!r} uses an unsupported compression method; create the archive with 'zip'")
            with archive.open(entry) as source:
                yield taker.take(entry.filename, source)
