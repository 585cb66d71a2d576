"""The package that provides a game: its name and version, as replays record them, and its modules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from typing import Final

from engine.core import Game, OptionValue
from engine.registry import OWN, GameError, NoGameError, Registration, find_game, find_plugin, find_registration
from engine.text import one_line, quote

_NO_CODE: Final = frozenset(("docs", "examples", "test", "tests"))
"""Top-level folders that some packages install by mistake."""


def modules_of(registration: Registration) -> tuple[str, ...]:
    """Return the top-level modules of the package that provides a game, beginning with that of the plug-in."""
    first = registration.target.partition(":")[0].partition(".")[0]
    if registration.package == OWN:
        return (first,)
    return tuple(dict.fromkeys((first, *_top_modules(registration.package))))


def distribution_of(name: str) -> tuple[str, str] | None:
    """Return the name and version of the package that has the rules of the game, or None for a game of this program.

    Raises GameError if there is no such game, or if its package is not an installed distribution.
    """
    return _distribution_of(name.partition(":")[0])


def code_of(name: str) -> tuple[str, ...]:
    """Return the top-level modules that have the rules of the game. Raises GameError as ``distribution_of`` does."""
    registration = find_registration(name)
    package = find_plugin(registration.name).package or registration.package
    return modules_of(registration) if package == registration.package else _top_modules(package)


def played_by(name: str) -> str | None:
    """Return ``distribution_of`` as replays record it, ``NAME VERSION``; None also for a game that is not registered."""
    try:
        package = distribution_of(name)
    except GameError:
        return None
    return None if package is None else " ".join(package)


def find_played(name: str, options: Mapping[str, OptionValue], package: str | None) -> Game:
    """Return the game of a record, from the package ``NAME VERSION``. Raises OptionsError.

    If the game is not installed, the error is a NoGameError, which says what to install.
    """
    try:
        return find_game(name, options)
    except NoGameError as error:
        if package is None:
            raise
        raise NoGameError(not_installed(name, package)) from error


def not_installed(name: str, package: str) -> str:
    """Return the sentence for a record played with a game of a missing package, ``NAME VERSION``."""
    distribution, _, version = package.rpartition(" ")
    required = f"{distribution}=={version}" if distribution else version
    return f"it was played with the game {quote(name)} of {one_line(package, 120)}, which is not installed; pip install {quote(required)}"


@cache
def _distribution_of(family: str) -> tuple[str, str] | None:
    registration = find_registration(family)
    package = find_plugin(family).package or registration.package
    if package == OWN:
        return None
    if package == registration.package:
        return package, registration.version
    try:
        return package, distribution(package).version
    except PackageNotFoundError:
        raise GameError(f"the game '{family}' needs the package {package}, which is not installed; install it") from None


def _top_modules(package: str) -> tuple[str, ...]:
    try:
        installed = distribution(package)
    except PackageNotFoundError:
        return ()
    return tuple(name for name in dict.fromkeys(_top_names(installed)) if name not in _NO_CODE and find_spec(name) is not None)


def _top_names(installed: Distribution) -> Iterator[str]:
    yield from (installed.read_text("top_level.txt") or "").split()  # which setuptools writes, also for an editable package
    for path in sorted(installed.files or [], key=str):
        if path.suffix in {".py", ".so", ".pyd"} and not path.name.startswith("__editable__"):
            name = path.parts[0] if len(path.parts) > 1 else path.name.partition(".")[0]
            if name.isidentifier():
                yield name
