"""Keeps modules in memory, so that a bot can import the standard library and the preloaded packages without opening files.

The zygote reads the modules before it forks the first bot. If bots could read these files, one bot could leave traces for another after the
match, in what the kernel records about a file: whether a page is cached, when it was read, who has locked it.
"""

from __future__ import annotations

import importlib
import io
import marshal
import mmap
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec, PathFinder
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path
from types import CodeType, ModuleType
from typing import Final

from bots.sandbox.channel import file_of


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


STANDARD_LIBRARY: Final = _words("""
    abc array ast base64 binascii bisect builtins calendar cmath codecs collections collections.abc contextlib copy copyreg ctypes
    dataclasses datetime decimal encodings.ascii encodings.idna encodings.latin_1 encodings.utf_8 enum errno fractions functools
    gc graphlib hashlib heapq inspect io itertools json keyword linecache locale logging math numbers operator os pathlib platform
    pprint queue random re reprlib sched secrets shlex signal statistics string struct sys textwrap threading time timeit tokenize
    traceback types typing unicodedata uuid warnings weakref zlib
    """)
"""Modules to import before the first bot: those that bots use most, and others that those would import only later, during a match."""

EXTENSIONS: Final = _words("""
    _asyncio _bz2 _csv _elementtree _lsprof _lzma _multibytecodec _multiprocessing _posixshmem _posixsubprocess _queue _socket _statistics
    _uuid _zoneinfo audioop fcntl grp mmap pyexpat resource select termios
    """)
"""Compiled modules of the standard library that other modules need. They are imported in advance, since a bot can't open libraries; missing
ones are skipped."""

_LEFT_OUT: Final = frozenset(
    (
        "dist-packages",
        "ensurepip",
        "idlelib",
        "lib-dynload",
        "lib2to3",
        "pydoc_data",
        "site-packages",
        "test",
        "tests",
        "tkinter",
        "turtledemo",
    )
)
"""Directories in the standard library that bots don't need."""
_HEADER: Final = 16
"""The size of the header in a cached file, in bytes: magic number, flags, and the source's time and size (PEP 552)."""
_FRESH: Final = MAGIC_NUMBER + bytes(4)
_LARGEST: Final = 64 << 20


@dataclass(frozen=True, slots=True)
class _Stored:
    """A module in memory: its marshalled code if that was cached, or else its source."""

    path: str
    is_package: bool
    start: int
    end: int
    is_compiled: bool


class Library(MetaPathFinder, InspectLoader):
    """Holds the modules of the standard library and of the packages that bots may import, for ``sys.meta_path`` (see `install`)."""

    def __init__(self, stdlib: Iterable[str], packages: Sequence[str]) -> None:
        self._modules: dict[str, _Stored] = {}
        self._read = bytearray()
        self._packages = packages
        for folder in stdlib:
            self.add(folder)
        for package in packages:
            self.add_package(package)
        # Mapped privately from a file, so that a fork copies nothing, not even page tables.
        with file_of(bytes(self._read)) as file:
            self._data = mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)
        self._read = bytearray()

    def add(self, folder: str, prefix: str = "") -> None:
        """Read the modules in a folder and in its packages; ``prefix`` is put before their names. Unreadable files are skipped."""
        for name, path in _sources(folder, prefix):
            if len(self._read) > _LARGEST:
                return
            with suppress(OSError):
                self._add_file(name, path)

    def add_package(self, path: str) -> None:
        """Read a top-level package or module, given its folder or file."""
        place = Path(path)
        if place.is_dir():
            self.add(path, f"{place.name}.")
            with suppress(OSError):
                self._add_file(place.name, f"{path}/__init__.py")
        elif place.suffix == ".py":
            with suppress(OSError):
                self._add_file(place.stem, path)

    def _add_file(self, name: str, path: str) -> None:
        code = _cached(path)
        start = len(self._read)
        self._read += _content(path) if code is None else code
        self._modules[name] = _Stored(path, path.endswith("/__init__.py"), start, len(self._read), code is not None)

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the spec of a module, or None if it is not in this library."""
        stored = self._modules.get(fullname)
        if stored is None:
            return None
        spec = ModuleSpec(fullname, self, origin=stored.path, is_package=stored.is_package)
        spec.has_location = True
        if stored.is_package:
            spec.submodule_search_locations = [str(Path(stored.path).parent)]
        return spec

    def get_code(self, fullname: str) -> CodeType:
        """Return the module's code. Raises ImportError."""
        stored = self._found(fullname)
        if stored.is_compiled:
            code = marshal.loads(self._bytes_of(stored))  # noqa: S302  # written by this interpreter, and read before any bot ran
            assert isinstance(code, CodeType)
            return code
        compiled: CodeType = compile(self._bytes_of(stored), stored.path, "exec", dont_inherit=True)
        return compiled

    def get_source(self, fullname: str) -> str | None:
        """Return the module's source, or None if only its code was kept."""
        stored = self._found(fullname)
        return None if stored.is_compiled else self._bytes_of(stored).decode(errors="replace")

    def is_package(self, fullname: str) -> bool:
        """Return whether the module is a package."""
        return self._found(fullname).is_package

    def _found(self, fullname: str) -> _Stored:
        try:
            return self._modules[fullname]
        except KeyError:
            raise ImportError(f"no module named '{fullname}'", name=fullname) from None

    def _bytes_of(self, stored: _Stored) -> bytes:
        return self._data[stored.start : stored.end]

    def install(self, *, replaces_files: bool) -> None:
        """Make ``import`` search this library last or, with ``replaces_files``, in place of the file system.

        Compiled modules are imported at once, since the system's loader could not open them later.
        """
        for name in (*EXTENSIONS, *(name for package in self._packages for name in _compiled(Path(package)))):
            with suppress(Exception):  # modules for other machines or with missing requirements raise various exceptions
                importlib.import_module(name)
        kept = [finder for finder in sys.meta_path if finder is not PathFinder or not replaces_files]
        sys.meta_path[:] = [*kept, self]


def _compiled(package: Path) -> Iterator[str]:
    """Yield the names of the compiled modules in a package's folder, except for its tests.

    A mypyc module without a source file next to it is left over from an old build. It is skipped, since it would load the rest of that
    build.
    """
    has_sources = any(package.parent.glob(f"{package.name}__mypyc*"))
    for path in sorted(package.rglob("*.so")) if package.is_dir() else []:
        parts = (*path.parent.relative_to(package.parent).parts, path.name.partition(".")[0])
        is_module = path.name.removeprefix(parts[-1]) in EXTENSION_SUFFIXES and not parts[-1].startswith("lib")
        is_left_over = has_sources and not path.with_name(f"{parts[-1]}.py").exists()
        if is_module and not is_left_over and all(part.isidentifier() and "test" not in part for part in parts):
            yield ".".join(parts)


# A thousand files are read before the first bot. Names are strings here, since creating Path objects would take longer than reading.


def _sources(folder: str, prefix: str) -> Iterator[tuple[str, str]]:
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries)
    except OSError:
        return
    for name in names:
        stem, is_source, rest = name.rpartition(".py")
        if is_source and stem and not rest:
            if stem != "__init__":
                yield prefix + stem, f"{folder}/{name}"
        elif name.isidentifier() and name not in _LEFT_OUT and os.path.isfile(initial := f"{folder}/{name}/__init__.py"):  # noqa: PTH113
            yield prefix + name, initial
            yield from _sources(f"{folder}/{name}", f"{prefix}{name}.")


def _content(path: str) -> bytes:
    with io.FileIO(path) as file:
        return file.readall()


def _cached(path: str) -> bytes | None:
    """Return the code that the interpreter has cached for a source file, or None if that is missing or stale."""
    try:
        data = _content(cache_from_source(path))
        status = os.stat(path)  # noqa: PTH116
    except (OSError, NotImplementedError):
        return None
    stamp = (int(status.st_mtime) & 0xFFFFFFFF).to_bytes(4, "little") + (status.st_size & 0xFFFFFFFF).to_bytes(4, "little")
    return data[_HEADER:] if data.startswith(_FRESH + stamp) else None
