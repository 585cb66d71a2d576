"""Stores and seals the results of tournaments, and computes ratings and statistics from them.

Statistics are computed over blocks, so the results read from a store are first sorted into blocks:

>>> import tempfile
>>> import arena, leaderboard
>>> schedule = {"tables": [2], "blocks": 4}
>>> spec = arena.make_spec({"name": "tiny", "game": "sunda", "seed": 1, "bots": ["random", "greedy"], "schedule": schedule})
>>> with tempfile.TemporaryDirectory() as folder, arena.Store.create(f"{folder}/tiny.db") as store:
...     tournament = arena.run_tournament(spec, store=store).tournament
...     results = leaderboard.read_results(store, tournament)
>>> blocks = leaderboard.find_blocks(results, spec.schedule.count_seatings)
>>> [pair] = leaderboard.head_to_head(blocks)
>>> (pair.bot, pair.other, blocks.complete)
('greedy', 'random', 4)
>>> best, _ = leaderboard.strengths(blocks)
>>> best.bot, best.low < best.elo < best.high
('greedy', True)
>>> leaderboard.share([1, 1, 0.5, 1]).value
0.875

The names in ``__all__`` are public and stable; everything else in this package may change. They are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leaderboard.ratings.sprt import Hypotheses, SequentialTest, Verdict
    from leaderboard.statistics.blocks import Blocks, TableBlocks, find_blocks
    from leaderboard.statistics.bradley_terry import Strength, strengths
    from leaderboard.statistics.columns import Results, read_results
    from leaderboard.statistics.intervals import Estimate, mean, share
    from leaderboard.statistics.summary import (
        Faults,
        HeadToHead,
        SeatAdvantage,
        Ties,
        Usage,
        WinShare,
        faults,
        head_to_head,
        seat_advantage,
        ties,
        usage,
        win_shares,
    )
    from leaderboard.storage.store import Store, StoredTournament

__all__ = [
    "Blocks",
    "Estimate",
    "Faults",
    "HeadToHead",
    "Hypotheses",
    "Results",
    "SeatAdvantage",
    "SequentialTest",
    "Store",
    "StoredTournament",
    "Strength",
    "TableBlocks",
    "Ties",
    "Usage",
    "Verdict",
    "WinShare",
    "faults",
    "find_blocks",
    "head_to_head",
    "mean",
    "read_results",
    "seat_advantage",
    "share",
    "strengths",
    "ties",
    "usage",
    "win_shares",
]

if not TYPE_CHECKING:
    _MODULES = {
        "leaderboard.statistics.bradley_terry": ("Strength", "strengths"),
        "leaderboard.ratings.sprt": ("Hypotheses", "SequentialTest", "Verdict"),
        "leaderboard.statistics.blocks": ("Blocks", "TableBlocks", "find_blocks"),
        "leaderboard.statistics.columns": ("Results", "read_results"),
        "leaderboard.statistics.intervals": ("Estimate", "mean", "share"),
        "leaderboard.storage.store": ("Store", "StoredTournament"),
    }

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'leaderboard' has no attribute '{name}'")
        module = next((module for module, names in _MODULES.items() if name in names), "leaderboard.statistics.summary")
        value = globals()[name] = getattr(import_module(module), name)
        return value

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
