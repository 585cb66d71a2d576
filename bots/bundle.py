"""Bots of several files: a folder or an archive, read with caps so that no bomb, link or path outside does harm. It runs nothing."""

from __future__ import annotations

import hashlib
import io
import shutil
import stat
import tarfile
import tomllib
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from typing import IO, Final

LARGEST_FILE: Final = 16 << 20
MOST_BYTES: Final = 32 << 20
MOST_FILES: Final = 500
LONGEST_PATH: Final = 200
MANIFEST: Final = "bot.toml"
_ARCHIVES: Final = (".zip", ".tar", ".tar.gz", ".tgz")
_KEYS: Final = ("name", "class", "command", "files")
_IGNORED: Final = frozenset([".git", "__pycache__", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache"])


class BundleError(ValueError):
    """A folder or archive that is no bot; the text says which part of it is wrong."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """The files of a bot, by path, in order. ``entry`` is ``module`` or ``module:Class``, or ``command`` what is executed."""

    name: str
    files: tuple[tuple[str, bytes], ...]
    entry: str
    command: tuple[str, ...]

    @property
    def entry_file(self) -> str:
        """The file of the module that has the class."""
        stem = self.entry.partition(":")[0].replace(".", "/")
        return next((file for file, _ in self.files if file in {f"{stem}.py", f"{stem}/__init__.py"}), f"{stem}.py")

    def digest(self, class_name: str) -> str:
        """The hash of all that decides how it plays."""
        found = hashlib.sha256(repr((class_name, self.entry, self.command)).encode())
        for path, content in self.files:
            found.update(f"\n{path}\n{hashlib.sha256(content).hexdigest()}".encode())
        return found.hexdigest()


def is_bundle(path: Path) -> bool:
    """Whether the path is a folder, or named like an archive."""
    return path.is_dir() or path.name.endswith(_ARCHIVES)


def read_bundle(path: Path) -> Bundle:
    """The bot in a folder or an archive. Raises BundleError."""
    stem = path.resolve().name
    for ending in sorted(_ARCHIVES, key=len, reverse=True):
        stem = stem.removesuffix(ending)
    try:
        files = dict(_folder(path) if path.is_dir() else _archive(path))
    except OSError as error:
        raise BundleError(f"it can't be read: {error.strerror or error}") from None
    tops = {file.partition("/")[0] for file in files}
    if not path.is_dir() and len(tops) == 1 and MANIFEST not in files and all("/" in file for file in files):
        files = {file.partition("/")[2]: content for file, content in files.items()}  # one folder in the archive holds everything
    return _described(stem, files)


# Reading files


class _Taker:
    """Takes files in until it has had enough."""

    def __init__(self) -> None:
        self._files: dict[str, bytes] = {}
        self._size = 0

    def take(self, name: str, source: IO[bytes]) -> tuple[str, bytes]:
        """One more file. Raises BundleError when its path is none of a bot's, or there is too much."""
        path = PurePosixPath(name.removeprefix("./"))
        inside = path.parts and not path.is_absolute() and ".." not in path.parts
        if not inside or len(name) > LONGEST_PATH or not name.isprintable() or "\\" in name:
            raise BundleError(f"{name[:60]!r} is no path within it")
        if str(path) in self._files:
            raise BundleError(f"the file {path} is there twice")
        content = source.read(LARGEST_FILE + 1)
        self._size += len(content)
        self._files[str(path)] = b""
        if len(content) > LARGEST_FILE:
            raise BundleError(f"the file {path} has more than {LARGEST_FILE >> 20} MiB")
        if self._size > MOST_BYTES:
            raise BundleError(f"its files have more than {MOST_BYTES >> 20} MiB")
        if len(self._files) > MOST_FILES:
            raise BundleError(f"it has more than {MOST_FILES} files")
        return str(path), content


def _folder(path: Path) -> Iterator[tuple[str, bytes]]:
    taker = _Taker()
    folders = [path]
    while folders:
        for each in sorted(folders.pop().iterdir()):
            kind = each.lstat().st_mode
            if each.name in _IGNORED:
                continue
            if stat.S_ISDIR(kind):
                folders.append(each)
            elif stat.S_ISREG(kind):
                with each.open("rb") as file:
                    yield taker.take(each.relative_to(path).as_posix(), file)
            else:
                raise BundleError(f"{each.relative_to(path).as_posix()!r} is a link or no file; put the file itself there")


def _archive(path: Path) -> Iterator[tuple[str, bytes]]:
    if not path.exists():
        raise BundleError("there is no such file")
    try:
        yield from _zip(path) if path.name.endswith(".zip") else _tar(path)
    except (zipfile.BadZipFile, tarfile.TarError, EOFError, zlib.error, NotImplementedError, RuntimeError) as error:
        raise BundleError(f"it is no archive that can be read ({error})") from None


def _zip(path: Path) -> Iterator[tuple[str, bytes]]:
    taker = _Taker()
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            kind = stat.S_IFMT(entry.external_attr >> 16)
            if entry.is_dir():
                continue
            if kind not in {0, stat.S_IFREG}:
                raise BundleError(f"{entry.filename[:60]!r} is a link or no file")
            with archive.open(entry) as source:
                yield taker.take(entry.filename, source)


def _tar(path: Path) -> Iterator[tuple[str, bytes]]:
    taker = _Taker()
    with tarfile.open(path) as archive:
        for count, entry in enumerate(archive):
            if count > 2 * MOST_FILES:
                raise BundleError(f"it has more than {MOST_FILES} files")
            if entry.isdir():
                continue
            source = archive.extractfile(entry) if entry.isreg() else None
            if source is None:
                raise BundleError(f"{entry.name[:60]!r} is a link or no file")
            yield taker.take(entry.name, io.BytesIO(source.read(LARGEST_FILE + 1)))


# What the files say


def _described(stem: str, files: dict[str, bytes]) -> Bundle:
    if MANIFEST in files:
        return _by_manifest(stem, files)
    tops = [file for file in files if file.endswith(".py") and "/" not in file]
    if "bot.py" in tops or len(tops) == 1:
        return Bundle(stem, tuple(sorted(files.items())), "bot" if "bot.py" in tops else tops[0].removesuffix(".py"), ())
    raise BundleError(f"it has neither a {MANIFEST} nor a bot.py that says what to play")


def _by_manifest(stem: str, files: dict[str, bytes]) -> Bundle:
    try:
        data = tomllib.loads(files[MANIFEST].decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BundleError(f"its {MANIFEST} is no TOML: {error}") from None
    for key in data:
        if key not in _KEYS:
            near = get_close_matches(key, _KEYS, n=1)
            raise BundleError(
                f"{MANIFEST}: unknown key '{key:.40}'" + (f"; did you mean '{near[0]}'?" if near else f"; there is {', '.join(_KEYS)}")
            )
    kept = _listed(data, files)
    name = data.get("name", stem)
    if not isinstance(name, str):
        raise BundleError(f"{MANIFEST}: 'name' should be a text")
    if ("command" in data) == ("class" in data):
        raise BundleError(f"{MANIFEST}: give either 'command' (a list of words) or 'class' (module:Class)")
    files_kept = tuple(sorted(kept.items()))
    if "command" in data:
        return Bundle(name, files_kept, "", _command(data["command"], kept))
    bundle = Bundle(name, files_kept, _entry(data["class"]), ())
    if bundle.entry_file not in kept:
        raise BundleError(f"{MANIFEST}: 'class' names the module of {bundle.entry_file}, which is not among its files")
    return bundle


def _listed(data: dict[str, object], files: dict[str, bytes]) -> dict[str, bytes]:
    """The files that the manifest lists, or all."""
    listed = data.get("files")
    if listed is None:
        return {file: content for file, content in files.items() if file != MANIFEST}
    if not isinstance(listed, list) or not listed or not all(isinstance(each, str) for each in listed):
        raise BundleError(f"{MANIFEST}: 'files' should be a list of paths")
    for each in listed:
        if each not in files:
            raise BundleError(f"{MANIFEST}: the file '{each:.60}' is not there; does it have to be built first?")
    return {each: files[each] for each in listed}


def _entry(value: object) -> str:
    module, _, class_name = value.partition(":") if isinstance(value, str) else ("", "", "")
    module = module.removesuffix(".py").replace("/", ".")
    if not class_name.isidentifier() or not all(part.isidentifier() for part in module.split(".")):
        raise BundleError(f"{MANIFEST}: 'class' should be module:Class, such as 'bot:MyBot'")
    return f"{module}:{class_name}"


def _command(value: object, files: dict[str, bytes]) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(word, str) and word and "\0" not in word for word in value):
        raise BundleError(f"{MANIFEST}: 'command' should be a list of words, such as ['./bot'] or ['node', 'bot.js']")
    program = str(PurePosixPath(value[0]))
    if program not in files and ("/" in program or shutil.which(program) is None):
        raise BundleError(f"{MANIFEST}: the command '{value[0]:.60}' is neither one of its files nor a program of this machine")
    return tuple(value)
