"""Builds what a release consists of, and tries both wheels in empty environments outside the source tree (CONTRIBUTING.md).

python .ci/release_check.py

``dist/`` gets the sdist and, made from it, the pure wheel and, where there is a C compiler, a compiled one for each supported Python here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
sys.path.insert(0, str(ROOT))

from arena.version import __version__  # noqa: E402  # the sources are found only now


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """Run a command and return what it printed. Ends the program with its output if it fails."""
    clean = {key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "ARENA_ENGINE"}}
    print("+", *command, flush=True)
    done = subprocess.run(command, cwd=cwd, env=clean | environment, capture_output=True, text=True, check=False)  # noqa: S603  # our own
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}\nrelease-check: this failed: {' '.join(map(str, command))}")
    return done.stdout


def pythons() -> list[str]:
    """Return this Python, and the other supported ones that are installed, under the names that run them."""
    names = [f"python3.{minor}" for minor in (11, 12, 13) if minor != sys.version_info[1]]
    found = [name for name in names if is_installed(name)]
    print("Not installed here:", ", ".join(each for each in names if each not in found) or "none", flush=True)
    return [sys.executable, *found]


def is_installed(name: str) -> bool:
    """Whether a command can be run."""
    return shutil.which(name) is not None and not subprocess.run([name, "--version"], capture_output=True, check=False).returncode  # noqa: S603


def build_sdist() -> Path:
    """Write the sdist to ``dist/``."""
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    run(sys.executable, "-c", f"from setuptools.build_meta import build_sdist; build_sdist({str(DIST)!r})", cwd=ROOT)
    return next(DIST.glob("*.tar.gz"))


def build_wheel(python: str, sdist: Path, compiled: str) -> Path:
    """Write the wheel that pip makes of the sdist to ``dist/``, compiled if that is "1"."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        run(python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", here, sdist, cwd=here, ARENA_COMPILE=compiled)
        made = next(here.glob("*.whl"))
        return Path(shutil.move(made, DIST / made.name))


def has_compiler() -> bool:
    """Whether setup.py would compile the engine here."""
    return any(shutil.which(name) for name in (os.environ.get("CC", "cc"), "gcc", "clang"))


def check_sdist(sdist: Path) -> None:
    """The sdist holds what somebody needs to build, test and read it."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = ["LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md", "setup.py", "constraints.txt", "docs/index.md", "tests/conftest.py"]
    missing = [name for name in wanted if name not in names]
    if missing:
        sys.exit(f"release-check: {sdist.name} lacks {', '.join(missing)}; see MANIFEST.in")


def try_wheel(python: str, wheel: Path) -> None:
    """Install a wheel into an empty environment and play a tournament there, with none of the sources in reach."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        run(python, "-m", "venv", here / "env", cwd=here)
        bin_ = here / "env" / "bin"
        quiet = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", ROOT / "constraints.txt")
        run(bin_ / "python", *quiet, wheel, cwd=here)
        arena = bin_ / "arena"
        version = run(arena, "--version", cwd=here).strip()
        if version != f"arena {__version__}":
            sys.exit(f"release-check: {wheel.name} says '{version}', not 'arena {__version__}'")
        is_compiled = run(bin_ / "python", "-c", "import engine; print(engine.FORM.is_compiled)", cwd=here).strip()
        if is_compiled != str("none-any" not in wheel.name):
            sys.exit(f"release-check: {wheel.name}: compiled is {is_compiled}")
        run(arena, "new", "--tournament", "cup.toml", cwd=here)
        printed = run(arena, "run", "cup.toml", "--db", "cup.db", cwd=here)
        run(arena, "verify", "cup.db", cwd=here)
        run(arena, "new", "my_bot.py", cwd=here)
        run(arena, "match", "my_bot.py", "greedy", "--game", "sunda", "--seed", "7", "--save", "match.json", cwd=here)
        run(arena, "replay", "match.json", "--html", "match.html", cwd=here)
        print("\n".join(printed.strip().splitlines()[:6]))
        print(f"ok   {wheel.name} ({wheel.stat().st_size / 1e6:.1f} MB)")


def main() -> None:
    """Build and try everything."""
    sdist = build_sdist()
    check_sdist(sdist)
    print(f"ok   {sdist.name} ({sdist.stat().st_size / 1e6:.1f} MB)")
    pure = build_wheel(sys.executable, sdist, "0")
    for python in pythons():
        try_wheel(python, pure)
        if has_compiler():
            try_wheel(python, build_wheel(python, sdist, "1"))
    print(f"{DIST.name}/ has release {__version__}")


if __name__ == "__main__":
    main()
