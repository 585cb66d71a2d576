"""Compiles the engine, and what bots compute most, with mypyc where this machine can; the rest about the package is in pyproject.toml.

``ARENA_COMPILE=0`` leaves the engine plain Python, ``ARENA_COMPILE=1`` makes it an error if it can't be compiled. Without either, a machine
that can't compile gets the plain engine, and ``arena doctor`` says why. See docs/adr/003-compiled-from-one-source.md.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from importlib.util import source_hash
from itertools import chain
from pathlib import Path
from typing import Final

from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

LIBRARY: Final = "engine__mypyc"
BUILD: Final = Path("build", "engine")
SUFFIX: Final[str] = sysconfig.get_config_var("EXT_SUFFIX")
NOTE: Final = f"compiled{SUFFIX.removesuffix('.so').removesuffix('.pyd')}.json"
"""What the build leaves in ``engine/``: a hash of each source that was compiled, or why none was. ``engine.build_info`` reads it."""
PLAIN: Final = frozenset(["conformance", "openspiel", "render", "simple"])
"""The folders whose modules stay plain: those that check, draw or adapt a library in C++, and the base for games that are not compiled."""
INTERPRETED: Final = frozenset(["__init__", "build_info", "chance", "chapters", "errors", "plugin", "records", "registry", "text"])
"""Modules that stay plain: re-exports, the choice of the form, records, what other packages make games with, errors, from which they may
derive their own, and loops that Ctrl-C must be able to end (``chance``)."""
HEURISTICS: Final = (
    *(f"heuristics/*_{name}.py" for name in ("evaluation", "move_scores", "placement", "placement_scores", "search")),
    *(f"valuation/{name}.py" for name in ("*_features", "*_turns", "models")),
)
"""Modules of the reference bots that are compiled with the engine: functions on positions. Classes that others derive from stay plain."""
WANTED: Final = os.environ.get("ARENA_COMPILE", "")

if WANTED not in {"", "0", "1"}:
    sys.exit(f"ARENA_COMPILE is '{WANTED}'; it may be 0 (don't compile the engine) or 1 (fail if that can't be done)")


def obstacle() -> str | None:
    """Return why the engine can't be compiled here, as far as that is known without trying, or None."""
    if WANTED == "0":
        return "it was installed with ARENA_COMPILE=0, as 'make demo' does"
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


def hashes() -> dict[str, str]:
    """Return a hash of each file to compile, by the name of its module."""
    return {".".join(path.with_suffix("").parts): source_hash(path.read_bytes()).hex() for path in sources()}


class BuildEngine(build_ext):
    """Compiles the engine into one library beside its sources, or warns why it can't and leaves it plain."""

    def run(self) -> None:
        """Compile, and leave a note; a failure is an error only with ``ARENA_COMPILE=1``."""
        self.roots = [Path(self.build_lib), *([Path()] if self.inplace else [])]
        self.forget()
        compiled = hashes()
        failed = obstacle()
        if failed is None:
            try:
                self.translate()
                super().run()
            except (Exception, SystemExit) as error:  # noqa: BLE001  # whatever goes wrong in mypyc or the compiler, the plain engine is left
                lines = str(error).strip().splitlines()
                last = lines[-1] if lines else type(error).__name__
                if isinstance(error, SystemExit):  # mypyc has printed its errors
                    last = "'pip install --verbose' shows why"
                failed = f"compiling it failed ({last})"
        if failed is not None:
            if WANTED == "1":
                sys.exit(f"ARENA_COMPILE=1, but {failed}")
            self.forget()
            self.extensions = self.distribution.ext_modules = []
            self.warn(f"the engine stays plain Python, which is several times slower: {failed}")
        for root in self.roots:
            (root / "engine").mkdir(parents=True, exist_ok=True)
            note = {"sources": compiled} if failed is None else {"failed": failed}
            (root / "engine" / NOTE).write_text(json.dumps(note, indent=1) + "\n", encoding="utf-8")

    def translate(self) -> None:
        """Translate the files to C, and have that built."""
        from mypyc.build import mypycify  # noqa: PLC0415  # it is installed only where the engine is compiled

        # modules that are not compiled may import what is not there where pip builds a wheel; silent leaves their errors out
        options = ["--config-file=", "--follow-imports=silent", f"--cache-dir={BUILD / 'mypy_cache'}", *map(str, sources())]
        extensions = mypycify(options, group_name="engine", target_dir=str(BUILD), opt_level="3", debug_level="0", multi_file=True)
        for extension in extensions if os.name != "nt" else ():  # nothing replaces a function from outside, so calls may be direct
            extension.extra_compile_args += ["-fvisibility=hidden"]
        self.distribution.ext_modules, self.swig_opts = extensions, None  # or it can't be finalized again
        self.finalize_options()

    def forget(self) -> None:
        """Remove what an earlier build left, so that no library outlives its sources."""
        for root in self.roots:
            for pattern in (LIBRARY + SUFFIX, f"engine/{NOTE}", f"engine/**/*{SUFFIX}", f"bots/reference/**/*{SUFFIX}"):
                for path in root.glob(pattern):
                    path.unlink()

    def build_extension(self, ext: Extension) -> None:
        """Compile the files of the library in parallel, then link them."""
        compile_files = self.compiler.compile
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            self.compiler.compile = lambda files, **options: list(
                chain.from_iterable(pool.map(lambda file: compile_files([file], **options), files))
            )
            super().build_extension(ext)
        self.compiler.compile = compile_files


class Wheel(bdist_wheel):
    """A wheel without a compiled engine is for every Python and system."""

    def finalize_options(self) -> None:
        """Tag it as pure if nothing will be compiled."""
        super().finalize_options()
        self.root_is_pure = obstacle() is not None


# The extension stands for what mypyc has yet to make, so that setuptools knows there is something to build.
setup(cmdclass={"bdist_wheel": Wheel, "build_ext": BuildEngine}, ext_modules=[Extension(LIBRARY, [])])
