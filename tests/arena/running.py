"""Runs of tournaments in tests: the versions of a spec's bots, when a run stops, the digests that it ends with, and a run that lasts."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

from arena.play.executors.base import InlineExecutor
from arena.run.runner import Summary, run_tournament
from arena.spec.spec import Spec, make_spec
from bots.loader.loading import resolve
from bots.loader.version import BotVersion
from leaderboard.storage.store import Store


def versions_of(spec: Spec) -> dict[str, BotVersion]:
    """The versions of a spec's bots."""
    return {each.name: resolve(each.source, name=each.name) for each in spec.bots}


def play_tournament(path: Path, text: str) -> Path:
    """Play the tournament of a TOML text in this process, into the database at this path; return the path."""
    spec = make_spec(tomllib.loads(text), "test.toml")
    with Store.create(path) as store:
        run_tournament(spec, versions_of(spec), store, InlineExecutor())
    return path


def stop_after(number: int) -> Callable[[], bool]:
    """Has a run stop when it has begun so many matches."""
    asked = iter(range(number))
    return lambda: next(asked, None) is None


def digests(summary: Summary) -> tuple[str, str]:
    """The digests that a run ended with."""
    return summary.results_digest, summary.ratings_digest


def write_cup(
    folder: Path, *, nap: float | str = 0.001, bots: str = '["random", "slow.py"]', schedule: str = "tables = [2]\nblocks = 6"
) -> None:
    """Write a tournament one bot of which waits so many seconds before each move, so that a run of it can be interrupted."""
    (folder / "cup.toml").write_text(f'name = "cup"\ngame = "tongiaki"\nseed = 7\nbots = {bots}\n[schedule]\n{schedule}\n')
    waits = f"import os, time\n\nclass Slow:\n    def choose(self, view, clock):\n        time.sleep({nap})\n"
    (folder / "slow.py").write_text(waits + "        return view.legal_moves[0]\n")
