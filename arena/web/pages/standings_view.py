"""The rows of a standings page: ratings, strengths with possible ranks, and the history of ratings."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from arena.analysis.tables import Standing
from arena.web.data.queries import Queries
from arena.web.data.tournament_stats import TournamentStats
from arena.web.pages import charts
from leaderboard.ratings.bradley_terry import Strength
from leaderboard.statistics.columns import RatingHistory
from leaderboard.storage.store import StoredTournament

SPARK_POINTS = 40


@dataclass(frozen=True, slots=True)
class Row:
    """A bot's row. ``ranks`` are those that its strength allows; ``tied`` says that another bot has the same rank."""

    line: Standing
    strength: Strength | None
    ranks: str
    tied: bool
    spark: Markup
    interval: Markup


@dataclass(frozen=True, slots=True)
class Rows:
    """All rows, best first; ``played`` is False when there is nothing to rank yet, ``stats`` None while they are computed."""

    rows: tuple[Row, ...]
    played: bool
    stats: TournamentStats | None = None


def standing_rows(queries: Queries, tournament: StoredTournament) -> Rows:
    """Return the standings as a page shows them, without strengths while these are computed for the first time."""
    if not queries.played(tournament):
        return Rows((), played=False)
    stats, lines = queries.stats_soon(tournament), queries.standings(tournament)
    return _rows(stats, lines)


def _rows(stats: TournamentStats | None, lines: tuple[Standing, ...]) -> Rows:
    ranks = [line.rank for line in lines]
    strengths, histories = (stats.strengths, stats.history) if stats else ({}, {})
    known = [each for each in strengths.values() if each.low is not None and each.high is not None]
    scale = (min((each.low or 0 for each in known), default=0.0), max((each.high or 0 for each in known), default=1.0))
    curves = {bot: _thin(each) for bot, each in histories.items()}
    values = [value for curve in curves.values() for value in curve]
    low, high = min(values, default=0.0), max(values, default=1.0)
    return Rows(
        tuple(
            Row(
                line,
                (strength := strengths.get(line.bot)),
                _ranks(strength),
                ranks.count(line.rank) > 1,
                charts.sparkline(curves.get(line.bot, []), low, high, label=f"score of {line.bot} over its matches"),
                _interval(strength, scale),
            )
            for line in lines
        ),
        played=True,
        stats=stats,
    )


def _thin(history: RatingHistory) -> list[float]:
    """Return the scores (mu minus three sigma) at some points of the history, evenly spaced."""
    scores = [mu - 3 * sigma for mu, sigma in zip(history.mu, history.sigma, strict=True)]
    if len(scores) <= SPARK_POINTS:
        return scores
    return [scores[round(at * (len(scores) - 1) / (SPARK_POINTS - 1))] for at in range(SPARK_POINTS)]


def _ranks(strength: Strength | None) -> str:
    if strength is None or strength.best_rank is None:
        return "\N{EN DASH}"
    return str(strength.best_rank) if strength.best_rank == strength.worst_rank else f"{strength.best_rank}\N{EN DASH}{strength.worst_rank}"


def _interval(strength: Strength | None, scale: tuple[float, float]) -> Markup:
    if strength is None or strength.strength is None or strength.low is None or strength.high is None:
        return Markup("")
    label = f"{strength.strength:.0f}, 95 % from {strength.low:.0f} to {strength.high:.0f}"
    return charts.interval(strength.strength, strength.low, strength.high, scale, label=label)
