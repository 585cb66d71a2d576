"""A small competition for tests of pages: one tournament that is over, one that was stopped half-way, one that has not begun."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from arena.bots import find_bots
from arena.play.executors.base import InlineExecutor
from arena.run.runner import run_tournament
from arena.spec.spec import Spec, make_spec
from arena.tournament import prepare
from arena.web.app import make_app
from arena.web.settings import WebSettings
from leaderboard.storage.store import Store
from tests.arena.running import stop_after

OVER, HALF, EMPTY = "The over and done", "half", "empty"
HOSTILE = "<script>alert(1)</script>"
CRASHER = f"""
import random
class Crasher:
    def start(self, info):
        self.rng, self.left = random.Random(info.seed), 5 if info.seat == 0 else 10**9
    def choose(self, view, clock):
        self.left -= 1
        if self.left < 0:
            raise ValueError({HOSTILE!r})
        return view.legal_moves.random(self.rng)
"""
BOTS = ("ann", "bob", "crasher")


def spec_of(folder: Path, name: str, **schedule: Any) -> Spec:
    """A tournament of two reference bots and one that crashes in seat 0."""
    path = folder / "crasher.py"
    path.write_text(CRASHER, encoding="utf-8")
    bots = [{"name": "ann", "source": "random"}, {"name": "bob", "source": "greedy"}, {"name": "crasher", "source": str(path)}]
    return make_spec(
        {
            "name": name,
            "game": "tongiaki",
            "seed": 987654321,
            "bots": bots,
            "schedule": {"tables": [2, 3], "blocks": 2, "seats": "rotations"} | schedule,
        },
        "test",
    )


def play(db: Path, spec: Spec, *, most: int = 10**9) -> None:
    """Run a tournament, at most so many matches of it."""
    with Store.create(db) as store:
        run_tournament(spec, find_bots(spec, Path(), store), store, InlineExecutor(), is_stopping=stop_after(most))


def make_competition(folder: Path) -> Path:
    """The database with all three tournaments."""
    db = folder / "competition.db"
    play(db, spec_of(folder, OVER))
    half = spec_of(folder, HALF, tables=[3], blocks=40, decks="shared")
    play(db, half, most=4)
    empty = spec_of(folder, EMPTY)
    with Store.create(db) as store:
        prepare(empty, store, find_bots(empty, folder, store))
    return db


def settings_of(db: Path | str, **more: Any) -> WebSettings:
    """Settings under which pages are always as the store is, and nothing is analysed, which takes time."""
    given: dict[str, Any] = {"host_names": ("testserver",), "fresh_seconds": 0.0, "requests_per_minute": 10**6, "analyses": False}
    return WebSettings(str(db), **given | more)


def visitor(db: Path | str, **more: Any) -> TestClient:
    """Somebody who asks for pages."""
    return TestClient(make_app(settings_of(db, **more)), headers={"accept": "text/html"})
