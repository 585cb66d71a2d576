"""The API for hosts: play matches and tournaments, compare bots, and verify results.

A tournament needs only a spec; its results are discarded at the end unless there is a ``store``:

>>> import arena
>>> spec = arena.make_spec({"name": "tiny", "game": "sunda", "seed": 1, "bots": ["random", "greedy"], "schedule": {"tables": [2]}})
>>> summary = arena.run_tournament(spec)
>>> summary.stored, [rated.bot for rated in summary.table]
(2, ['greedy', 'random'])

With a database, a tournament resumes where it stopped, and everything stored can be verified:

>>> import tempfile
>>> folder = tempfile.TemporaryDirectory()
>>> with arena.Store.create(f"{folder.name}/tiny.db") as store:
...     again = arena.run_tournament(spec, store=store)
>>> again.results_digest == summary.results_digest
True
>>> arena.verify(f"{folder.name}/tiny.db").agrees
True
>>> folder.cleanup()

A single match needs no tournament:

>>> from engine import find_game, read_replay
>>> game = find_game("sunda", level=2)
>>> ticket = arena.make_ticket(game, ["one", "other"], seed=7)
>>> result = arena.play_match(game, ticket, [arena.seat_bot("greedy"), arena.seat_bot("random")])
>>> [(seat.bot, seat.rank, seat.fault) for seat in result.seats]
[('one', 1, None), ('other', 2, None)]
>>> read_replay(result.replay).options["level"]
2

A comparison plays until it is clear whether the first bot is better than the second. A bot may also be a class or an object of your own:

>>> from bots import Clock, Move, View
>>> class First:
...     def choose(self, view: View, clock: Clock) -> Move:
...         return view.legal_moves[0]
>>> str(arena.compare("greedy", First, game="sunda", seed=1).test.verdict)
'better'

Bots play in this process unless you give a ``level`` of isolation, so leave it out only for bots that you trust. On the command line,
`arena run` chooses the best isolation that the machine offers.

The names in ``__all__`` are public and stable, and are imported when first used. Everything else in this package may change.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from arena.version import __version__

if TYPE_CHECKING:
    from arena.analysis.compare import Comparison
    from arena.api import Verification, compare, load_replay, seat_bot, verify
    from arena.play.executors.base import Executor, InlineExecutor
    from arena.play.executors.process_executor import ProcessExecutor
    from arena.play.executors.ray_executor import RayExecutor
    from arena.play.match import make_ticket, play_match
    from arena.run.runner import Progress, Summary, run_tournament
    from arena.spec.spec import Spec, SpecError, make_spec, read_spec
    from bots.limits import Level
    from engine.core.errors import ArenaError
    from leaderboard.storage.store import Store

__all__ = [
    "ArenaError",
    "Comparison",
    "Executor",
    "InlineExecutor",
    "Level",
    "ProcessExecutor",
    "Progress",
    "RayExecutor",
    "Spec",
    "SpecError",
    "Store",
    "Summary",
    "Verification",
    "__version__",
    "compare",
    "load_replay",
    "make_spec",
    "make_ticket",
    "play_match",
    "read_spec",
    "run_tournament",
    "seat_bot",
    "verify",
]

if not TYPE_CHECKING:
    _MODULES = {
        "arena.analysis.compare": ("Comparison",),
        "arena.api": ("Verification", "compare", "load_replay", "seat_bot", "verify"),
        "arena.play.executors.base": ("Executor", "InlineExecutor"),
        "arena.play.executors.process_executor": ("ProcessExecutor",),
        "arena.play.executors.ray_executor": ("RayExecutor",),
        "arena.play.match": ("make_ticket", "play_match"),
        "arena.run.runner": ("Progress", "Summary", "run_tournament"),
        "arena.spec.spec": ("Spec", "SpecError", "make_spec", "read_spec"),
        "bots.limits": ("Level",),
        "engine.core.errors": ("ArenaError",),
        "leaderboard.storage.store": ("Store",),
    }

    def __getattr__(name: str) -> object:
        for module, names in _MODULES.items():
            if name in names:
                value = globals()[name] = getattr(import_module(module), name)
                return value
        raise AttributeError(f"module 'arena' has no attribute '{name}'")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
