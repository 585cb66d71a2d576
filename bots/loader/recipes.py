"""How a bot is built from source: the commands that a ``bot.toml`` gives or a recipe stands for, and advice to sources without a manifest.

It runs nothing, and needs only the standard library, since the process that reads a bot's files uses it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath, PurePosixPath
from typing import Final, TypeAlias

from bots.loader.archive import BundleError
from bots.loader.suggestions import did_you_mean

Steps: TypeAlias = tuple[tuple[str, ...], ...]
"""Commands, one after the other, each a program and its arguments."""

MOST_STEPS: Final = 20
LONGEST_STEP: Final = 16 << 10
"""The most characters of a step's words."""
_ENDINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "c": (".c",),
    "c++": (".cpp", ".cc", ".cxx"),
    "rust": (".rs",),
    "go": (".go",),
    "zig": (".zig",),
}
RECIPES: Final = tuple(_ENDINGS)
COMPILED: Final = {
    "Cargo.toml": "rust",
    "go.mod": "go",
    "build.zig": "zig",
    ".rs": "rust",
    ".go": "go",
    ".zig": "zig",
    ".c": "c",
    ".cc": "c++",
    ".cpp": "c++",
    ".cxx": "c++",
}
"""Names and endings of the sources of programs, with the recipe that builds them; projects come before single files."""
INTERPRETED: Final = {".js": "node", ".mjs": "node", ".cjs": "node", ".lua": "lua", ".pl": "perl", ".rb": "ruby", ".sh": "sh"}
"""Endings of scripts, which an interpreter runs."""


def read_steps(value: object, program: str, files: Collection[str]) -> Steps:
    """Return the commands of ``build``: one command, a list of them, or a recipe for ``program`` by its name. Raises BundleError."""
    if isinstance(value, str):
        return _by_recipe(value, program, files)
    steps = value if isinstance(value, list) and value and all(isinstance(each, list) for each in value) else [value]
    if len(steps) > MOST_STEPS:
        raise BundleError(f"'build' has more than {MOST_STEPS} commands; let make run them")
    return tuple(map(_step, steps))


def _step(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(word, str) and "\0" not in word for word in value) or not value[0]:
        raise BundleError(
            "'build' should be a list of words, such as ['cc', '-O2', '-o', 'bot', 'bot.c'], a list of such lists, "
            f"or the name of a recipe: {', '.join(RECIPES)}"
        )
    if sum(map(len, value)) > LONGEST_STEP:
        raise BundleError(f"a command of 'build' is longer than {LONGEST_STEP >> 10} KiB")
    return tuple(value)


def _by_recipe(name: str, program: str, files: Collection[str]) -> Steps:
    if name not in _ENDINGS:
        hint = did_you_mean(name, RECIPES, f"; the recipes are {', '.join(RECIPES)}")
        raise BundleError(f"there is no recipe '{name:.40}' for 'build'{hint}")
    sources = tuple(sorted(file for file in files if file.endswith(_ENDINGS[name])))
    if not sources:
        raise BundleError(f"the recipe '{name}' is for files that end with {' or '.join(_ENDINGS[name])}, and there are none")
    recipe = (_FOR_WASM if program.endswith(".wasm") else _FOR_PROGRAMS).get(name)
    if recipe is None:
        raise BundleError(f"the recipe '{name}' makes programs, not WebAssembly; write the command itself in 'build'")
    return (tuple(_words(recipe, name, program, sources, files)),)


def _words(recipe: _Recipe, name: str, program: str, sources: tuple[str, ...], files: Collection[str]) -> Iterator[str]:
    for word in recipe.of_project if recipe.project in files else recipe.words:
        if word == "SOURCES":
            yield from sources
        else:
            yield _main_of(name, sources, recipe.mains) if word == "MAIN" else word.replace("PROGRAM", program)


@dataclass(frozen=True, slots=True)
class _Recipe:
    """The words of a command, in which ``PROGRAM``, ``SOURCES`` and ``MAIN`` (one of ``mains``) are replaced.

    If the file ``project`` exists, the command is ``of_project``.
    """

    words: tuple[str, ...]
    mains: tuple[str, ...] = ()
    project: str = ""
    of_project: tuple[str, ...] = ()


_CARGO: Final = ("cargo", "build", "--release", "--offline")
_RUSTC: Final = ("rustc", "--edition", "2021", "-O")
_RUST_WASM: Final = ("--target", "wasm32-unknown-unknown")
_ZIG: Final = ("zig", "build", "--release=fast")
_ZIG_EXE: Final = ("zig", "build-exe", "-O", "ReleaseFast")
_OF_ZIG: Final = ("main.zig", "src/main.zig")
_C_WASM: Final = ("--target=wasm32-freestanding", "-nostdlib", "-Wl,--no-entry", "-Wl,--strip-all")
_FOR_PROGRAMS: Final = {
    "c": _Recipe(("cc", "-O2", "-o", "PROGRAM", "SOURCES", "-lm")),
    "c++": _Recipe(("c++", "-O2", "-std=c++20", "-o", "PROGRAM", "SOURCES")),
    "rust": _Recipe((*_RUSTC, "-o", "PROGRAM", "MAIN"), ("main.rs", "src/main.rs"), "Cargo.toml", _CARGO),
    "go": _Recipe(("go", "build", "-o", "PROGRAM", "SOURCES"), (), "go.mod", ("go", "build", "-o", "PROGRAM", ".")),
    "zig": _Recipe((*_ZIG_EXE, "-femit-bin=PROGRAM", "MAIN"), _OF_ZIG, "build.zig", _ZIG),
}
_FOR_WASM: Final = {
    "c": _Recipe(("zig", "cc", "-O2", *_C_WASM, "-o", "PROGRAM", "SOURCES")),
    "rust": _Recipe(
        (*_RUSTC, *_RUST_WASM, "--crate-type", "cdylib", "-o", "PROGRAM", "MAIN"),
        ("lib.rs", "src/lib.rs"),
        "Cargo.toml",
        (*_CARGO, *_RUST_WASM),
    ),
    "zig": _Recipe(
        (*_ZIG_EXE, "-target", "wasm32-freestanding", "-fno-entry", "-rdynamic", "-femit-bin=PROGRAM", "MAIN"),
        _OF_ZIG,
        "build.zig",
        (*_ZIG, "-Dtarget=wasm32-freestanding"),
    ),
}


def _main_of(recipe: str, sources: tuple[str, ...], usual: tuple[str, ...]) -> str:
    """Return the main file, from which a compiler finds the others. Raises BundleError."""
    mains = [each for each in usual if each in sources] or (list(sources) if len(sources) == 1 else [])
    if mains:
        return mains[0]
    raise BundleError(f"the recipe '{recipe}' needs a source named {' or '.join(usual)}, since there are several sources")


@dataclass(frozen=True, slots=True)
class Advice:
    """The file that looks like a source, and what a ``bot.toml`` beside it should say: ``build = "c" and command = ["./bot"]``."""

    source: str
    manifest: str


def manifest_for(files: Iterable[str]) -> Advice | None:
    """Return a possible manifest for a bot of these files, or None if they are not sources known here."""
    tops = sorted(files, key=lambda file: (file.count("/"), file))
    for mark, recipe in COMPILED.items():
        source = next((file for file in tops if _is(file, mark)), None)
        if source is not None:
            return Advice(source[:60], f'build = "{recipe}" and command = ["./bot"]')
    for ending, program in INTERPRETED.items():
        source = next((file for file in tops if _is(file, ending)), None)
        if source is not None:
            return Advice(source[:60], f'command = ["{program}", "{source[:60]}"]')
    return None


def told_of_source(path: PurePath) -> str | None:
    """Return the error for a bot that is a single source file, as a sentence, or None if it is not one."""
    advice = manifest_for([path.name])
    return None if advice is None else f"{path} is a source, not a bot: put it into a folder with a bot.toml that says {advice.manifest}"


def _is(file: str, mark: str) -> bool:
    path = PurePosixPath(file)
    return path.suffix == mark if mark.startswith(".") else path.name == mark
