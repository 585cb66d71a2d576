"""Imports and opens a bot's own files from memory, since a locked-down process can't open files.

``open``, ``os.stat``, ``os.listdir`` and ``os.scandir`` find the bot's files in the folder of ``__file__``, and so do `pathlib` and other
Python code that opens files by name. Libraries written in other languages can't open these files.
"""

from __future__ import annotations

import builtins
import errno
import glob
import importlib
import io
import linecache
import os
import pkgutil  # noqa: F401  # for bots that read data with it in a process that can import nothing new
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from importlib.abc import InspectLoader, MetaPathFinder, ResourceLoader
from importlib.machinery import ModuleSpec
from pathlib import PurePosixPath
from types import ModuleType
from typing import Any, Final, Self

_FOLDER: Final = stat.S_IFDIR | 0o555
_FILE: Final = stat.S_IFREG | 0o444


class _Importer(MetaPathFinder, ResourceLoader, InspectLoader):
    """Finds modules among files; ``import helpers`` finds ``helpers.py`` or ``helpers/__init__.py``."""

    def __init__(self, files: Mapping[str, bytes], origin: str) -> None:
        self._files = files
        self.origin = origin

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        file = self._file_of(fullname)
        if file is None:
            return None
        spec = ModuleSpec(fullname, self, origin=self._shown(file), is_package=self.is_package(fullname))
        spec.has_location = True
        return spec

    def _file_of(self, fullname: str) -> str | None:
        stem = fullname.replace(".", "/")
        return next((file for file in (f"{stem}.py", f"{stem}/__init__.py") if file in self._files), None)

    def _shown(self, file: str) -> str:
        return f"<{self.origin}>/{file}"

    def is_package(self, fullname: str) -> bool:
        return (self._file_of(fullname) or "").endswith("/__init__.py")

    def get_source(self, fullname: str) -> str:
        file = self._file_of(fullname)
        if file is None:
            raise ImportError(f"the bot has no module {fullname}", name=fullname)
        return self._files[file].decode().removeprefix("\ufeff")

    def get_data(self, path: str | bytes) -> bytes:
        """Return a file next to the modules, for ``pkgutil.get_data(__name__, "weights.bin")``."""
        file = str(path).removeprefix(self._shown(""))
        if file not in self._files:
            raise FileNotFoundError(f"the bot has no file {file}")
        return self._files[file]

    def exec_module(self, module: ModuleType) -> None:
        source = self.get_source(module.__name__)
        filename = str(module.__file__)
        linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
        exec(compile(source, filename, "exec"), vars(module))  # noqa: S102  # running the contestant's file is the point


def import_from(files: Mapping[str, bytes], module: str, origin: str) -> ModuleType:
    """Import a module from a bot's ``files``. From now on, imports look in these files first. Raises whatever the bot raises."""
    if not any(isinstance(finder, _Importer) and finder.origin == origin for finder in sys.meta_path):
        sys.meta_path.insert(0, _Importer(files, origin))
        BundleFiles(files, f"<{origin}>").serve()
    return importlib.import_module(module)


class _File(io.BytesIO):
    """The content of a file in memory, with a name but without a file descriptor."""

    def __init__(self, content: bytes, name: str) -> None:
        super().__init__(content)
        self.name = name

    def fileno(self) -> int:
        raise io.UnsupportedOperation(
            "a bot's files are in memory and have no descriptor: pass the bytes returned by read() instead (see docs/adding-a-bot.md)"
        )


class BundleFiles:
    """The files of a bot and the folders that contain them, in a root folder named after the bot's origin."""

    def __init__(self, files: Mapping[str, bytes], folder: str) -> None:
        self._files = files
        self.root = os.path.abspath(folder)  # noqa: PTH100  # pathlib would use system calls
        self._folders: dict[str, list[str]] = {"": []}
        for path in files:
            parts = PurePosixPath(path).parts
            for depth, name in enumerate(parts):
                inside = self._folders.setdefault("/".join(parts[:depth]), [])
                if name not in inside:
                    inside.append(name)

    def place_of(self, path: object) -> str | None:
        """Return ``path`` relative to the bot's folder (empty for the folder itself), or None if it is outside."""
        if not isinstance(path, str | os.PathLike):
            return None
        whole = os.path.abspath(os.fspath(path))  # noqa: PTH100  # as above
        if whole == self.root:
            return ""
        return whole.removeprefix(f"{self.root}/") if isinstance(whole, str) and whole.startswith(f"{self.root}/") else None

    def open(self, place: str, mode: str, buffering: int, encoding: str | None, errors: str | None, newline: str | None) -> Any:
        """Open the file at ``place``, a path in the bot's folder. Raises OSError and ValueError, as the built-in ``open`` does."""
        if set(mode) - set("rbt") or "r" not in mode:
            raise OSError(errno.EROFS, "a bot's files can't be changed", place)
        if place in self._folders:
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), place)
        if place not in self._files:
            raise _absent(place)
        raw = _File(self._files[place], place)
        if "b" in mode:
            return raw if buffering == 0 else io.BufferedReader(raw)
        return io.TextIOWrapper(raw, encoding, errors, newline)

    def stat(self, place: str) -> os.stat_result:
        """Return the status of the file or folder at ``place``. Raises FileNotFoundError."""
        if place in self._folders:
            return os.stat_result((_FOLDER, 0, 0, 2, 0, 0, 0, 0, 0, 0))
        if place in self._files:
            return os.stat_result((_FILE, 0, 0, 1, 0, 0, len(self._files[place]), 0, 0, 0))
        raise _absent(place)

    def listdir(self, place: str) -> list[str]:
        """Return the names of the files and folders in the folder at ``place``. Raises OSError."""
        if place in self._folders:
            return list(self._folders[place])
        if place in self._files:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), place)
        raise _absent(place)

    def scandir(self, place: str) -> _Entries:
        """Return the entries of the folder at ``place``. Raises OSError."""
        return _Entries(self, place)

    def serve(self) -> None:
        """From now on, let ``open`` and the other functions that `answer_for_files` has replaced find these files."""
        _SERVED[:] = [self]


_SERVED: Final[list[BundleFiles]] = []
"""The files of this process's bot, or empty if it has none yet."""


class _Entry:
    """A file or folder, with the interface of ``os.DirEntry``."""

    def __init__(self, files: BundleFiles, place: str, name: str) -> None:
        self.name = name
        self.path = "/".join(filter(None, (files.root, place, name)))
        self._status = files.stat("/".join(filter(None, (place, name))))

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        return stat.S_ISDIR(self._status.st_mode)

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        return stat.S_ISREG(self._status.st_mode)

    def is_symlink(self) -> bool:
        return False

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        return self._status

    def __fspath__(self) -> str:
        return self.path


class _Entries:
    """The iterator that ``os.scandir`` returns."""

    def __init__(self, files: BundleFiles, place: str) -> None:
        self._entries = iter([_Entry(files, place, name) for name in files.listdir(place)])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[_Entry]:
        return self._entries

    def __next__(self) -> _Entry:
        return next(self._entries)

    def close(self) -> None:
        self._entries = iter(())


def answer_for_files() -> None:
    """Make ``open`` and similar functions look for a file among the bot's own files first. Call this before packages keep references to
    these functions."""
    builtins.open = io.open = _opening(open)
    os.stat = _asking(os.stat, BundleFiles.stat)
    os.lstat = _asking(os.lstat, BundleFiles.stat)
    os.listdir = _asking(os.listdir, BundleFiles.listdir)
    os.scandir = _asking(os.scandir, BundleFiles.scandir)
    globber = getattr(glob, "_StringGlobber", None)  # in Python 3.13, it already holds these functions
    if globber is not None:
        globber.lstat, globber.scandir = staticmethod(os.lstat), staticmethod(os.scandir)


def _served(path: object) -> tuple[BundleFiles, str] | None:
    """Return the bot's files and the path within them, or None if the path is outside."""
    if not _SERVED or (place := _SERVED[0].place_of(path)) is None:
        return None
    return _SERVED[0], place


def _opening(real: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(real)
    def open_(
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        closefd: bool = True,
        opener: Callable[[str, int], int] | None = None,
    ) -> Any:
        if opener is not None or (served := _served(file)) is None:
            return real(file, mode, buffering, encoding, errors, newline, closefd, opener)
        files, place = served
        return files.open(place, mode, buffering, encoding, errors, newline)

    return open_


def _asking(real: Callable[..., Any], ours: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(real)
    def ask(*args: Any, **more: Any) -> Any:
        path = args[0] if args else more.get("path", ".")
        served = _served(path)
        return real(*args, **more) if served is None else ours(*served)

    return ask


def _absent(place: str) -> FileNotFoundError:
    return FileNotFoundError(errno.ENOENT, "the bot has no file", place)
