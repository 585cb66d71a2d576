"""Finds the interpreter, the standard library, the preloaded packages and the dynamic loaders on this host."""

from __future__ import annotations

import importlib.util
import os
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bots.errors import SandboxError

_OURS: Final = "bots"


@dataclass(frozen=True, slots=True)
class HostPaths:
    """The real paths that a zygote and its bots need."""

    python: str
    stdlib: tuple[str, ...]
    """Directories of the standard library."""
    roots: tuple[str, ...]
    """Directories to import from in addition to the standard library."""
    packages: tuple[str, ...]
    """The packages within ``roots`` that bots may import, as given to `find_paths`."""
    mounts: tuple[str, ...]
    """Paths outside /usr that a sandbox with its own file system must mount so that all paths of this object exist."""
    masked: tuple[str, ...]
    """Paths within ``mounts`` to hide: the folders for installed packages that are in a standard library's folder but not in ``roots``."""
    loaders: tuple[str, ...]
    """The loaders of dynamically linked programs."""


def find_python() -> str:
    """Return the real path of this interpreter or, in a virtual environment, of the base interpreter."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def find_paths(preload: Sequence[str], shown: Sequence[str] = ()) -> HostPaths:
    """Return the paths for a zygote that preloads the modules ``preload`` and also lets bots import the top-level modules ``shown``.

    Raises SandboxError if a module is missing.
    """
    readable = {each.partition(".")[0] for each in (*preload, *shown)}
    python = find_python()
    stdlib = _real(sysconfig.get_path(name) for name in ("stdlib", "platstdlib"))
    installed = _real(sysconfig.get_path(name) for name in ("purelib", "platlib"))
    roots: list[str] = []
    packages: list[str] = []
    beside: list[str] = []
    for name in dict.fromkeys(each.partition(".")[0] for each in (_OURS, *preload, *shown)):
        place = _locate(name)
        if place is None:
            continue
        root = str(Path(place).parent)
        libraries = [str(path) for path in Path(root).glob(f"{name}.libs")]  # shared libraries of wheels such as numpy's
        compiled = [] if root in installed else [str(path) for path in Path(root).glob("*__mypyc*.so")]
        roots.append(root)
        beside += (place, *libraries, *compiled)
        if name in readable:
            packages += (place, *libraries, *compiled)
    roots += installed  # needed by preloaded modules; readable by the zygote, but not by bots
    base = Path(python).parents[1]
    mounts = [str(base / part) for part in ("bin", "lib", "lib64")] + [path for path in installed if Path(path).is_dir()] + beside
    return HostPaths(
        python=python,
        stdlib=stdlib,
        roots=tuple(dict.fromkeys(roots)),
        packages=tuple(dict.fromkeys(packages)),
        mounts=tuple(dict.fromkeys(path for path in mounts if Path(path).exists() and not Path(path).is_relative_to("/usr"))),
        masked=tuple(path for folder in stdlib for path in _installed_in(folder) if path not in roots),
        loaders=tuple(sorted(str(path) for pattern in ("lib*/ld-*.so*", "lib/*/ld-*.so*") for path in Path("/").glob(pattern))),
    )


def _real(paths: object) -> tuple[str, ...]:
    assert hasattr(paths, "__iter__")
    return tuple(dict.fromkeys(os.path.realpath(path) for path in paths))


def _locate(name: str) -> str | None:
    """Return the real directory or file of a top-level module, or None if it is in the standard library. Raises SandboxError."""
    if name in sys.stdlib_module_names:
        return None
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        spec = None
    if spec is not None and spec.submodule_search_locations:
        return os.path.realpath(next(iter(spec.submodule_search_locations)))
    if spec is not None and spec.origin and Path(spec.origin).exists():
        return os.path.realpath(spec.origin)
    raise SandboxError(f"the module {name}, which bots need, can't be found; install it in this Python environment")


def _installed_in(folder: str) -> list[str]:
    if Path(folder).is_relative_to("/usr"):
        return []
    return [str(path) for path in (Path(folder, "site-packages"), Path(folder, "dist-packages")) if path.is_dir()]
