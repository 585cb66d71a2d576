"""The installed versions and the modules of the packages that a competition's bots may import."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from importlib.util import find_spec
from typing import Final

from bots.limits import PACKAGE_NAME, normal_name
from engine.core.errors import InputError

_OURS: Final = "tile-arena"


class PackagesError(InputError):
    """Packages for bots can't be used on this machine; the message says why."""


def installed_versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the installed version of each package, by name. Raises PackagesError for the first package that bots can't import."""
    versions = {}
    for package in packages:
        if normal_name(package) == _OURS:
            raise PackagesError(f"'{package}' is this program, which every bot can import anyway; leave it out")
        try:
            versions[package] = distribution(package).version
        except PackageNotFoundError:
            raise PackagesError(_not_installed(package)) from None
        if not _modules_of(package):
            raise PackagesError(f"the package '{package}' provides no module that a bot could import; leave it out")
    return versions


def _not_installed(package: str) -> str:
    if package in sys.stdlib_module_names:
        return f"'{package}' is in the standard library; leave it out"
    others = packages_distributions().get(package, [])
    if others:
        return f"there is no package '{package}'; give the package that provides the module '{package}' instead: '{others[0]}'"
    return f"the package '{package}' is not installed; pip install {package}, or leave it out"


def version_here(package: str) -> str:
    """Return the installed version of a package, or an empty string if it is not installed."""
    try:
        return distribution(package).version
    except PackageNotFoundError:
        return ""


def differing(wanted: Mapping[str, str]) -> tuple[str, ...]:
    """Return a phrase for each package whose installed version differs from the ``wanted`` version."""
    here = {package: version_here(package) for package in wanted}
    return tuple(f"{name} {version}, but {here[name] or 'none'} is installed" for name, version in wanted.items() if here[name] != version)


def modules_of_packages(packages: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the top-level modules of these packages."""
    return tuple(dict.fromkeys(module for package in packages for module in _modules_of(package)))


def shown_modules(packages: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the top-level modules of these packages and of the packages that they require."""
    return modules_of_packages(_with_needs(tuple(packages)))


def _with_needs(packages: tuple[str, ...]) -> tuple[str, ...]:
    """Return these packages and the installed packages that they require, but not those that only their extras require."""
    packages_by_name: dict[str, str] = {}
    left = list(packages)
    while left:
        package = left.pop(0)
        if normal_name(package) in packages_by_name:
            continue
        try:
            needs = distribution(package).requires or []
        except PackageNotFoundError:  # required only on other machines or with other versions of Python
            continue
        packages_by_name[normal_name(package)] = package
        left += [PACKAGE_NAME.match(need).group() for need in needs if "extra ==" not in need]  # type: ignore[union-attr]  # each begins with a name
    return tuple(packages_by_name.values())


@cache
def _modules_of(package: str) -> tuple[str, ...]:
    """Return the top-level modules of an installed package, except for namespace packages, which several packages may share."""
    wanted = normal_name(package)
    names = [name for name, owners in packages_distributions().items() if wanted in map(normal_name, owners)]
    return tuple(name for name in sorted(names) if name.isidentifier() and _is_whole(name))


def _is_whole(name: str) -> bool:
    spec = find_spec(name)
    return spec is not None and spec.origin is not None
