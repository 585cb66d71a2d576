"""The package of a game (name, version, hash of its code), which runs record, and verifications and nodes of clusters compare."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from engine.registry import code_of, distribution_of


@dataclass(frozen=True, slots=True)
class GamePackage:
    """The package of a game as installed on the machine that plays a run.

    ``digest`` is the hex SHA-256 of its Python sources. Compiled libraries are not part of it, since they differ from machine to machine;
    the version identifies them.
    """

    name: str
    version: str
    digest: str

    def __str__(self) -> str:
        return f"{self.name} {self.version} (code {self.digest[:8]})"


def package_of(game: str) -> GamePackage | None:
    """Return the package that plays the game of that name; None if it is this program, which has its own version.

    Raises GameError if there is no such game, or if its package is not installed as one.
    """
    return _package_of(game.partition(":")[0])


@cache
def _package_of(family: str) -> GamePackage | None:
    distribution = distribution_of(family)
    return None if distribution is None else GamePackage(*distribution, _digest(code_of(family)))


def _digest(modules: tuple[str, ...]) -> str:
    """Return the hash of the sources of these top-level modules, with file names relative to the folder of the modules."""
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
