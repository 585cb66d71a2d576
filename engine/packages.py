"""The package that brings a game: which of its modules are the game's, and what tells one version of its code from another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from engine.registry import OWN, GameError, Registration, find_plugin, find_registration

_NO_CODE: Final = frozenset(("docs", "examples", "test", "tests"))
"""Top-level folders that some packages install by mistake."""


@dataclass(frozen=True, slots=True)
class GamePackage:
    """The package whose code plays a game, as it is installed where a run is played.

    ``digest`` is a SHA-256 of its Python sources. Compiled libraries are not part of it, since they differ from machine to machine; its
    version stands for them.
    """

    name: str
    version: str
    digest: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


def modules_of(registration: Registration) -> tuple[str, ...]:
    """Return the top-level modules of the package that brings a game, that of its plug-in first."""
    first = registration.target.partition(":")[0].partition(".")[0]
    if registration.package == OWN:
        return (first,)
    return tuple(dict.fromkeys((first, *_top_modules(registration.package))))


@cache
def package_of(name: str) -> GamePackage | None:
    """Return the package that plays the game of that name; None if it is this program, which has its own version.

    Raises GameError if there is no such game, or if its package is not installed as one.
    """
    registration = find_registration(name)
    package = find_plugin(registration.name).package or registration.package
    if package == OWN:
        return None
    modules = modules_of(registration) if package == registration.package else _top_modules(package)
    if package == registration.package:
        return GamePackage(package, registration.version, _digest(modules))
    try:
        return GamePackage(package, distribution(package).version, _digest(modules))
    except PackageNotFoundError:
        raise GameError(f"the game '{name}' needs the package {package}, which is not installed; install it") from None


def _top_modules(package: str) -> tuple[str, ...]:
    try:
        found = distribution(package)
    except PackageNotFoundError:
        return ()
    return tuple(name for name in dict.fromkeys(_top_names(found)) if name not in _NO_CODE and find_spec(name) is not None)


def _top_names(found: Distribution) -> Iterator[str]:
    for path in sorted(found.files or [], key=str):
        if path.suffix in {".py", ".so", ".pyd"} and not path.name.startswith("__editable__"):
            name = path.parts[0] if len(path.parts) > 1 else path.name.partition(".")[0]
            if name.isidentifier():
                yield name


def _digest(modules: tuple[str, ...]) -> str:
    """Return the hash of the Python sources of these top-level modules, by their names below the folder they are in."""
    digest = sha256()
    for module in sorted(modules):
        for name, path in _sources(module):
            digest.update(f"{name}\n{sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def _sources(module: str) -> Iterator[tuple[str, Path]]:
    spec = find_spec(module)
    if spec is not None and spec.submodule_search_locations:
        folder = Path(next(iter(spec.submodule_search_locations)))
        yield from ((f"{module}/{path.relative_to(folder).as_posix()}", path) for path in sorted(folder.rglob("*.py")))
    elif spec is not None and spec.origin is not None and spec.origin.endswith(".py"):
        yield f"{module}.py", Path(spec.origin)
