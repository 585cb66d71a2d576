"""Versions of bots (name, content, hash and parameters), how they are serialised, and how bots are created from them.

Parameters are named values that a bot declares with defaults and that its user may set (``bot.py?depth=3``). A Python class declares them
in its attribute ``params``, a dict or an instance of a dataclass; any other bot declares them in the table ``params`` of its ``bot.toml``.
Values that are set become part of the bot's version.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import linecache
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import lru_cache
from math import isfinite
from types import CodeType, ModuleType
from typing import Any, Final, cast

import msgspec

from bots.errors import BotError
from bots.limits import BOT_NAME
from bots.loader.archive import mebibytes
from bots.loader.in_memory import import_from
from bots.loader.manifest import Bundle, Params, ParamValue, unfit
from bots.loader.suggestions import advice_on, did_you_mean
from bots.loader.tracebacks import bot_traceback, own_file
from bots.protocol import Bot
from engine.records import decode
from engine.text import listed, one_line

_OURS: Final = "bots.reference."
"""The prefix of the module names of reference bots."""
_WORDS: Final[Mapping[str, ParamValue]] = {"true": True, "false": False}
_KINDS: Final = {bool: "true or false", int: "an integer", float: "a number", str: "a string"}
_SHOWN: Final = 5
"""The most classes that an error message lists."""


@dataclass(frozen=True, slots=True)
class LiveBot:
    """A bot that exists only in the running program: ``make`` returns it, and ``file`` is the file of its code, for messages."""

    make: Callable[[], object]
    file: str


@dataclass(frozen=True, slots=True)
class BotVersion:
    """A bot as it is played: its name, a hash of its content, and what is needed to create it on any machine.

    - ``digest``: hex SHA-256 of the bot's source, class name and parameters; for a ``live`` bot, it only identifies the object
    - ``origin``: the file or module of the bot, for messages; ``author``: who submitted it
    - ``code``: the source of a single-file bot; ``files``: the content of a folder or archive, by path. A bot that has neither and is not
      ``live`` is a class in a module that must be installed where it plays.
    - ``module``, ``command``, ``wasm``: for a bot with ``files``, one of these is set: the module that contains the class, the command to
      execute, or the path of the WebAssembly module
    - ``live``: set if the bot is a class or an object of this process; such a bot can play only in this process
    - ``declared``: the parameters in the bot's manifest; ``params``: the values that its user has set
    """

    name: str
    digest: str
    origin: str
    class_name: str
    code: str | None = None
    files: tuple[tuple[str, bytes], ...] = ()
    module: str = ""
    command: tuple[str, ...] = ()
    is_submitted: bool = False
    author: str | None = None
    wasm: str = ""
    live: LiveBot | None = None
    declared: Params = ()
    params: Params = ()

    @property
    def label(self) -> str:
        """The name and the first eight digits of the hash, such as ``greedy@1a2b3c4d``."""
        return f"{self.name}@{self.digest[:8]}"

    @property
    def is_installed(self) -> bool:
        """Whether the bot is in a module that must be installed where it plays. The source of such a bot is not stored or sent."""
        return self.code is None and not self.files and self.live is None


def check_size(version: BotVersion, most: int) -> None:
    """Raise BotError if the bot's files have more than ``most`` bytes, for instance because it was submitted under a higher limit."""
    size = len(version.code.encode()) if version.code is not None else sum(len(content) for _, content in version.files)
    if size > most:
        raise BotError(f"the files of {version.origin} take up {mebibytes(size)}, but at most {mebibytes(most)} are allowed")


def check_name(name: str) -> None:
    """Raise BotError unless this is a valid name for a bot."""
    if not BOT_NAME.fullmatch(name):
        raise BotError(
            f"{one_line(repr(name))} can't be a bot's name: use at most 40 characters (A-Z a-z 0-9 . _ -), the first a letter or digit"
        )


def code_digest(class_name: str, code: str) -> str:
    """Return the hash of a single-file bot."""
    return hashlib.sha256(f"{class_name}\n{code}".encode()).hexdigest()


def is_genuine(version: BotVersion) -> bool:
    """Return whether the version's digest matches its content, or False if it has no content."""
    if version.code is not None:
        is_single = not (version.files or version.module or version.command)
        return is_single and version.digest == params_digest(code_digest(version.class_name, version.code), version.params)
    entries = [f"{version.module}:{version.class_name}", version.module]  # with a manifest, or without
    bundles = [
        Bundle(version.name, version.files, entry if version.module else "", version.command, version.wasm, params=version.declared)
        for entry in entries
    ]
    digests = [params_digest(bundle.digest(version.class_name), version.params) for bundle in bundles]
    return not version.is_installed and version.digest in digests


def pack(version: BotVersion) -> bytes:
    """Return the version serialised as bytes. Equal versions give equal bytes."""
    return msgspec.json.encode(version)


def unpack(data: bytes) -> BotVersion:
    """Return the version from the bytes of `pack`. Raises BotError."""
    try:
        return decode(data, BotVersion)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise BotError(f"a stored bot can't be read: {error}") from None


def split_reference(reference: str) -> tuple[str, Params]:
    """Split a reference such as ``bot.py?depth=3&style=bold`` into ``bot.py`` and the parameters. Raises BotError."""
    source, mark, query = reference.partition("?")
    if not mark:
        return reference, ()
    params: dict[str, object] = {}
    for part in query.split("&"):
        name, equals, text = part.partition("=")
        if not equals or not name or name in params:
            raise _refused(f"{reference:.200}: write parameters after '?' as NAME=VALUE&NAME=VALUE, with each name only once")
        params[name] = read_value(text)
    return source, make_params(params, source)


def read_value(text: str) -> ParamValue:
    """Return the value of a parameter written as text: a bool for ``true`` and ``false``, an int, a float, or else the text itself."""
    if text in _WORDS:
        return _WORDS[text]
    for kind in (int, float):
        try:
            value = kind(text)
        except ValueError:
            continue
        return value if "_" not in text and isfinite(value) else text
    return text


def make_params(given: Mapping[str, object], where: str) -> Params:
    """Return parameters in their stored form. Raises BotError, with a message that begins with ``where``, if a name or value is not
    allowed."""
    if reason := unfit(given):
        raise _refused(f"{where}: {reason}")
    return tuple(sorted(given.items()))  # type: ignore[arg-type]  # every value has been checked


def _refused(sentence: str) -> BotError:
    return BotError(one_line(sentence))


def with_params(version: BotVersion, params: Params) -> BotVersion:
    """Return the version with these parameters set. Raises BotError.

    The parameters of a Python class are not checked until the bot is created.
    """
    if not params:
        return version
    if version.params:
        raise _refused(
            f"the bot {version.origin} has parameters from two places; set them once: in its submission, after '?' or in 'params'"
        )
    if version.command or version.wasm:
        settings(dict(version.declared), params, version.origin)
    return replace(version, params=params, digest=params_digest(version.digest, params))


def params_digest(digest: str, params: Params) -> str:
    """Return the hash of a version with these parameters, given its hash without parameters."""
    return hashlib.sha256(f"{digest}\n{json.dumps(params)}".encode()).hexdigest() if params else digest


def params_of(version: BotVersion) -> dict[str, ParamValue]:
    """Return the parameters of a bot: the defaults in its manifest, updated with the values that were set."""
    if version.command or version.wasm:
        return settings(dict(version.declared), version.params, version.origin)
    return dict(version.declared) | dict(version.params)


def settings(defaults: Mapping[str, object], params: Params, origin: str) -> dict[str, Any]:
    """Return the defaults updated with these parameters. Raises BotError for an unknown name or a value of the wrong type."""
    values = dict(defaults)
    for name, value in params:
        if name not in defaults:
            which = f"; it has {', '.join(defaults)}" if defaults else ""
            raise _refused(f"the bot {origin} has no parameter '{name}'{did_you_mean(name, list(defaults), which)}")
        values[name] = _like(defaults[name], value, f"the bot {origin}: the parameter '{name}'")
    return values


def _like(default: object, value: ParamValue, what: str) -> ParamValue:
    kind = type(default)
    if kind is float and type(value) is int:
        return float(value)
    if default is not None and kind is not type(value):
        wanted = _KINDS.get(kind, f"of type {kind.__name__}, which can't be set here")
        raise _refused(f"{what} must be {wanted}, not {json.dumps(value)}")
    return value


def made_with(factory: Callable[[], object], given: Mapping[str, ParamValue], origin: str) -> object:
    """Create a bot with these ``params``; its constructor can read ``self.params``. Raises BotError, and what the constructor raises."""
    declared = getattr(factory, "params", None)
    params = tuple(given.items())
    is_ours, origin = origin.startswith(_OURS), origin.removeprefix(_OURS)
    if isinstance(declared, dict):
        values: object = settings(declared, params, origin)
    elif is_dataclass(declared) and not isinstance(declared, type):
        names = [each.name for each in fields(declared) if each.init]
        filled = settings({name: getattr(declared, name) for name in names}, params, origin)
        try:
            values = replace(declared, **{name: filled[name] for name, _ in params})
        except Exception as error:
            raise _refused(f"the bot {origin} refuses its parameters: {str(error) or type(error).__name__}") from error
    else:
        how = "" if is_ours else '; declare them with defaults in its class: params = {"depth": 2}'
        raise _refused(f"the bot {origin} has no parameters{how}")
    bot = factory.__new__(factory) if isinstance(factory, type) else None  # type: ignore[call-overload]  # any class of a contestant
    if bot is None:
        bot = factory()
        bot.params = values  # type: ignore[attr-defined]  # any object of a contestant
        return bot
    bot.params = values
    bot.__init__()
    return bot


def import_bot(version: BotVersion) -> ModuleType:
    """Import and return the bot's module. Raises BotError; its message tells which line failed."""
    try:
        if version.files:
            return import_from(dict(version.files), version.module, version.origin)
        if version.code is None:
            return importlib.import_module(version.origin)
        return _module_of_code(version.code, version.origin)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # a contestant's module may raise anything
        sentence = f"the bot {version.origin} can't be imported: {error_line(error, version)}"
        raise BotError(sentence, bot_traceback(error, version)) from None


def _module_of_code(code: str, origin: str) -> ModuleType:
    """Return a new module created from source text, so that no state is left from other bots or earlier matches. Tracebacks show its
    lines."""
    module_name = f"bot_{hashlib.sha256(code.encode()).hexdigest()[:16]}"
    filename = f"<{origin}>"
    linecache.cache[filename] = (len(code), None, code.splitlines(keepends=True), filename)
    module = ModuleType(module_name)
    module.__file__ = filename
    compiled = _compiled(code, filename)
    sys.modules[module_name] = module  # its classes may look it up
    try:
        exec(compiled, vars(module))  # noqa: S102  # running the contestant's file is the point
    except BaseException:
        del sys.modules[module_name]
        raise
    return module


@lru_cache(maxsize=64)
def _compiled(code: str, filename: str) -> CodeType:
    compiled: CodeType = compile(code, filename, "exec")
    return compiled


def error_line(error: BaseException, version: BotVersion) -> str:
    """Return one line of text on an exception, with the line number of the last call in the bot's own code."""
    if isinstance(error, SyntaxError):
        text = one_line(traceback.format_exception_only(error)[-1])
        return text if error.lineno is None else f"{text} (line {error.lineno})"
    text = one_line(traceback.format_exception_only(error)[0])
    todo = advice_on(error, is_one_file=version.code is not None)
    calls = traceback.extract_tb(error.__traceback__)
    places = [(file, call.lineno) for call in calls if (file := own_file(call.filename, version)) is not None]
    if not places:
        return f"{text}{todo}"
    file, line = places[-1]
    return f"{text} ({f'{file}, ' if version.files else ''}line {line}){todo}"


def load(version: BotVersion) -> Callable[[], object]:
    """Import the bot's module and return its class, or return the factory of a live bot. Raises BotError."""
    if version.live is not None:
        return version.live.make
    module = import_bot(version)
    bot_class = getattr(module, version.class_name, None)
    if not callable(bot_class):
        named = [name for name, value in vars(module).items() if isinstance(value, type) and hasattr(value, "choose")]
        otherwise = f"; it has {listed(named[:_SHOWN])}" if named else ""
        more = one_line(did_you_mean(version.class_name, named, otherwise))
        raise BotError(f"the bot {version.origin} has no class '{version.class_name}'{more}")
    return bot_class  # type: ignore[no-any-return]  # make_bot checks what a contestant's class creates


def make_bot(version: BotVersion, factory: Callable[[], object]) -> Bot:
    """Create a bot with its class or factory. Raises BotError if that raises an exception, or if the bot has no method ``choose``."""
    try:
        params = params_of(version)
        bot = made_with(factory, params, version.origin) if params else factory()
        if callable(getattr(bot, "choose", None)):  # what the protocol requires, but faster than isinstance
            return cast("Bot", bot)
    except (KeyboardInterrupt, BotError):
        raise
    except BaseException as error:  # a contestant's constructor may raise anything
        sentence = f"the bot {version.origin} can't be created: {version.class_name}() raised {error_line(error, version)}"
        raise BotError(sentence, bot_traceback(error, version)) from error
    raise BotError(f"the bot {version.origin} lacks a method: its class {version.class_name} must define 'choose(self, view, clock)'")
