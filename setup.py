"""Compiles the engine, and what bots compute most, with mypyc where this machine can; the rest about the package is in pyproject.toml.

``ARENA_COMPILE=0`` leaves the engine plain Python, ``ARENA_COMPILE=1`` makes it an error if it can't be compiled. Without either, a machine
that can't compile gets the plain engine, and ``arena doctor`` says why. See docs/adr/007-compiled-from-one-source.md.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import source_hash
from pathlib import Path
from typing import Final

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

LIBRARY: Final = "engine__mypyc"
BUILD: Final = Path("build", "engine")
NOTE: Final = f"compiled{sysconfig.get_config_var('EXT_SUFFIX').removesuffix('.so').removesuffix('.pyd')}.json"
"""What the build leaves in ``engine/``: a hash of each source that was compiled, or why none was. ``engine.build_info`` reads it."""
PLAIN: Final = frozenset(["conformance", "openspiel", "render", "simple"])
"""The folders whose modules stay plain: those that check, draw or adapt a library in C++, and the base for games that are not compiled."""
INTERPRETED: Final = frozenset(
    [
        "__init__",
        "build_info",
        "compression",
        "describe",
        "description",
        "errors",
        "packages",
        "perft",
        "plugin",
        "records",
        "registry",
        "text",
    ]
)
"""Modules that stay plain: re-exports, the choice of the form, records, what other packages make games with, errors, from which they may
derive their own, and ``perft``, whose long loop Ctrl-C must be able to end."""

HEURISTICS: Final = (
    "heuristics/*_evaluation.py",
    "heuristics/*_move_scores.py",
    "heuristics/*_placement.py",
    "heuristics/*_placement_scores.py",
    "heuristics/*_search.py",
    "valuation/*_features.py",
    "valuation/*_turns.py",
    "valuation/models.py",
)
"""Modules of the reference bots that are compiled with the engine: functions on positions. Classes that others derive from stay plain."""


def wanted() -> str:
    """Return the setting: ``0``, ``1``, or nothing."""
    value = os.environ.get("ARENA_COMPILE", "")
    if value not in {"", "0", "1"}:
        sys.exit(f"ARENA_COMPILE is '{value}'; it may be 0 (don't compile the engine) or 1 (fail if that can't be done)")
    return value


def obstacle() -> str | None:
    """Return why the engine can't be compiled here, as far as that can be told without trying, or None."""
    if wanted() == "0":
        return "ARENA_COMPILE=0 was set when it was installed"
    if sys.implementation.name != "cpython":
        return "mypyc compiles for CPython only"
    if os.name == "nt":  # setuptools finds Visual C++ itself
        return None
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
    if shutil.which(compiler) is None:
        return f"there was no C compiler ({compiler}) when it was installed"
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        return f"there was no Python.h when it was installed (a package like python{sys.version_info[0]}.{sys.version_info[1]}-dev has it)"
    return None


def sources() -> list[Path]:
    """Return the files to compile."""
    engine = [path for path in Path("engine").rglob("*.py") if PLAIN.isdisjoint(path.parts) and path.stem not in INTERPRETED]
    return sorted([*engine, *(path for pattern in HEURISTICS for path in Path("bots", "reference").glob(pattern))])


class BuildEngine(build_ext):
    """Compiles the engine into one library beside its sources, or warns why it can't and leaves it plain."""

    def finalize_options(self) -> None:
        """Translate the sources to C, which is when it turns out what there is to build."""
        self.obstacle = obstacle()
        if self.obstacle is None:
            self._try(self._translate)
        if self.obstacle is not None:
            self.distribution.ext_modules = []
        super().finalize_options()

    def run(self) -> None:
        """Compile the C; a failure is an error only with ``ARENA_COMPILE=1``."""
        self._forget()
        if self.obstacle is None:
            self._try(super().run)
        if self.obstacle is None and self._hashes() != self.hashes:
            self.obstacle = "a source was edited while it was compiled"
        if self.obstacle is None:
            self._note({"sources": self.hashes})
            return
        if wanted() == "1":
            sys.exit(f"ARENA_COMPILE=1, but {self.obstacle}")
        self._forget()
        self._note({"failed": self.obstacle})
        self.extensions = self.distribution.ext_modules = []
        self.warn(f"the engine stays plain Python, which is several times slower: {self.obstacle}")

    def _try(self, step: Callable[[], None]) -> None:
        try:
            step()
        except (Exception, SystemExit) as error:  # noqa: BLE001  # whatever goes wrong in mypyc or the compiler, the plain engine is left
            lines = str(error).strip().splitlines()
            self.obstacle = f"compiling it failed ({lines[-1] if lines else type(error).__name__})"

    def _translate(self) -> None:
        from mypyc.build import mypycify  # noqa: PLC0415  # it is installed only where the engine is compiled

        self.hashes = self._hashes()
        self.distribution.ext_modules = extensions = mypycify(
            ["--config-file=", f"--cache-dir={BUILD / 'mypy_cache'}", *map(str, sources())],
            group_name="engine",
            target_dir=str(BUILD),
            opt_level="3",
            debug_level="0",
            multi_file=True,
        )
        if os.name != "nt":
            for extension in extensions:  # nothing replaces a function from outside, so calls may be direct
                extension.extra_compile_args += ["-fvisibility=hidden"]

    @staticmethod
    def _hashes() -> dict[str, str]:
        return {".".join(path.with_suffix("").parts): source_hash(path.read_bytes()).hex() for path in sources()}

    def build_extension(self, ext: Extension) -> None:
        """Compile the files of a library in parallel, then link them."""
        one_by_one = self.compiler.compile

        def side_by_side(files: list[str], **options: object) -> list[str]:
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                return [made for each in pool.map(lambda file: one_by_one([file], **options), files) for made in each]

        self.compiler.compile = side_by_side
        try:
            super().build_extension(ext)
        finally:
            self.compiler.compile = one_by_one

    def _roots(self) -> list[Path]:
        return [Path(self.build_lib), *([Path()] if self.inplace else [])]

    def _forget(self) -> None:
        """Remove what an earlier build left, so that no library outlives its sources."""
        suffix = sysconfig.get_config_var("EXT_SUFFIX")
        for root in self._roots():
            modules = (path for folder in ("engine", "bots/reference") for path in root.glob(f"{folder}/**/*{suffix}"))
            for path in [root / (LIBRARY + suffix), root / "engine" / NOTE, *modules]:
                path.unlink(missing_ok=True)

    def _note(self, note: dict[str, object]) -> None:
        for root in self._roots():
            folder = root / "engine"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / NOTE).write_text(json.dumps(note, indent=1) + "\n", encoding="utf-8")


class Wheel(bdist_wheel):
    """A wheel without a compiled engine is for every Python and system."""

    def finalize_options(self) -> None:
        """Tag it as pure if nothing will be compiled."""
        super().finalize_options()
        self.root_is_pure = obstacle() is not None


setup(
    cmdclass={"bdist_wheel": Wheel, "build_ext": BuildEngine},
    # A name for what mypyc has yet to make, so that setuptools knows there is something to build.
    ext_modules=[Extension(LIBRARY, [])],
)
