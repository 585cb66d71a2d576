"""What bots run in, as a competition has it: packages that Python bots may import, memory, size of a bot's files, threads."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from importlib.util import find_spec
from typing import Final

from bots.loader.archive import MOST_BYTES
from bots.sandbox import Limits

NAME: Final = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9])?")
"""The name of a package (PEP 508)."""
_OURS: Final = "tile-arena"


class PackagesError(ValueError):
    """Packages that bots are to have can't be used here; the text is one sentence."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """What bots run in. ``memory`` and ``bundle`` are bytes, None for the defaults; ``threads`` is for Python bots."""

    packages: tuple[str, ...] = ()
    memory: int | None = None
    bundle: int | None = None
    threads: int = 1

    @property
    def limits(self) -> Limits:
        """The limits of a bot's process."""
        standard = Limits()
        return replace(standard, memory=self.memory or standard.memory, threads=self.threads, files=max(standard.files, self.most_bytes))

    @property
    def most_bytes(self) -> int:
        """How many bytes a bot's files may have together."""
        return MOST_BYTES if self.bundle is None else self.bundle


STANDARD: Final = Runtime()


def normal_name(package: str) -> str:
    """Return the name of a package in the form in which equal names are equal (PEP 503)."""
    return re.sub(r"[-_.]+", "-", package).lower()


def installed_versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the version of each package that is installed here, by name. Raises PackagesError for the first that bots can't have."""
    versions = {}
    for package in packages:
        if normal_name(package) == _OURS:
            raise PackagesError(f"'{package}' is this program, of which every bot has what it may use; leave it out")
        try:
            versions[package] = distribution(package).version
        except PackageNotFoundError:
            raise PackagesError(_not_installed(package)) from None
        if not _modules_of(package):
            raise PackagesError(f"the package '{package}' has no module of its own that a bot could import; leave it out")
    return versions


def _not_installed(package: str) -> str:
    if package in sys.stdlib_module_names:
        return f"'{package}' is a module of Python itself, which every bot has; leave it out"
    others = packages_distributions().get(package, [])
    if others:
        return f"there is no package '{package}' here; the module of that name is in the package '{others[0]}': name that"
    return f"the package '{package}' is not installed here; pip install {package}, or take it out"


def differing(wanted: Mapping[str, str]) -> tuple[str, ...]:
    """Return a phrase for each package whose version here is not the wanted one; that of wasmtime counts, too."""
    found = []
    for package, version in wanted.items():
        try:
            here = distribution(package).version
        except PackageNotFoundError:
            found.append(f"{package} {version}, which is not installed here")
            continue
        if here != version:
            found.append(f"{package} {version}, and here is {here}")
    return tuple(found)


def modules_of_packages(packages: Iterable[str]) -> tuple[str, ...]:
    """Return the top-level modules of these packages."""
    return tuple(dict.fromkeys(module for package in packages for module in _modules_of(package)))


def shown_modules(packages: Iterable[str]) -> tuple[str, ...]:
    """Return the same, and those of the packages that they need."""
    return modules_of_packages(_with_needs(tuple(packages)))


def _with_needs(packages: tuple[str, ...]) -> tuple[str, ...]:
    """Return the packages and all that are installed of those they need, without what only their extras need."""
    found: dict[str, str] = {}
    left = list(packages)
    while left:
        package = left.pop(0)
        if normal_name(package) in found:
            continue
        try:
            needs = distribution(package).requires or []
        except PackageNotFoundError:  # for another machine, or another version of Python
            continue
        found[normal_name(package)] = package
        left += [NAME.match(need).group() for need in needs if "extra ==" not in need]  # type: ignore[union-attr]  # each begins with a name
    return tuple(found.values())


@cache
def _modules_of(package: str) -> tuple[str, ...]:
    """Return the top-level modules of an installed package; none of a folder that several packages share."""
    wanted = normal_name(package)
    names = [name for name, owners in packages_distributions().items() if wanted in map(normal_name, owners)]
    return tuple(name for name in sorted(names) if name.isidentifier() and _is_whole(name))


def _is_whole(name: str) -> bool:
    spec = find_spec(name)
    return spec is not None and spec.origin is not None


def prepare_environment() -> None:
    """Keep packages from reporting to other hosts that they are used in this process, as in bots' own."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
