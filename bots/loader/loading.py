"""Turns a reference, the text by which a user names a bot, into a version of the bot (`bots.loader.version`), or into a bot that can play.

A reference is a name (``greedy``), ``file.py``, ``file.py:Class``, ``file.wasm``, a folder, an archive or ``module:Class``, with optional
parameters (``file.py?depth=3``). `identify` reads the bot without running it, `resolve` also creates it in this process, and `load_bot`
returns a bot that can play.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TypeAlias, cast

from bots.errors import BotError, ModuleError, RuntimeMissingError
from bots.limits import fitting_name
from bots.loader.apart import compile_apart, read_apart
from bots.loader.archive import MOST_BYTES
from bots.loader.manifest import WASM, Params, is_bundle, source_advice
from bots.loader.reference_bots import REFERENCE_BOTS, REFERENCE_PACKAGE
from bots.loader.static_analysis import Reading, UnreadableError, find_sources, read_bot
from bots.loader.suggestions import did_you_mean
from bots.loader.version import (
    BotVersion,
    LiveBot,
    check_name,
    code_digest,
    import_bot,
    load,
    make_bot,
    split_reference,
    with_params,
)
from bots.protocol import Bot, MatchInfo
from engine.text import one_line

Read: TypeAlias = Callable[[Path, str, str, int], Reading]
"""A function that reads a bot's files: `read_apart` for strangers' bots, or `read_bot` for bots that will run in this process anyway."""


def resolve(
    reference: str, *, name: str | None = None, base: Path | None = None, most: int = MOST_BYTES, params: Params = ()
) -> BotVersion:
    """Return the version of the bot that ``reference`` names. To check that it works, the bot is created once, except for WebAssembly bots.

    Paths are relative to ``base`` (the working directory by default). The bot's files may have up to ``most`` bytes. Raises BotError.
    """
    version = _version(reference, name, base, read_bot, most, params)
    if not version.wasm:
        _made(version)
    return version


def resolve_live(bot: Bot | Callable[[], Bot]) -> BotVersion:
    """Return a version of ``bot``, which is a class or other callable that creates bots, or else an object that plays every match.

    The bot is created once to check that it works. Raises BotError.
    """
    is_object = not callable(bot) or (callable(getattr(bot, "choose", None)) and not isinstance(bot, type))
    maker = type(bot) if is_object else bot
    name = getattr(maker, "__name__", type(bot).__name__)
    file = getattr(getattr(getattr(maker, "choose", maker), "__code__", None), "co_filename", "")
    make = cast("Callable[[], object]", (lambda: bot) if is_object else bot)
    version = BotVersion(name, hashlib.sha256(f"{name} {id(bot)}".encode()).hexdigest(), name, name, live=LiveBot(make, file))
    named = replace(version, name=type(_made(version)).__name__)
    check_name(named.name)
    return named


def load_bot(reference: str, info: MatchInfo | None = None, *, base: Path | None = None) -> Bot:
    """Return a new bot in this process. ``reference`` is the name of a reference bot, ``file.py``, ``file.py:Class`` or ``module:Class``.

    If ``info`` is given, the bot's ``start`` is called with it; most bots need that before they can choose. Paths are relative to ``base``
    (the working directory by default). The bot's code runs with all your rights, so load only bots that you trust. Raises BotError for a
    bot that can't be loaded, and whatever ``start`` raises.
    """
    if reference in REFERENCE_BOTS:  # its files are not hashed, so this also works in a sandbox
        module, _, class_name = REFERENCE_BOTS[reference].partition(":")
        version = BotVersion(reference, "", module, class_name)
        bot = make_bot(version, load(version))
    else:
        bot = _made(_version(reference, None, base, read_bot, MOST_BYTES, ()))
    start = getattr(bot, "start", None)
    if info is not None and start is not None:
        start(info)
    return bot


def _made(version: BotVersion) -> Bot:
    if version.files:
        what = "is a command" if version.command else "is a WebAssembly module" if version.wasm else "has several files"
        its_class = "" if version.command or version.wasm else ", or name its class: PYTHONPATH=FOLDER arena ... module:Class"
        raise BotError(f"the bot {version.origin} {what}, so it can't play in the host's process; give --isolation best or L0{its_class}")
    return make_bot(version, load(version))


def identify(
    reference: str, *, name: str | None = None, base: Path | None = None, most: int = MOST_BYTES, params: Params = ()
) -> BotVersion:
    """Return the same version as `resolve`, but run none of the bot's code, unless the bot is in an installed module. The arguments are the
    same as those of `resolve`. Raises BotError."""
    return _version(reference, name, base, read_apart, most, params)


def _version(reference: str, name: str | None, base: Path | None, read_file: Read, most: int, params: Params) -> BotVersion:
    source, own = split_reference(reference)
    version = with_params(with_params(_version_of(source, name, base, read_file, most), own), params)
    params = version.params
    if params and version.is_installed:
        _made(version)  # checks the parameters; the class is installed anyway
    return version


def _version_of(reference: str, name: str | None, base: Path | None, read_file: Read, most: int) -> BotVersion:
    target, _, class_name = reference.partition(":")
    path = (base or Path()) / target
    if reference in REFERENCE_BOTS:
        module, _, class_name = REFERENCE_BOTS[reference].partition(":")
        version = _module_version(module, class_name, name or reference)
    elif target.endswith(WASM) and not path.is_dir():
        version = read_version(path, class_name, name, most=most)
    elif target and is_bundle(path):
        shown = target if path.name.strip(".") else path.resolve().name  # "." and ".." would not be helpful in messages
        version = read_version(path, class_name, name, shown, most=most)
    elif path.is_file() and (sentence := source_advice([path.name])):
        raise BotError(f"the bot {path}: {sentence}")
    elif target.endswith(".py") or "/" in target:
        here = read_file if path.suffix == ".py" else read_apart  # the file may be a database that this process has open
        version = read_version(path, class_name, name or class_name or None, most=most, read=here)
    elif class_name:
        version = _module_version(target, class_name, name or class_name)
    else:
        raise BotError(_unknown(reference))
    check_name(version.name)
    return version


def read_version(
    path: Path, class_name: str = "", name: str | None = None, shown: str = "", *, most: int = MOST_BYTES, read: Read = read_apart
) -> BotVersion:
    """Return the version of the bot in a file, a folder or an archive. The bot is never run; by default, a process with limits reads it.

    ``shown`` is the bot's name in errors, by default its path; ``most`` is the limit for its files in bytes. Raises BotError.
    """
    shown = shown or str(path)
    try:
        reading = read(path, class_name, shown, most)
    except UnreadableError as error:
        raise BotError(_sentence(error)) from None
    bundle = reading.bundle
    if bundle is None:
        assert reading.code is not None
        return BotVersion(
            name or fitting_name(path.stem), code_digest(reading.class_name, reading.code), shown, reading.class_name, reading.code
        )
    if bundle.wasm:
        if class_name:
            raise BotError(f"the bot {shown} is a WebAssembly module, which has no classes; leave out ':{class_name}'")
        check_module(dict(bundle.files)[bundle.wasm], shown)
    return BotVersion(
        name=name or bundle.name, digest=bundle.digest(reading.class_name), origin=shown, class_name=reading.class_name,
        files=bundle.files, module=bundle.entry.partition(":")[0], command=bundle.command, wasm=bundle.wasm, declared=bundle.params,
    )  # fmt: skip


def check_module(wasm: bytes, shown: str) -> None:
    """Raise BotError about the bot ``shown`` unless the WebAssembly module can be compiled and has a bot's imports and exports."""
    try:
        compile_apart(wasm)
    except RuntimeMissingError as error:
        raise BotError(f"the bot {shown} can't be played: {error}") from None
    except ModuleError as error:
        raise BotError(f"the bot {shown} {one_line(str(error))}") from None


def _sentence(error: UnreadableError) -> str:
    return f"{error.before}{one_line(error.detail)}{error.after}"


def _unknown(reference: str) -> str:
    if Path(reference).is_file():
        return f"{reference} is not a bot; a bot is a .py or .wasm file, a folder or an archive"
    ways = f": name one of {', '.join(REFERENCE_BOTS)}, a file such as my_bot.py, or module:Class"
    return f"there is no bot '{reference}'{did_you_mean(reference, REFERENCE_BOTS, ways)}"


def _module_version(module: str, class_name: str, name: str) -> BotVersion:
    imported = import_bot(BotVersion(name, "", module, class_name))
    return BotVersion(name, hashlib.sha256(class_name.encode() + b"\n" + _source_of(imported)).hexdigest(), module, class_name)


def _source_of(module: ModuleType) -> bytes:
    """Return the source that a module's bot depends on: its file and, in a package, all Python files next to it, since it may load any.

    For a reference bot, only the modules that it imports count, so that its version does not change when a bot is added. If it looks up a
    game's heuristic, all heuristics count, since the game's plug-in selects one. The same applies to value functions and their weights.
    """
    if not getattr(module, "__file__", None):
        return b""
    path = Path(str(module.__file__))
    if module.__package__ == REFERENCE_PACKAGE:
        files = _files_of_reference_bot(path)
    else:
        files = sorted(path.parent.glob("*.py")) if module.__package__ else [path]
    return b"\n".join(file.read_bytes() for file in files)


@cache
def _files_of_reference_bot(path: Path) -> list[Path]:
    files = list(find_sources(path, REFERENCE_PACKAGE))
    for part in ("heuristics", "valuation"):
        folder = path.parent / part
        if folder / "registry.py" in files:
            files = sorted({*files, *folder.glob("*.py"), *folder.glob("*.json")})
    return files
