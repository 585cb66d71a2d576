"""Parameters of bots: named values that a bot declares with defaults, and that the person who enters it may set (``bot.py?depth=3``).

A class declares them as its attribute ``params``, a dict or an instance of a dataclass; a bot in another language in the table ``params``
of its ``bot.toml``. Values that are set become part of the bot's version.

The process that reads bots of strangers imports it, so it needs only the standard library.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from bots.loader.suggestions import did_you_mean

if TYPE_CHECKING:
    from bots.loader.version import BotVersion

ParamValue: TypeAlias = bool | int | float | str
Params: TypeAlias = tuple[tuple[str, ParamValue], ...]
"""Names and values, in the order of the names."""

MOST: Final = 40
_LONGEST: Final = 200
_LARGEST: Final = 2**53
"""The largest integer that all languages read exactly."""
_OURS: Final = "bots.reference."
"""The prefix of the names of reference bots' modules."""
_WORDS: Final[Mapping[str, ParamValue]] = {"true": True, "false": False}
_KINDS: Final = {bool: "true or false", int: "an integer", float: "a number", str: "a text"}


def split_reference(reference: str) -> tuple[str, Params]:
    """Return ``bot.py`` and its parameters for ``bot.py?depth=3&style=bold``. Raises BotError."""
    source, mark, query = reference.partition("?")
    if not mark:
        return reference, ()
    params: dict[str, object] = {}
    for part in query.split("&"):
        name, equals, text = part.partition("=")
        if not equals or not name or name in params:
            raise _refused(f"{reference:.200}: after '?' parameters are written as NAME=VALUE&NAME=VALUE, each of them once")
        params[name] = read_value(text)
    return source, make_params(params, source)


def read_value(text: str) -> ParamValue:
    """Return the value that a text stands for: ``true``, ``false``, an integer, a number, or else the text itself."""
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
    """Return parameters in their stored form. Raises BotError, whose text begins with ``where``, for parameters that are invalid for any
    bot."""
    if reason := unfit(given):
        raise _refused(f"{where}: {reason}")
    return tuple(sorted(given.items()))  # type: ignore[arg-type]  # each value has been looked at


def unfit(given: Mapping[str, object]) -> str:
    """Return why these parameters are invalid for any bot; empty if they are valid."""
    if len(given) > MOST:
        return f"{len(given)} parameters are too many; a bot may have {MOST}"
    for name, value in given.items():
        if not name.isidentifier() or not name.isascii() or len(name) > _LONGEST:
            return f"{name!a:.60} can't be the name of a parameter; use letters, digits and _"
        is_short = not isinstance(value, str) or (len(value) <= _LONGEST and value.isprintable())
        is_exact = abs(value) <= _LARGEST if isinstance(value, int) else not isinstance(value, float) or isfinite(value)
        if not isinstance(value, bool | int | float | str) or not is_short or not is_exact:
            what = f"an integer up to 2^53, a finite number, true, false, or a line of up to {_LONGEST} characters"
            return f"the parameter '{name}' should be {what}, not {value!a:.60}"
    return ""


def _refused(sentence: str) -> Exception:
    from bots.errors import BotError  # noqa: PLC0415  # it imports the engine
    from engine.text import one_line  # noqa: PLC0415  # the same

    return BotError(one_line(sentence))


def with_params(version: BotVersion, params: Params) -> BotVersion:
    """Return the version with these parameters added to those it already has. Raises BotError.

    Only parameters of a bot in another language can be checked here; those of a class are checked when the bot is made.
    """
    if not params:
        return version
    if version.params:
        raise _refused(f"the bot {version.origin} has been given parameters before; submit one without, and set them where it plays")
    if version.command or version.wasm:
        settings(dict(version.declared), params, version.origin)
    return replace(version, params=params, digest=params_digest(version.digest, params))


def params_digest(digest: str, params: Params) -> str:
    """Return the hash of a version with these parameters, given its hash without any."""
    return hashlib.sha256(f"{digest}\n{json.dumps(params)}".encode()).hexdigest() if params else digest


def params_of(version: BotVersion) -> dict[str, ParamValue]:
    """Return the parameters of a bot: its declared defaults, and the values given to it."""
    if version.command or version.wasm:
        return settings(dict(version.declared), version.params, version.origin)
    return dict(version.declared) | dict(version.params)


def settings(defaults: Mapping[str, object], params: Params, origin: str) -> dict[str, Any]:
    """Return the defaults updated with these parameters. Raises BotError for an unknown name or a value of another type."""
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
        wanted = _KINDS.get(kind, f"of the kind {kind.__name__}, which can't be set here")
        raise _refused(f"{what} should be {wanted}, not {json.dumps(value)}")
    return value


def made_with(factory: Callable[[], object], given: Mapping[str, ParamValue], origin: str) -> object:
    """Return a new bot whose ``params`` already have these values in its constructor. Raises BotError and what the constructor raises."""
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
        how = "" if is_ours else "; 'params = {\"depth\": 2}' in its class declares one with its default"
        raise _refused(f"the bot {origin} has no parameters{how}")
    bot = factory.__new__(factory) if isinstance(factory, type) else None  # type: ignore[call-overload]  # any class of a contestant's
    if bot is None:
        bot = factory()
        bot.params = values  # type: ignore[attr-defined]  # the same
        return bot
    bot.params = values
    bot.__init__()
    return bot
