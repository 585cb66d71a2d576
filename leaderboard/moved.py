"""Old names of modules of this package, and of what they held: importing one raises an error with its new name."""

from __future__ import annotations

from typing import Final

MOVED: Final = {
    "leaderboard.anchors": "leaderboard.ratings.anchors",
    "leaderboard.betting": "leaderboard.ratings.confidence_sequence",
    "leaderboard.blocks": "leaderboard.statistics.blocks",
    "leaderboard.browsing": "leaderboard.storage.match_queries",
    "leaderboard.bulk": "leaderboard.storage.backends.inserts",
    "leaderboard.careers": "leaderboard.statistics.seat_records",
    "leaderboard.casual": "leaderboard.storage.human_matches",
    "leaderboard.columns": "leaderboard.statistics.columns",
    "leaderboard.counting": "leaderboard.storage.progress",
    "leaderboard.database": "leaderboard.storage.database",
    "leaderboard.encoding": "leaderboard.seals.encoding",
    "leaderboard.evidence": "leaderboard.storage.raw_rows",
    "leaderboard.faults": "leaderboard.storage.faults",
    "leaderboard.folding": "leaderboard.ratings.results_fold",
    "leaderboard.free_for_all": "leaderboard.ratings.trueskill_fast",
    "leaderboard.intervals": "leaderboard.statistics.intervals",
    "leaderboard.links": "leaderboard.seals.links",
    "leaderboard.logs": "leaderboard.storage.logs",
    "leaderboard.luck": "leaderboard.statistics.luck",
    "leaderboard.matches": "leaderboard.storage.matches",
    "leaderboard.models": "leaderboard.storage.tables",
    "leaderboard.plots": "leaderboard.statistics.plots",
    "leaderboard.postgres": "leaderboard.storage.backends.postgres",
    "leaderboard.rows": "leaderboard.storage.rows",
    "leaderboard.sequential": "leaderboard.ratings.sprt",
    "leaderboard.signing": "leaderboard.seals.signing",
    "leaderboard.sqlite": "leaderboard.storage.backends.sqlite",
    "leaderboard.standings": "leaderboard.storage.standings",
    "leaderboard.store": "leaderboard.storage.store",
    "leaderboard.stored": "leaderboard.storage.records",
    "leaderboard.strength": "leaderboard.ratings.bradley_terry",
    "leaderboard.submissions": "leaderboard.storage.submissions",
    "leaderboard.tokens": "leaderboard.storage.tokens",
    "leaderboard.tournaments": "leaderboard.storage.tournaments",
    "leaderboard.upsert": "leaderboard.storage.backends.inserts",
}
"""Modules."""
MOVED_NAMES: Final = {
    "leaderboard.ratings.Anchor": "leaderboard.ratings.rating_fold.Anchor",
    "leaderboard.ratings.Rated": "leaderboard.ratings.rating_fold.Rated",
    "leaderboard.ratings.RatedResult": "leaderboard.ratings.rating_fold.RatedResult",
    "leaderboard.ratings.RatingFold": "leaderboard.ratings.rating_fold.RatingFold",
    "leaderboard.ratings.RatingParameters": "leaderboard.ratings.rating_fold.RatingParameters",
    "leaderboard.ratings.conservative": "leaderboard.ratings.rating_fold.conservative",
    "leaderboard.ratings.ratings_digest": "leaderboard.ratings.rating_fold.ratings_digest",
    "leaderboard.seals.BOTS": "leaderboard.seals.chain.BOTS",
    "leaderboard.seals.RATINGS": "leaderboard.seals.chain.RATINGS",
    "leaderboard.seals.RESULTS": "leaderboard.seals.chain.RESULTS",
    "leaderboard.seals.SPEC": "leaderboard.seals.chain.SPEC",
    "leaderboard.seals.Seals": "leaderboard.seals.chain.Seals",
    "leaderboard.seals.entry_digests": "leaderboard.seals.chain.entry_digests",
    "leaderboard.seals.remove_seals": "leaderboard.seals.chain.remove_seals",
    "leaderboard.statistics.Faults": "leaderboard.statistics.summary.Faults",
    "leaderboard.statistics.HeadToHead": "leaderboard.statistics.summary.HeadToHead",
    "leaderboard.statistics.Margins": "leaderboard.statistics.summary.Margins",
    "leaderboard.statistics.Places": "leaderboard.statistics.summary.Places",
    "leaderboard.statistics.SeatAdvantage": "leaderboard.statistics.summary.SeatAdvantage",
    "leaderboard.statistics.Ties": "leaderboard.statistics.summary.Ties",
    "leaderboard.statistics.Usage": "leaderboard.statistics.summary.Usage",
    "leaderboard.statistics.WinShare": "leaderboard.statistics.summary.WinShare",
    "leaderboard.statistics.faults": "leaderboard.statistics.summary.faults",
    "leaderboard.statistics.head_to_head": "leaderboard.statistics.summary.head_to_head",
    "leaderboard.statistics.margins": "leaderboard.statistics.summary.margins",
    "leaderboard.statistics.places": "leaderboard.statistics.summary.places",
    "leaderboard.statistics.reversed_pair": "leaderboard.statistics.summary.reversed_pair",
    "leaderboard.statistics.seat_advantage": "leaderboard.statistics.summary.seat_advantage",
    "leaderboard.statistics.ties": "leaderboard.statistics.summary.ties",
    "leaderboard.statistics.usage": "leaderboard.statistics.summary.usage",
    "leaderboard.statistics.win_shares": "leaderboard.statistics.summary.win_shares",
}
"""Names in modules that have become packages."""


def find_spec(name: str, _path: object = None, _target: object = None) -> None:
    """Answer ``sys.meta_path``, of which this module is the last entry. Raises ImportError for an old name.

    ``from package import name`` looks for a module of that name, too, where the package has no such attribute. There a ModuleNotFoundError
    would be passed over.
    """
    new = MOVED.get(name) or MOVED_NAMES.get(name)
    if new is not None:
        raise ImportError(f"{name} is now {new}", name=name)
