"""Whether the packages of a tournament's bots are installed here, in the versions that it was begun with."""

from __future__ import annotations

from collections.abc import Iterable

from arena.entries.stored_tournament import Begun, ChangedError
from arena.spec.runtime_table import WASMTIME, RuntimeTable
from arena.spec.spec import Spec, SpecError
from bots.host.packages import PackagesError, differing, installed_versions
from bots.loader.version import BotVersion


def check_runtime(spec: Spec, begun: Begun | None) -> None:
    """Raise SpecError for packages that bots can't have here, and ChangedError for another version than the tournament was begun with."""
    installed_versions_of(spec)
    stored = None if begun is None else begun.spec.runtime.versions
    if stored and (changes := differing(stored)):
        install = " ".join(f"{package}=={version}" for package, version in stored.items())
        begun_with = "; with ".join(changes)
        raise ChangedError(
            f"the tournament '{spec.name}' was begun with {begun_with}; install what it was begun with (pip install {install}), or "
            "give the new one another name"
        )


def installed_versions_of(spec: Spec) -> dict[str, str]:
    """Return the version of each package of the spec's runtime that is installed here. Raises SpecError."""
    try:
        return installed_versions(spec.runtime.packages)
    except PackagesError as error:
        raise SpecError(f"the tournament '{spec.name}', 'runtime.packages': {error}") from None


def settled_runtime(spec: Spec, bots: Iterable[BotVersion]) -> RuntimeTable:
    """Return the spec's runtime with the versions that are installed now. Raises SpecError.

    That of wasmtime is among them if a bot is a WebAssembly module.
    """
    versions = installed_versions_of(spec)
    if any(bot.wasm for bot in bots):
        versions |= installed_versions((WASMTIME,))
    return spec.runtime.settled(versions)
