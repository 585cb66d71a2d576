"""Runs all benchmarks one after another, each in a separate process, and writes the table of docs/performance.md.

python -m benchmarks [--quick [--keep]] [--only NAME ...]

Figures are written to ``out/bench/NAME.json``. With ``--quick``, sizes are small, just to check that everything runs: the page is not
changed, and at the end ``benchmarks.floor`` reports what has become slower, which is an error.
``sprt`` is not included, because it measures error rates, not speed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from time import perf_counter

OUT = Path("out", "bench")

FULL: dict[str, str] = {
    "engine": "",
    "startup": "--runs 10",
    "runner": "--seconds 4",
    "long_run": "",
    "storage": "--runs 3 --live 20000",
    "protocol": "",
    "isolation": "",
    "wasm": "",
    "statistics": "--runs 3",
    "viewer": "--runs 3",
    "analysis": "--runs 3",
    "web": "--runs 3",
    "first_view": "--runs 3",
    "environments": "--runs 3",
    "peers": "--runs 3 --seconds 1.5",
}
QUICK: dict[str, str] = {
    "engine": "--runs 1",
    "startup": "--runs 2",
    "runner": "--runs 1 --seconds 0.4 --workers 2",
    "long_run": "--matches 1500",
    "storage": "--runs 1 --matches 1000 --seats 20000 --live 2000",
    "protocol": "--runs 1",
    "isolation": "--runs 1 --levels L3",
    "wasm": "--runs 1",
    "statistics": "--runs 1 --seats 20000",
    "viewer": "--runs 1",
    "analysis": "--runs 1",
    "web": "--runs 1 --matches 2000 --rounds 300",
    "first_view": "--runs 1 --bots 12 --only bot",
    "environments": "--runs 1",
    "peers": "--runs 1 --seconds 0.5",
}


def run(name: str, options: str) -> bool:
    """Run one program, and return whether it succeeded. Its old figures are removed first, so that they can't be mistaken for new ones.

    A program writes no figures on a machine that lacks something it requires.
    """
    path = OUT / f"{name}.json"
    path.unlink(missing_ok=True)
    began = perf_counter()
    done = subprocess.run([sys.executable, "-m", f"benchmarks.{name}", *options.split(), "--json", str(path)], check=False)  # noqa: S603  # our own
    print(f"[{name}: {perf_counter() - began:.0f} s]\n", flush=True)
    return done.returncode == 0


def look_for_slower(*, is_kept: bool) -> int:
    """Run ``benchmarks.floor`` and return its exit code; if ``is_kept``, it adds an entry to its file."""
    options = ["--keep"] if is_kept else ["--rounds", "4"]
    return subprocess.run([sys.executable, "-m", "benchmarks.floor", *options], check=False).returncode  # noqa: S603  # our own


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="use small sizes, and don't change the page")
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=list(FULL), help="run only these benchmarks")
    parser.add_argument("--keep", action="store_true", help="with --quick: add an entry to benchmarks/ratios.jsonl")
    given = parser.parse_args()
    if given.keep and (not given.quick or given.only):
        parser.error("--keep requires --quick and can't be combined with --only")
    sizes = QUICK if given.quick else FULL
    OUT.mkdir(parents=True, exist_ok=True)
    began = perf_counter()
    failed = [name for name, options in sizes.items() if (not given.only or name in given.only) and not run(name, options)]
    print(f"Everything took {perf_counter() - began:.0f} s.")
    if given.quick:
        print("Small sizes: this only shows that everything runs. The names in the table refer to the usual sizes.")
    command = [sys.executable, "-m", "benchmarks.summary", *(["--print-only"] if given.quick or given.only or failed else [])]
    summary = subprocess.run(command, check=False)  # noqa: S603  # our own
    if failed:
        sys.exit(
            f"these benchmarks did not run here: {', '.join(failed)}; docs/performance.md was not changed "
            "(python -m benchmarks.summary writes it anyway)"
        )
    sys.exit(summary.returncode or (look_for_slower(is_kept=given.keep) if given.quick and not given.only else 0))


if __name__ == "__main__":
    main()
