"""Imports the module of a bot's version, and makes bots of its class: all that a bot's own process needs; `loading` finds versions."""

from __future__ import annotations

import hashlib
import importlib
import linecache
import sys
import traceback
from collections.abc import Callable
from functools import lru_cache
from types import CodeType, ModuleType
from typing import Final, cast

from bots.errors import BotError
from bots.loader.in_memory import import_from, place_of
from bots.loader.params import made_with, params_of
from bots.loader.suggestions import advice_on, did_you_mean
from bots.loader.tracebacks import bot_traceback
from bots.loader.version import BotVersion
from bots.protocol import Bot
from engine.text import listed, one_line

_SHOWN: Final = 5
"""The most classes that are named."""


def import_bot(version: BotVersion) -> ModuleType:
    """Return the bot's module. Raises BotError that names the line which failed."""
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
    """Return a new module made of source text, so that no state is left from other bots or earlier matches.

    Tracebacks show its lines.
    """
    module_name = f"bot_{hashlib.sha256(code.encode()).hexdigest()[:16]}"
    filename = f"<{origin}>"
    linecache.cache[filename] = (len(code), None, code.splitlines(keepends=True), filename)
    module = ModuleType(module_name)
    module.__file__ = filename
    compiled = _compiled(code, filename)
    sys.modules[module_name] = module  # its classes may ask for it
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
    """Return an exception as one line, with the innermost line of the bot's own code that led to it."""
    if isinstance(error, SyntaxError):
        text = one_line(traceback.format_exception_only(error)[-1])
        return text if error.lineno is None else f"{text} (line {error.lineno})"
    text = one_line(traceback.format_exception_only(error)[0])
    todo = advice_on(error, is_one_file=version.code is not None)
    if version.files:
        return text + place_of(error, version.origin) + todo
    filename = f"<{version.origin}>" if version.code is not None else _file_of_module(version)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == filename]
    return f"{text} (line {lines[-1]}){todo}" if lines else f"{text}{todo}"


def _file_of_module(version: BotVersion) -> str | None:
    return version.live.file if version.live else getattr(sys.modules.get(version.origin), "__file__", None)


def load(version: BotVersion) -> Callable[[], object]:
    """Return the bot's class. Raises BotError."""
    if version.live is not None:
        return version.live.make
    module = import_bot(version)
    bot_class = getattr(module, version.class_name, None)
    if not callable(bot_class):
        named = [name for name, value in vars(module).items() if isinstance(value, type) and hasattr(value, "choose")]
        otherwise = f"; it has {listed(named[:_SHOWN])}" if named else ""
        more = one_line(did_you_mean(version.class_name, named, otherwise))
        raise BotError(f"the bot {version.origin} has no class '{version.class_name}'{more}")
    return bot_class  # type: ignore[no-any-return]  # make_bot checks what a contestant's class makes


def make_bot(version: BotVersion, factory: Callable[[], object]) -> Bot:
    """Return a new bot. Raises BotError if its constructor raises or it has no ``choose``."""
    try:
        params = params_of(version)
        bot = made_with(factory, params, version.origin) if params else factory()
        if callable(getattr(bot, "choose", None)):  # what the protocol requires, without the cost of isinstance
            return cast("Bot", bot)
    except (KeyboardInterrupt, BotError):
        raise
    except BaseException as error:  # a contestant's constructor may raise anything
        sentence = f"the bot {version.origin} can't be created: {version.class_name}() raised {error_line(error, version)}"
        raise BotError(sentence, bot_traceback(error, version)) from error
    raise BotError(f"the bot {version.origin} lacks a method: its class {version.class_name} needs 'choose(self, view, clock)'")
