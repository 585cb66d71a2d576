"""The folder of a build: how much is in it, and its removal, whatever a build has made of it. It needs only the standard library."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_DEEPEST = 200
"""Folders within each other."""


@dataclass(frozen=True, slots=True)
class Room:
    """How much a build may write. ``is_own`` says that the folder is a file system of its own, which is quick to measure."""

    most_bytes: int
    most_files: int
    is_own: bool


def measure(folder: Path, room: Room) -> str:
    """Return what there is too much of, as the rest of a sentence that begins with the build; empty if there is not."""
    size, files, depth = _measure_own(folder) if room.is_own else _walk(folder, room)
    if size >= room.most_bytes * 0.99:  # one that is full refuses the last bytes
        return f"wrote more than {room.most_bytes >> 20} MiB"
    if files > room.most_files:
        return f"made more than {room.most_files} files"
    return f"made more than {_DEEPEST} folders within each other" if depth > _DEEPEST else ""


def _measure_own(folder: Path) -> tuple[int, int, int]:
    found = os.statvfs(folder)
    return (found.f_blocks - found.f_bavail) * found.f_frsize, found.f_files - found.f_ffree, 0


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
            continue  # it has just been removed, or closed to everybody
    return size, files, deepest


def remove(folder: Path) -> None:
    """Remove a folder with everything in it, however deep, whatever the modes. Raises OSError."""
    if not folder.is_dir() or folder.is_symlink():
        return
    folder.chmod(0o700)
    number = 0
    while entries := list(os.scandir(folder)):
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                Path(entry.path).unlink()
                continue
            Path(entry.path).chmod(0o700)
            for inside in list(os.scandir(entry.path)):
                if inside.is_dir(follow_symlinks=False):  # a path may be too long to be named, so none is followed
                    Path(inside.path).chmod(0o700)
                    while (place := folder / f"removed-{number}").exists():
                        number += 1
                    Path(inside.path).rename(place)
                else:
                    Path(inside.path).unlink()
            Path(entry.path).rmdir()
    folder.rmdir()
