"""Reads a bot in a folder or an archive, and its manifest (``bot.toml``) if it has one. Never runs the bot's code.

This module needs only the standard library, since the process that reads strangers' bots imports it.
"""

from __future__ import annotations

import hashlib
import io
import re
import shutil
import tomllib
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path, PurePosixPath
from typing import Final, TypeAlias

from bots.limits import fitting_name
from bots.loader.archive import ENDING, MOST_BYTES, BundleError, read_files
from bots.loader.suggestions import did_you_mean

ParamValue: TypeAlias = bool | int | float | str
Params: TypeAlias = tuple[tuple[str, ParamValue], ...]
"""The parameters of a bot as pairs (name, value), sorted by name."""
MOST_PARAMS: Final = 40
_LONGEST: Final = 200
"""The most characters of a parameter's name, and of its value if that is text."""
_LARGEST: Final = 2**53
"""The largest integer that every language can read exactly."""
MANIFEST: Final = "bot.toml"
WASM: Final = ".wasm"
LARGEST_MANIFEST: Final = 128 << 10
_KEYS: Final = ("name", "class", "command", "wasm", "files", "params")
_COMPILED: Final = (".c", ".cc", ".cpp", ".cxx", ".go", ".rs", ".zig")
_INTERPRETED: Final = {".js": "node", ".mjs": "node", ".cjs": "node", ".lua": "lua", ".pl": "perl", ".rb": "ruby", ".sh": "sh"}
"""File suffixes of scripts, with the program that runs them."""
_TEXTS: Final = re.compile(r'"(?:[^"\\\n]|\\.)*+"|\'[^\'\n]*+\'|#[^\n]*+')
"""Matches strings and comments in TOML, as far as a manifest needs them."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """The files of a bot, sorted by path, and how to run it.

    Exactly one of these is set: ``entry`` (``module`` or ``module:Class``), ``command`` (a program and its arguments) or ``wasm`` (the path
    of a WebAssembly module). ``params`` are the manifest's parameters: values for a Python bot's class, or the defaults of any other bot.
    """

    name: str
    files: tuple[tuple[str, bytes], ...]
    entry: str
    command: tuple[str, ...]
    wasm: str = ""
    params: Params = ()

    @property
    def entry_file(self) -> str:
        """The path of the Python module that ``entry`` names."""
        stem = self.entry.partition(":")[0].replace(".", "/")
        return next((file for file, _ in self.files if file in {f"{stem}.py", f"{stem}/__init__.py"}), f"{stem}.py")

    def digest(self, class_name: str) -> str:
        """Return a hash of everything that determines how the bot plays. ``class_name`` is the class of a Python bot."""
        how: tuple[object, ...] = (class_name, self.entry, self.command)
        if self.wasm:
            how += (("wasm", self.wasm),)
        if self.params:
            how += ("params", self.params)
        hashed = hashlib.sha256(repr(how).encode())
        for path, content in self.files:
            hashed.update(f"\n{path}\n{hashlib.sha256(content).hexdigest()}".encode())
        return hashed.hexdigest()


def is_bundle(path: Path) -> bool:
    """Return whether the path is a folder or has the suffix of an archive."""
    return path.is_dir() or path.name.endswith(ENDING)


def read_bundle(path: Path, most: int = MOST_BYTES) -> Bundle:
    """Read the bot in a folder or an archive, whose files may have up to ``most`` bytes. Raises BundleError."""
    return _read(path, most)[0]


def pack_folder(path: Path, most: int = MOST_BYTES) -> tuple[str, bytes]:
    """Return the name of the bot in a folder, and a ZIP archive that contains the same version of the bot. Raises BundleError.

    If the manifest lists files, the archive contains only these and the manifest.
    """
    bundle, manifest = _read(path, most)
    if bundle.wasm and not bundle.params:
        manifest = None  # a module is a bot by itself, and its name does not come from the manifest
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (dict(bundle.files) | ({} if manifest is None else {MANIFEST: manifest})).items():
            archive.writestr(name, content)
    return bundle.name, packed.getvalue()


def _read(path: Path, most: int) -> tuple[Bundle, bytes | None]:
    stem = fitting_name(path.resolve().name.removesuffix(ENDING))
    try:
        files = read_files(path, most)
    except OSError as error:
        raise BundleError(f"it can't be read: {error.strerror or error}") from None
    tops = {file.partition("/")[0] for file in files}
    if not path.is_dir() and len(tops) == 1 and MANIFEST not in files and all("/" in file for file in files):
        files = {file.partition("/")[2]: content for file, content in files.items()}  # everything is in one folder
    return _described(stem, files), files.get(MANIFEST)


def source_advice(files: Iterable[str]) -> str:
    """Return a sentence of advice if one of the files is source code in a language other than Python, or else an empty string."""
    for file in sorted(files, key=lambda file: (file.count("/"), file)):
        ending = PurePosixPath(file).suffix
        if ending in _COMPILED:
            how = f"compile it, and put the program into a folder with a {MANIFEST} that contains command = ['./bot']"
            return f"{file:.60} is source code, not a bot: {how}"
        if ending in _INTERPRETED:
            command = [_INTERPRETED[ending], PurePosixPath(file).name[:60]]
            return f"{file:.60} is source code, not a bot: put it into a folder with a {MANIFEST} that contains command = {command}"
    return ""


# What the files define


def _described(stem: str, files: dict[str, bytes]) -> Bundle:
    if MANIFEST in files:
        return _by_manifest(stem, files)
    tops = [file for file in files if file.endswith(".py") and "/" not in file]
    if "bot.py" in tops or len(tops) == 1:
        return Bundle(stem, tuple(sorted(files.items())), "bot" if "bot.py" in tops else tops[0].removesuffix(".py"), ())
    modules = [file for file in files if file.endswith(WASM)]
    if not tops and len(modules) == 1:
        return module_bundle(stem, files[modules[0]])
    if advice := source_advice(files):
        raise BundleError(advice)
    if tops:
        how = f"name the bot's module bot.py, or write a {MANIFEST} that contains class = 'module:Class'"
        raise BundleError(f"it has several modules and no {MANIFEST}: {how}")
    raise BundleError(f"it has no {MANIFEST} and no bot.py")


def module_bundle(name: str, content: bytes) -> Bundle:
    """Return the bundle of a bot called ``name`` that is a single WebAssembly module. The file in the bundle is always ``bot.wasm``."""
    return Bundle(name, ((f"bot{WASM}", content),), "", (), f"bot{WASM}")


def _by_manifest(stem: str, files: dict[str, bytes]) -> Bundle:
    data = _manifest(files[MANIFEST])
    for key in data:
        if key not in _KEYS:
            hint = did_you_mean(key, _KEYS, f"; the keys are {', '.join(_KEYS)}")
            raise BundleError(f"{MANIFEST}: unknown key '{key:.40}'{hint}")
    name = data.get("name", stem)
    if not isinstance(name, str):
        raise BundleError(f"{MANIFEST}: 'name' must be a string")
    if sum(key in data for key in ("command", "class", "wasm")) != 1:
        raise BundleError(f"{MANIFEST}: give exactly one of 'command' (a list of words), 'class' (module:Class) and 'wasm' (a file)")
    params = _params(data.get("params", {}))
    kept = _listed(data, files)
    files_kept = tuple(sorted(kept.items()))
    if "wasm" in data:
        return replace(_wasm(name, data["wasm"], kept), params=params)
    if "command" in data:
        return Bundle(name, files_kept, "", _command(data["command"], kept), params=params)
    bundle = Bundle(name, files_kept, _entry(data["class"]), (), params=params)
    if bundle.entry_file not in kept:
        raise BundleError(f"{MANIFEST}: 'class' requires the file {bundle.entry_file}, which is not among the bot's files")
    return bundle


def _params(table: object) -> Params:
    if not isinstance(table, dict):
        raise BundleError(f"{MANIFEST}: 'params' must be a table, such as [params] followed by the line depth = 3")
    if reason := unfit(table):
        raise BundleError(f"{MANIFEST}: {reason}")
    return tuple(sorted(table.items()))


def unfit(given: Mapping[str, object]) -> str:
    """Return why these names and values of parameters are not allowed, or an empty string if they are allowed."""
    if len(given) > MOST_PARAMS:
        return f"{len(given)} parameters are too many; a bot may have at most {MOST_PARAMS}"
    for name, value in given.items():
        if not name.isidentifier() or not name.isascii() or len(name) > _LONGEST:
            return f"{name!a:.60} can't be a parameter's name; use letters, digits and _"
        is_short = not isinstance(value, str) or (len(value) <= _LONGEST and value.isprintable())
        is_exact = abs(value) <= _LARGEST if isinstance(value, int) else not isinstance(value, float) or isfinite(value)
        if not isinstance(value, bool | int | float | str) or not is_short or not is_exact:
            what = f"an integer up to 2^53, a finite number, true, false, or a line of up to {_LONGEST} characters"
            return f"the parameter '{name}' must be {what}, not {value!a:.60}"
    return ""


def _manifest(content: bytes) -> dict[str, object]:
    """Return the parsed manifest. Dotted keys and deep nesting, which take tomllib quadratic time and memory, are refused first."""
    if len(content) > LARGEST_MANIFEST:
        raise BundleError(f"its {MANIFEST} is larger than {LARGEST_MANIFEST >> 10} KiB")
    try:
        text = content.decode()
        bare = _TEXTS.sub("", text)
        for sign, most, what in ((".", 20 + MOST_PARAMS, "dots"), ("[", 20, "lists and tables"), ("{", 20, "tables"), ("=", 100, "keys")):
            if bare.count(sign) > most:
                raise BundleError(f"its {MANIFEST} has more than {most} {what}; it can contain only {', '.join(_KEYS)}")
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BundleError(f"its {MANIFEST} is not valid TOML: {error}") from None


def _listed(data: dict[str, object], files: dict[str, bytes]) -> dict[str, bytes]:
    listed = data.get("files")
    if listed is None:
        return {file: content for file, content in files.items() if file != MANIFEST}
    if not isinstance(listed, list) or not listed or not all(isinstance(each, str) for each in listed):
        raise BundleError(f"{MANIFEST}: 'files' must be a list of paths")
    for each in listed:
        if each not in files:
            raise BundleError(f"{MANIFEST}: the file '{each:.60}' does not exist; does it have to be built first?")
    return {each: files[each] for each in listed}


def _wasm(name: str, value: object, files: dict[str, bytes]) -> Bundle:
    if not isinstance(value, str) or not value.endswith(WASM):
        raise BundleError(f"{MANIFEST}: 'wasm' must be the path of a file, such as 'bot{WASM}'")
    path = str(PurePosixPath(value))
    if path not in files:
        raise BundleError(f"{MANIFEST}: the file '{path:.60}' does not exist; does it have to be built first?")
    return module_bundle(name, files[path])


def _entry(value: object) -> str:
    module, _, class_name = value.partition(":") if isinstance(value, str) else ("", "", "")
    module = module.removesuffix(".py").replace("/", ".")
    if not class_name.isidentifier() or not all(part.isidentifier() for part in module.split(".")):
        raise BundleError(f"{MANIFEST}: 'class' must be module:Class, such as 'bot:MyBot'")
    return f"{module}:{class_name}"


def _command(value: object, files: dict[str, bytes]) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(word, str) and word and "\0" not in word for word in value):
        raise BundleError(f"{MANIFEST}: 'command' must be a list of words, such as ['./bot'] or ['node', 'bot.js']")
    command = tuple(value)
    program = str(PurePosixPath(command[0]))
    if program not in files and ("/" in program or shutil.which(program) is None):
        hint = "; does it have to be built first?" if "/" in command[0] else ""
        raise BundleError(f"{MANIFEST}: the command '{command[0]:.60}' is neither a file of the bot nor a program on this machine{hint}")
    return command
