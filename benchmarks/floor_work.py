"""The pieces of work whose cost must not grow, of engine, environments, sealed matches, runs and pages: a tenth of a second or so each."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

from starlette.testclient import TestClient

from arena.entries.bot_resolution import find_bots
from arena.environments import aec
from arena.play.executors.base import InlineExecutor
from arena.play.match import play_match
from arena.run.runner import run_tournament
from arena.spec.spec import make_spec
from arena.web.app import make_app
from arena.web.settings import WebSettings
from benchmarks.web_data import CUP, make_database
from bots.host.player_pool import PlayerPool
from bots.loader.loading import resolve
from bots.protocol import ClockSpec
from bots.sandbox.levels import Level
from bots.sandbox.probe import best_level
from engine import playout
from engine.core import Game
from engine.records import Ticket
from engine.registry import find_game
from leaderboard.storage.store import Store

Work = Callable[[], None]
HOST = "testserver"


def all_work(folder: Path) -> dict[str, Work]:
    """Every piece by its name; what they need is made in the folder."""
    tongiaki, sunda = find_game("tongiaki"), find_game("sunda", {"level": 0})
    return {
        "engine: Tongiaki, random games": partial(playouts, tongiaki, 4, 120),
        "engine: Tongiaki, moves listed": partial(listed, tongiaki, 4, 60),
        "engine: Sunda, random games": partial(playouts, sunda, 2, 12),
        "engine: Sunda, moves listed": partial(listed, sunda, 2, 5),
        "environment: Tongiaki, steps": partial(steps, "tongiaki", 2, 750),
        "environment: Sunda, steps": partial(steps, "sunda", 2, 75),
        "sealed: a sandbox and eight matches": partial(sealed, tongiaki, 8),
        "run: a tournament into a database": partial(tournament, folder),
        "run: a command from start to end": command,
        "web: pages of a tournament": pages(folder),
    }


def playouts(game: Game, players: int, games: int) -> None:
    """Random games, by the engine's own loop."""
    rng = Random(0)
    for seed in range(games):
        playout(game.new(players, seed), rng)


def listed(game: Game, players: int, games: int) -> None:
    """Random games through the public ways, all legal moves listed at each decision."""
    rng = Random(0)
    for seed in range(games):
        state = game.new(players, seed)
        while state.actor is not None:
            moves = list(state.legal_moves)
            state.play(moves[rng.randrange(len(moves))])


def steps(game: str, players: int, number: int) -> None:
    """Random steps of the AEC environment."""
    env = aec(game, players)
    rng = Random(0)
    seed = 0
    env.reset(seed=seed)
    for _ in range(number):
        _, _, is_over, _, info = env.last()
        if is_over:
            seed += 1
            env.reset(seed=seed)
            _, _, _, _, info = env.last()
        env.step(rng.randrange(info["legal"]))


def sealed(game: Game, matches: int) -> None:
    """Matches of ``random`` at the best level of isolation; the sandbox ends with them, so that its CPU time is counted."""
    version = resolve("random")
    with PlayerPool(best_level()) as pool:
        for seed in range(matches):
            players = [pool.seat(version) for _ in range(2)]
            play_match(game, Ticket(f"{seed:016x}", ("a", "b"), 0, 0, ("a", "b"), seed), players, clock=ClockSpec())


def tournament(folder: Path) -> None:
    """A tournament in this process, into an empty database."""
    db = folder / "run.db"
    for path in folder.glob("run.db*"):
        path.unlink()
    data = {"name": "floor", "game": "tongiaki", "seed": 7, "bots": ["random", "greedy"], "schedule": {"tables": [2], "blocks": 3}}
    spec = make_spec(data, "floor")
    with Store.create(db) as store:
        run_tournament(spec, find_bots(spec, folder, store), store, InlineExecutor(), level=Level.NONE)


def command() -> None:
    """``arena bots --help`` as a process of its own."""
    program = [sys.executable, "-c", "from arena.cli import main; main()", "bots", "--help"]
    subprocess.run(program, stdout=subprocess.DEVNULL, check=True, env={**os.environ, "NO_COLOR": "1"})  # noqa: S603  # our own


def pages(folder: Path) -> Work:
    """Some pages of a tournament, made anew each time; the database is made here."""
    db = folder / "web.db"
    make_database(db, bots=12)
    settings = WebSettings(str(db), host_names=(HOST,), fresh_seconds=0.0, requests_per_minute=10**9, analyses=False)
    client = TestClient(make_app(settings), base_url=f"http://{HOST}", headers={"accept": "text/html"})

    def work() -> None:
        for path in ("/", f"/t/{CUP}", f"/t/{CUP}/matches", f"/t/{CUP}/bracket"):
            client.get(path).raise_for_status()

    return work
