"""Says how to debug a bot to a bot that asks for a terminal in a process of its own, where there is none."""

from __future__ import annotations

import builtins
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, NoReturn

from bots.loader.version import BotVersion
from bots.messages import Match

_SEATS: Final = 2
"""Seats that a command line has bots for without being told."""


def explain_debugging(version: BotVersion, match: Callable[[], Match | None]) -> None:
    """Make ``breakpoint()``, ``pdb.set_trace()`` and ``input()`` raise an error that says where they work.

    ``match`` returns what is played, once that is known.
    """

    def stop(*_args: object, **_more: object) -> NoReturn:
        raise RuntimeError(_sentence("breakpoint()", version, match()))

    def read(*_args: object) -> NoReturn:
        if sys._getframe(1).f_globals.get("__name__") == "cmd":  # noqa: SLF001  # a debugger, which takes an EOFError for the end of its input
            raise RuntimeError(_sentence("a debugger", version, match()))
        raise EOFError(_sentence("input()", version, match()))

    sys.breakpointhook = stop
    builtins.input = read


def _sentence(what: str, version: BotVersion, match: Match | None) -> str:
    return f"{what} works only where the bot runs in your own process, at a terminal: {how_to_debug(version, match)}"


def how_to_debug(version: BotVersion, match: Match | None) -> str:
    """Return the command that plays the bot in the process of the command, where a debugger reaches it."""
    name = shlex.quote(Path(version.origin).name)
    bot = f"{shlex.quote(version.module)}:{shlex.quote(version.class_name)}" if version.files else name
    words = [*([f"PYTHONPATH={name}"] if version.files else []), "arena match", bot]
    players = match.players if match is not None else _SEATS
    words += ["random"] * (players > 1) + [f"--players {players}"] * (players > _SEATS)
    if match is not None:
        words.append(f"--game {shlex.quote(match.game)}")
    return " ".join([*words, "--isolation none --seed 5"])
