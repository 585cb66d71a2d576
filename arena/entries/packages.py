"""Packages of bots: checks that a tournament's packages are installed in the versions it began with, and lists those that a bot imports."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Final

from arena.entries.stored_tournament import ChangedError, ExistingTournament
from arena.spec.spec import Spec, SpecError
from arena.spec.tables import WASMTIME, RuntimeTable
from bots.host.packages import PackagesError, differing, installed_versions, shown_modules, version_here
from bots.loader.apart import imports_apart
from bots.loader.static_analysis import UnreadableError
from bots.loader.version import BotVersion
from bots.runtime import Runtime, normal_name
from bots.sandbox.levels import Level
from engine.core import Game
from engine.registry import find_registration, modules_of


def check_runtime(spec: Spec, existing: ExistingTournament | None) -> None:
    """Raise SpecError for packages that are not available to bots here, and ChangedError for versions other than those the tournament began
    with."""
    versions_of(spec)
    stored = None if existing is None else existing.spec.runtime.versions
    if stored and (changes := differing(stored)):
        install = " ".join(f"{package}=={version}" for package, version in stored.items())
        begun_with = "; with ".join(changes)
        raise ChangedError(
            f"the tournament '{spec.name}' was started with {begun_with}; install what it was started with (pip install {install}), or "
            "give the new one another name"
        )


def versions_of(spec: Spec) -> dict[str, str]:
    """Return the version of each package of the spec's runtime that is installed here. Raises SpecError."""
    try:
        return installed_versions(spec.runtime.packages)
    except PackagesError as error:
        raise SpecError(f"the tournament '{spec.name}', 'runtime.packages': {error}") from None


def runtime_with_versions(spec: Spec, bots: Iterable[BotVersion]) -> RuntimeTable:
    """Return the spec's runtime with the versions that are installed now. Raises SpecError.

    They include wasmtime's version if a bot is a WebAssembly module.
    """
    versions = versions_of(spec)
    if any(bot.wasm for bot in bots):
        versions |= installed_versions((WASMTIME,))
    return spec.runtime.with_versions(versions)


_OURS: Final = frozenset(("bots", "engine"))
"""The modules of this program that every bot can import."""


@dataclass(frozen=True, slots=True)
class Need:
    """A module that a bot imports, and whether it is available to bots; package and version are empty if no installed package has it."""

    module: str
    package: str
    version: str
    is_allowed: bool

    def __str__(self) -> str:
        name = self.package or self.module
        if self.is_allowed:
            return f"{name} {self.version}, available to bots here" if self.version else f"{name}, available to bots here"
        ask = "ask the host for it ([runtime] packages in docs/tournament-file.md)"
        if self.version:
            return f"{name} {self.version}, installed here, but not for bots: {ask}"
        return f"{name}, not available to bots here: {ask}, or if it is a file of your own, send a folder with both"


def find_needs(path: Path, runtime: Runtime, game: Game, isolation: str) -> tuple[Need, ...]:
    """Return the needs of a bot read from a path, by module. Without isolation, every installed package is available to it.

    A bot that can't be read needs nothing; playing it reports why.
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
