"""Comparing the ratings and standings that a run stored with recomputed ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from arena.verification.match_check import Findings
from leaderboard.ratings.results_fold import Folded
from leaderboard.records.evidence import RatingRecord, StandingRecord


class StandingCheck:
    """Compares stored ratings and standings with a recomputed fold; ratings may differ by ``tolerance``."""

    def __init__(self, contents: Mapping[str, str], folded: Folded, tolerance: float, findings: Findings) -> None:
        self._contents = contents
        self._folded = folded
        self._tolerance = tolerance
        self._findings = findings

    def compare_ratings(self, stored: Iterator[RatingRecord]) -> None:
        """Check that exactly those of each bot's ratings that are to be kept are stored."""
        left = {(rated.bot, rated.number): rated for rated in self._folded.points}
        for rating in stored:
            if not self._is_known("rating", rating):
                continue
            recomputed = left.pop((str(rating.bot), rating.number), None) if type(rating.number) is int else None
            if recomputed is None:
                self._findings.add(f"number of a rating of {rating.bot}", rating.number, "no rating that is kept")
                continue
            findings = Findings(self._findings.tournament, recomputed.match)
            findings.compare(f"match of rating {recomputed.number} of {recomputed.bot}", rating.match, recomputed.match)
            self._compare_number(f"mu of {recomputed.bot}", rating.mu, recomputed.mu, findings)
            self._compare_number(f"sigma of {recomputed.bot}", rating.sigma, recomputed.sigma, findings)
            self._findings.all.extend(findings.all)
        for bot, number in left:
            self._findings.add(f"rating {number} of {bot}", None, "a rating that is kept")

    def compare_standings(self, stored: Sequence[StandingRecord]) -> None:
        """Check that each bot's standing is stored, and follows from the results."""
        left = {total.bot: total for total in self._folded.totals}
        for standing in stored:
            if not self._is_known("standing", standing):
                continue
            recomputed = left.pop(str(standing.bot), None)
            if recomputed is None:
                self._findings.add("bot of a standing", standing.bot, "a second standing of that bot")
                continue
            for key in ("matches", "places", "points", "faults", "decisions"):
                self._findings.compare(f"{key} in the standing of {recomputed.bot}", getattr(standing, key), getattr(recomputed, key))
            for key in ("mu", "sigma", "wins"):
                self._compare_number(
                    f"{key} in the standing of {recomputed.bot}", getattr(standing, key), getattr(recomputed, key), self._findings
                )
        for bot in left:
            self._findings.add(f"standing of {bot}", None, "a standing")

    def _is_known(self, what: str, row: RatingRecord | StandingRecord) -> bool:
        """Return whether the row belongs to a bot of the tournament; report it if not."""
        is_known = isinstance(row.bot, str) and row.bot in self._contents and row.version == self._contents[row.bot]
        if not is_known:
            self._findings.add(f"bot of a {what}", row.bot, "no bot of the tournament in that version")
        return is_known

    def _compare_number(self, field: str, said: object, recomputed: float, findings: Findings) -> None:
        if not isinstance(said, float) or not abs(said - recomputed) <= self._tolerance:
            findings.compare(field, said, recomputed)
