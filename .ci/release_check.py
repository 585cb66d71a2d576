"""Builds what a release consists of, and tries both wheels in empty environments outside the source tree (CONTRIBUTING.md).

python .ci/release_check.py

``dist/`` gets the sdist, the compiled wheel where there is a C compiler, and the pure one, both made from the sdist.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
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


def build() -> tuple[Path, list[Path]]:
    """Write the sdist and the wheels to ``dist/``; return them, the compiled wheel first, if it could be made."""
    shutil.rmtree(DIST, ignore_errors=True)
    make_sdist = f"from setuptools.build_meta import build_sdist; build_sdist({str(DIST)!r})"
    DIST.mkdir()
    run(sys.executable, "-c", make_sdist, cwd=ROOT)
    sdist = next(DIST.glob("*.tar.gz"))
    wheels: list[Path] = []
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(sdist) as archive:
            archive.extractall(folder, filter="data")
        sources = next(Path(folder).iterdir())
        pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir")
        for compiled in ("1", "0"):
            if compiled == "1" and not has_compiler():
                print("there is no C compiler here, so there is no compiled wheel")
                continue
            shutil.rmtree(sources / "build", ignore_errors=True)
            made = Path(folder) / f"wheel{compiled}"
            run(*pip, made, sources, cwd=Path(folder), ARENA_COMPILE=compiled)
            wheels.append(Path(shutil.move(next(made.glob("*.whl")), DIST)))
    return sdist, wheels


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


def try_wheel(wheel: Path) -> None:
    """Install a wheel into an empty environment and play a tournament there, with none of the sources in reach."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        venv.create(here / "env", with_pip=True)
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
    sdist, wheels = build()
    check_sdist(sdist)
    print(f"ok   {sdist.name} ({sdist.stat().st_size / 1e6:.1f} MB)")
    for wheel in wheels:
        try_wheel(wheel)
    print(f"{DIST.name}/ has release {__version__}")


if __name__ == "__main__":
    main()
