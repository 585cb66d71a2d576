"""Old names of modules of this package: importing one raises an error with its new name."""

from __future__ import annotations

from typing import Final

MOVED: Final = {
    "leaderboard.anchors": "leaderboard.ratings.anchors",
    "leaderboard.betting": "leaderboard.ratings.confidence_sequence",
    "leaderboard.blocks": "leaderboard.statistics.blocks",
    "leaderboard.columns": "leaderboard.statistics.columns",
    "leaderboard.database": "leaderboard.storage.database",
    "leaderboard.encoding": "leaderboard.seals.encoding",
    "leaderboard.evidence": "leaderboard.storage.raw_rows",
    "leaderboard.folding": "leaderboard.ratings.fold",
    "leaderboard.free_for_all": "leaderboard.ratings.trueskill_fast",
    "leaderboard.intervals": "leaderboard.statistics.intervals",
    "leaderboard.links": "leaderboard.seals.links",
    "leaderboard.luck": "leaderboard.statistics.luck",
    "leaderboard.matches": "leaderboard.storage.matches",
    "leaderboard.models": "leaderboard.storage.tables",
    "leaderboard.plots": "leaderboard.statistics.plots",
    "leaderboard.sequential": "leaderboard.ratings.sprt",
    "leaderboard.signing": "leaderboard.seals.signing",
    "leaderboard.standings": "leaderboard.storage.standings",
    "leaderboard.store": "leaderboard.storage.store",
    "leaderboard.strength": "leaderboard.ratings.bradley_terry",
}


def find_spec(name: str, _path: object = None, _target: object = None) -> None:
    """Answer ``sys.meta_path``, of which this module is the last entry. Raises ModuleNotFoundError for an old name."""
    if name in MOVED:
        raise ModuleNotFoundError(f"{name} is now {MOVED[name]}", name=name)
