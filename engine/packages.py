"""The package that brings a game: which of its modules are the game's, and what tells one version of its code from another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from engine.core import Game, OptionValue
from engine.registry import OWN, GameError, NoGameError, Registration, find_game, find_plugin, find_registration
from engine.text import one_line, quote

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

    @property
    def label(self) -> str:
        """The same with the first eight digits of the digest."""
        return f"{self} (code {self.digest[:8]})"


def modules_of(registration: Registration) -> tuple[str, ...]:
    """Return the top-level modules of the package that brings a game, that of its plug-in first."""
    first = registration.target.partition(":")[0].partition(".")[0]
    if registration.package == OWN:
        return (first,)
    return tuple(dict.fromkeys((first, *_top_modules(registration.package))))


def package_of(name: str) -> GamePackage | None:
    """Return the package that plays the game of that name; None if it is this program, which has its own version.

    Raises GameError if there is no such game, or if its package is not installed as one.
    """
    return _package_of(name.partition(":")[0])


def played_by(name: str) -> str | None:
    """Return the same as a replay has it, ``NAME VERSION``; None also for a game that is not registered."""
    try:
        package = package_of(name)
    except GameError:
        return None
    return None if package is None else str(package)


def find_played(name: str, options: Mapping[str, OptionValue], package: str | None) -> Game:
    """Return a game that something recorded was played with, of the package ``NAME VERSION``. Raises OptionsError.

    If the game is not installed, the error is a NoGameError, which says what to install.
    """
    try:
        return find_game(name, options)
    except NoGameError as error:
        if package is None:
            raise
        raise NoGameError(not_installed(name, package)) from error


def not_installed(name: str, package: str) -> str:
    """Return the sentence for something that was played with a game of a package, ``NAME VERSION``, which is not there."""
    distribution, _, version = package.rpartition(" ")
    required = f"{distribution}=={version}" if distribution else version
    return f"it was played with the game {quote(name)} of {one_line(package, 120)}, which is not installed; pip install {quote(required)}"


@cache
def _package_of(family: str) -> GamePackage | None:
    registration = find_registration(family)
    package = find_plugin(family).package or registration.package
    if package == OWN:
        return None
    modules = modules_of(registration) if package == registration.package else _top_modules(package)
    if package == registration.package:
        return GamePackage(package, registration.version, _digest(modules))
    try:
        return GamePackage(package, distribution(package).version, _digest(modules))
    except PackageNotFoundError:
        raise GameError(f"the game '{family}' needs the package {package}, which is not installed; install it") from None


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
