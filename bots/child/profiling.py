"""Measures the time spent in a bot's functions, in the process where it plays (``arena match --profile``)."""

from __future__ import annotations

import re
from collections.abc import Callable
from cProfile import Profile
from pathlib import PurePath
from types import CodeType
from typing import Final, ParamSpec, TypeVar

from bots.child import loop
from bots.loader.version import BotVersion
from bots.messages import FunctionProfile, FunctionTime

P = ParamSpec("P")
R = TypeVar("R")

TOP: Final = 15
"""The number of functions in each table."""
_LONGEST: Final = 200
_BUILT_IN: Final = re.compile(r"<(?:built-in )?method (?:builtins\.)?(.+)>")
_OF_TYPE: Final = re.compile(r"'(.+)' of '(.+)' objects")
_OURS: Final = "_lsprof.Profiler.disable"


def serve(payload: bytes) -> None:
    """Play one match as `loop.serve` does, and send the profile with the last message."""
    loop.serve(payload, Profiler())


class Profiler:
    """A profile of the bot's functions and of what they call in the engine and in Python's library."""

    def __init__(self) -> None:
        self._profile = Profile()

    def call(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call a function of the bot, and measure it."""
        self._profile.enable()
        try:
            return function(*args, **kwargs)
        finally:
            self._profile.disable()

    def result(self, version: BotVersion) -> FunctionProfile:
        """Return the functions that took the most time, by themselves and including the functions they called."""
        functions = []
        for entry in self._profile.getstats():
            name, place = _named(entry.code, version)
            if name != _OURS:
                functions.append(FunctionTime(name[:_LONGEST], place[:_LONGEST], entry.callcount, entry.inlinetime, entry.totaltime))
        return FunctionProfile(
            seconds=sum(each.own for each in functions),
            own=tuple(sorted(functions, key=lambda each: -each.own)[:TOP]),
            total=tuple(sorted(functions, key=lambda each: -each.total)[:TOP]),
        )


def _named(code: CodeType | str, version: BotVersion) -> tuple[str, str]:
    """Return the name of a function, and its file and line unless it is compiled."""
    if isinstance(code, str):
        match = _BUILT_IN.fullmatch(code)
        name = match[1] if match else code.strip("<>")
        method = _OF_TYPE.fullmatch(name)
        return f"{method[2]}.{method[1]}" if method else name, ""
    start = f"<{version.origin}>"
    file = code.co_filename
    if file.startswith(start):
        shown = file.removeprefix(start).lstrip("/") or PurePath(version.origin).name
    else:
        shown = "/".join(PurePath(file).parts[-2:])
    return code.co_qualname, f"{shown}:{code.co_firstlineno}"
