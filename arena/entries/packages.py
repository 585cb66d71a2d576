"""The packages that a bot imports, and whether they are available to it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Final

from bots.host.packages import shown_modules, version_here
from bots.limits import Level, Runtime, normal_name
from bots.loader.apart import imports_apart
from bots.loader.static_analysis import UnreadableError
from engine.core import Game
from engine.registry import find_registration, modules_of

_OURS: Final = frozenset(("bots", "engine"))
"""The modules of this program that every bot can import."""


@dataclass(frozen=True, slots=True)
class Need:
    """A module that a bot imports, the installed package that provides it (empty if there is none), and whether bots may use it."""

    module: str
    package: str
    version: str
    is_allowed: bool

    def __str__(self) -> str:
        name = self.package or self.module
        if self.is_allowed:
            return f"{name} {self.version}, available to bots" if self.version else f"{name}, available to bots"
        ask = "ask the host for it ([runtime] packages in docs/tournament-file.md)"
        if self.version:
            return f"{name} {self.version}, installed, but not available to bots: {ask}"
        return f"{name}, not available to bots: {ask}; if it is a file of your own, send it in a folder with the bot"


def find_needs(path: Path, runtime: Runtime, game: Game, isolation: str) -> tuple[Need, ...]:
    """Return the modules that the bot at ``path`` imports. Without isolation, the bot may use every installed module.

    If the bot can't be read, return an empty tuple; the reason is reported when the bot is played.
    """
    try:
        imported = imports_apart(path, str(path), runtime.most_bytes)
    except UnreadableError:
        return ()
    allowed = {*_OURS, *shown_modules(runtime.packages), *modules_of(find_registration(game.name))}
    return tuple(
        _need(module, runtime, is_allowed=isolation == str(Level.NONE) or module in allowed) for module in imported if module not in _OURS
    )


def _need(module: str, runtime: Runtime, *, is_allowed: bool) -> Need:
    packages = dict.fromkeys(packages_distributions().get(module, ()))
    named = {normal_name(package): package for package in runtime.packages}
    package = next((named[normal_name(each)] for each in packages if normal_name(each) in named), next(iter(packages), ""))
    version = version_here(package) if package else ""
    return Need(module, package, version, is_allowed and bool(version or module in sys.modules))


def needs_data(needs: Iterable[Need]) -> list[dict[str, object]]:
    """Return the needs as dicts for JSON."""
    return [asdict(need) for need in needs]
