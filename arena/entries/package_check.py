"""Which packages a bot needs, by the imports in its sources, and whether the bots of a competition have them."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Final

from bots.host.packages import shown_modules, version_here
from bots.loader.apart import imports_apart
from bots.loader.static_analysis import UnreadableError
from bots.runtime import Runtime, normal_name
from bots.sandbox.levels import Level
from engine.core import Game
from engine.packages import modules_of
from engine.registry import find_registration

_OURS: Final = frozenset(("bots", "engine"))
"""What every bot has of this program."""


@dataclass(frozen=True, slots=True)
class Need:
    """A module that a bot imports, and whether bots get it; the package that has it and its version are empty if none is installed."""

    module: str
    package: str
    version: str
    is_allowed: bool

    def __str__(self) -> str:
        name = self.package or self.module
        if self.is_allowed:
            return f"{name} {self.version}, which bots have here" if self.version else f"{name}, which bots have here"
        what = (
            f"{name} {self.version}, which is installed here, but not for bots" if self.version else f"{name}, which bots don't have here"
        )
        return f"{what}: ask the host for it ([runtime] packages in docs/tournament-file.md)"


def find_needs(path: Path, runtime: Runtime, game: Game, isolation: str) -> tuple[Need, ...]:
    """Return what a bot that is read from a path needs, by module. Without isolation it has all that is installed.

    What can't be read needs nothing, since whoever plays it says why.
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
    """Return needs for JSON."""
    return [asdict(need) for need in needs]
