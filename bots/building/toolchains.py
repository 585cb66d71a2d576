"""The compilers of this machine: where they are, which of their files a build must see, and the versions that they report."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Final

from bots.building.session import BuildOrder, run_build
from bots.errors import BotError, SandboxError
from bots.sandbox.levels import Level
from engine.text import one_line

COMPILERS: Final = ("cc", "c++", "rustc", "go", "zig")
_KNOWN: Final = frozenset({*COMPILERS, "gcc", "g++", "clang", "clang++", "cargo"})
_ANY: Final = ("cc", "c++")
"""Compilers that a step such as make, itself no compiler, may run; their versions count as part of its toolchain."""
_ASK: Final[Mapping[str, tuple[str, ...]]] = {"go": ("version",), "zig": ("version",)}
_SECONDS: Final = 20.0
_ENVIRONMENT: Final[Mapping[str, str]] = {
    "CARGO_HOME": "SPARE/cargo",
    "CARGO_INCREMENTAL": "0",
    "CARGO_NET_OFFLINE": "true",
    "CGO_ENABLED": "0",
    "GOCACHE": "SPARE/go-cache",
    "GOFLAGS": "-trimpath -buildvcs=false",
    "GOPATH": "SPARE/go",
    "GOPROXY": "off",
    "GOTELEMETRY": "off",
    "GOTOOLCHAIN": "local",
    "ZIG_GLOBAL_CACHE_DIR": "SPARE/zig",
    "ZIG_LOCAL_CACHE_DIR": "SPARE/zig-local",
}
"""Environment variables that keep compilers off the network and their caches in the build's folder."""


class MissingError(BotError):
    """A program that a build needs is not on this machine; the text names it."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program of this machine: its name, its real path, and, if it is not under /usr, the folder that a build has to see."""

    name: str
    path: str
    folder: str = ""

    @property
    def place(self) -> str:
        """The folder that it lies in."""
        return str(Path(self.path).parent)


@dataclass(frozen=True, slots=True)
class Toolchain:
    """What a build uses of this machine. ``lines`` are the versions, without paths, so that they are equal on equal machines."""

    programs: tuple[Program, ...]
    lines: tuple[str, ...]

    def order(
        self, files: Mapping[str, bytes], steps: Sequence[Sequence[str]], products: Sequence[str] = (), *, is_alone: bool = True
    ) -> BuildOrder:
        """Return a `BuildOrder` that uses these programs."""
        return BuildOrder(files, steps, products, *_seen(self.programs), environment=_ENVIRONMENT, is_alone=is_alone)


def find_toolchain(steps: Sequence[Sequence[str]], level: Level) -> Toolchain:
    """Return the toolchains of the steps; their versions are queried in the sandbox of a build. Raises MissingError and SandboxError."""
    names: list[str] = []
    for step in steps:
        name = step[0]
        if PurePosixPath(name).is_absolute():
            raise MissingError(f"'build' names the program '{name:.60}' by its path; give its name alone")
        own = "/" in name  # one of the bot's files, or what an earlier step has made
        names += [] if own else [name]
        names += ["rustc"] if name == "cargo" else [each for each in _ANY if name not in _KNOWN and find_program(each) is not None]
    programs = []
    for name in dict.fromkeys(names):
        program = find_program(name)
        if program is None:
            raise MissingError(_missing(name))
        programs.append(program)
    lines = [f"{platform.system()} {platform.machine()}", *(version_of(program, level) for program in programs)]
    return Toolchain(tuple(programs), tuple(lines))


def version_of(program: Program, level: Level) -> str:
    """Return a program's own report of its version, in one line with its name, or the hash of its file if it reports none."""
    path = Path(program.path)
    return _version(program, path.stat().st_mtime_ns, path.stat().st_size, level)


@cache
def _version(program: Program, _changed: int, _size: int, level: Level) -> str:
    ask = _ASK.get(program.name, ("--version",))
    result = run_build(BuildOrder({}, [(program.name, *ask)], (), *_seen((program,)), environment=_ENVIRONMENT), level)
    said = one_line(next((line for line in result.log.splitlines() if line.strip()), ""))
    if result.problem or not said:
        said = f"sha256 {hashlib.sha256(Path(program.path).read_bytes()).hexdigest()}"
    return f"{program.name}: {said}"


def _seen(programs: Sequence[Program]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the folders in which a build looks for programs, and those that it may read, in addition to the system's."""
    outside = [program for program in programs if program.folder]
    return tuple(dict.fromkeys(program.place for program in outside)), tuple(dict.fromkeys(program.folder for program in outside))


def _missing(name: str) -> str:
    path = shutil.which(name)
    if path is not None:
        return f"the program '{name:.60}' that builds it lies in {Path(path).parent}, where a build can't see it; install it under /usr"
    return f"'{name:.60}', which builds it, is not installed on this machine; install it, or send the program that it makes"


# Where they are


def find_program(name: str) -> Program | None:
    """Return a compiler or another program of this machine, None if a build could not use it."""
    own = _PLACES.get(name)
    path = shutil.which(name)
    if path is not None and Path(os.path.realpath(path)).is_relative_to("/usr"):
        return Program(name, os.path.realpath(path))
    return None if own is None else own(name)


def _rust(name: str) -> Program | None:
    """Return the program of rustup's default toolchain, which its proxies run."""
    return _within(_answer("rustc", "--print", "sysroot"), f"bin/{name}", name)


def _go(name: str) -> Program | None:
    return _within(_answer("go", "env", "GOROOT"), f"bin/{name}", name)


def _zig(name: str) -> Program | None:
    path = shutil.which(name)
    if path is not None:
        return _within(str(Path(os.path.realpath(path)).parent), name, name)
    spec = importlib.util.find_spec("ziglang")  # the package on PyPI
    return None if spec is None or spec.origin is None else _within(str(Path(spec.origin).parent), name, name)


_PLACES: Final[Mapping[str, Callable[[str], Program | None]]] = {"rustc": _rust, "cargo": _rust, "go": _go, "zig": _zig}


def _within(folder: str, program: str, name: str) -> Program | None:
    path = Path(folder, program)
    return Program(name, str(path), folder) if folder and path.is_file() else None


@cache
def _answer(program: str, *words: str) -> str:
    """Run a compiler of this machine and return its output; empty if it is missing or fails."""
    path = shutil.which(program)
    if path is None:
        return ""
    try:
        answer = subprocess.run(  # noqa: S603  # a program of the host, with fixed arguments
            [path, *words], capture_output=True, text=True, timeout=_SECONDS, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout.strip() if answer.returncode == 0 else ""


def offered(level: Level) -> dict[str, str]:
    """Return the compilers of this machine that run in the sandbox of a build, with the version that each reports."""
    versions = {}
    for name in COMPILERS:
        program = find_program(name)
        if program is None:
            continue
        try:
            line = version_of(program, level)
        except SandboxError:
            continue
        if "sha256 " not in line:
            versions[name] = line.partition(": ")[2]
    return versions
