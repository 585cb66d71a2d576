"""The folder of a build: its size, its products and its removal. It needs only the standard library."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from bots.loader.archive import LARGEST_FILE, MOST_BYTES

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_DEEPEST: Final = 200
"""The deepest nesting of folders."""


@dataclass(frozen=True, slots=True)
class Room:
    """The limits of a build's files. ``is_own`` says that the folder is a separate file system, which is quick to measure."""

    most_bytes: int
    most_files: int
    is_own: bool


def measure(folder: Path, room: Room) -> str:
    """Return which limit is exceeded, as the rest of a sentence that begins with the build; empty if none is."""
    size, files, depth = _measure_own(folder) if room.is_own else _walk(folder, room)
    if size >= room.most_bytes * 0.99:  # a full file system refuses the last bytes
        return f"wrote more than {room.most_bytes >> 20} MiB"
    if files > room.most_files:
        return f"made more than {room.most_files} files"
    return f"made more than {_DEEPEST} folders within each other" if depth > _DEEPEST else ""


def _measure_own(folder: Path) -> tuple[int, int, int]:
    status = os.statvfs(folder)
    return (status.f_blocks - status.f_bavail) * status.f_frsize, status.f_files - status.f_ffree, 0


def _walk(folder: Path, room: Room) -> tuple[int, int, int]:
    size = files = deepest = 0
    waiting = [(str(folder), 0)]
    while waiting and files <= room.most_files and deepest <= _DEEPEST:
        place, depth = waiting.pop()
        deepest = max(deepest, depth)
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    files += 1
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append((entry.path, depth + 1))
                    else:
                        size += entry.stat(follow_symlinks=False).st_blocks * 512
        except OSError:
            continue  # just removed, or without permissions
    return size, files, deepest


def remove(folder: Path) -> None:
    """Remove a folder with its content at any depth and with any modes, without following links. Raises OSError."""
    try:
        top = os.open(folder, _FOLDER)
    except FileNotFoundError:
        return
    try:
        number = 0
        while entries := _entries(top):
            for name, is_folder in entries:
                number = _empty(top, name, number) if is_folder else number
                (os.rmdir if is_folder else os.unlink)(name, dir_fd=top)
    finally:
        os.close(top)
    folder.rmdir()


def _empty(top: int, name: str, number: int) -> int:
    """Empty a folder in ``top``. Its subfolders are moved to ``top`` under new numbers, since their paths may be too long."""
    inside = _open(top, name)
    try:
        for each, is_folder in _entries(inside):
            if not is_folder:
                os.unlink(each, dir_fd=inside)
                continue
            _let_in(inside, each)  # moving a folder needs write permission on it
            while _is_there(place := f"removed-{number}", top):
                number += 1
            os.rename(each, place, src_dir_fd=inside, dst_dir_fd=top)
    finally:
        os.close(inside)
    return number


def _entries(folder: int) -> list[tuple[str, bool]]:
    """Return the names in an open folder, and whether each is a folder."""
    with os.scandir(folder) as entries:
        return [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]


def _open(top: int, name: str) -> int:
    _let_in(top, name)
    return os.open(name, _FOLDER, dir_fd=top)


def _let_in(top: int, name: str) -> None:
    """Give the owner all rights on a folder; skipped for root, which has them and must not follow a link put in its place."""
    if os.geteuid() != 0:
        os.chmod(name, 0o700, dir_fd=top)


def _is_there(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


class ProductError(Exception):
    """A product is missing or can't be used; the text is the rest of a sentence that begins with the build."""


def read_products(source: int, products: list[str]) -> dict[str, bytes]:
    """Return the content of these files, by path, in an open folder. Raises ProductError."""
    contents: dict[str, bytes] = {}
    for each in products:
        contents[each] = _read(source, each)
        if sum(map(len, contents.values())) > MOST_BYTES:
            raise ProductError(f"made more than {MOST_BYTES >> 20} MiB of files")
    return contents


def _read(source: int, product: str) -> bytes:
    *folders, name = PurePosixPath(product).parts
    descriptor = os.dup(source)
    try:
        for folder in folders:
            descriptor = _into(descriptor, folder, os.O_RDONLY | os.O_DIRECTORY, product)
        descriptor = _into(descriptor, name, os.O_RDONLY | os.O_NONBLOCK, product)
        return _content(descriptor, product)
    finally:
        os.close(descriptor)


def _into(descriptor: int, name: str, flags: int, product: str) -> int:
    """Open an entry of an open folder without following links, and close the folder. Raises ProductError."""
    try:
        kind = os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode
        if stat.S_ISLNK(kind):
            raise ProductError(f"made a link where '{product:.60}' should be; have it make the file itself")
        wants_folder = bool(flags & os.O_DIRECTORY)
        if not wants_folder and stat.S_ISDIR(kind):
            raise ProductError(f"made a folder where the file '{product:.60}' should be")
        if not wants_folder and not stat.S_ISREG(kind):
            raise ProductError(f"made a device or a pipe where the file '{product:.60}' should be")
        opened = os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=descriptor)
    except (FileNotFoundError, NotADirectoryError):
        raise ProductError(f"succeeded, but left no file '{product:.60}'") from None
    except OSError as error:
        raise ProductError(f"made a file '{product:.60}' that can't be read ({error.strerror})") from None
    os.close(descriptor)
    return opened


def _content(descriptor: int, product: str) -> bytes:
    pieces = bytearray()
    while piece := os.read(descriptor, 1 << 20):
        pieces += piece
        if len(pieces) > LARGEST_FILE:
            raise ProductError(f"made a file '{product:.60}' of more than {LARGEST_FILE >> 20} MiB")
    return bytes(pieces)
