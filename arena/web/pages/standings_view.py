"""The data of a standings page: its sentence and its rows, each with possible ranks and strength."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from arena.analysis.standings import Standing, second_opinion
from arena.formats.base import Place
from arena.web.data.course import has_course, ranking
from arena.web.data.queries import WAIT_SECONDS, Queries
from arena.web.data.summary import Part, lead, possible_ranks
from arena.web.data.tournament_stats import TournamentStats
from arena.web.rendering import charts
from leaderboard.statistics.bradley_terry import Strength
from leaderboard.storage.store import StoredTournament

_CUT_OFF = 20


@dataclass(frozen=True, slots=True)
class Row:
    """A bot's row. ``place`` and ``note`` are the format's own, where it has any; ``tied`` says that another bot has the same place.

    ``interval`` is that of the rating, and ``ranks`` are those that it allows.
    """

    line: Standing
    place: int
    note: str
    tied: bool
    strength: Strength | None
    ranks: str
    interval: Markup


@dataclass(frozen=True, slots=True)
class Rows:
    """All that a standings page says about bots; rows are best first.

    ``played`` is False when there is nothing to rank yet; ``stats`` is None, and ``are_strengths_known`` False, while they are computed.
    All data cover at least ``as_of`` matches.
    """

    lead: tuple[Part, ...]
    rows: tuple[Row, ...] = ()
    played: bool = True
    has_notes: bool = False
    stats: TournamentStats | None = None
    are_strengths_known: bool = False
    opinion: str = ""
    as_of: int = 0

    @property
    def has_ranks(self) -> bool:
        """Whether ranks follow from figures, certain or not; false where rules decide all places."""
        return not self.has_notes or any(row.ranks != "\N{EN DASH}" for row in self.rows)

    @property
    def is_pending(self) -> bool:
        """Whether something is still being computed."""
        return self.played and not (self.stats and self.are_strengths_known)


def standing_rows(queries: Queries, tournament: StoredTournament, wait_seconds: float = WAIT_SECONDS) -> Rows:
    """Return the standings as a page shows them, without figures that are being computed for the first time."""
    if not queries.played(tournament):
        return Rows(lead(queries, tournament), played=False)
    stats, strengths = queries.stats_soon(tournament, wait_seconds), queries.strengths_soon(tournament, wait_seconds)
    lines = queries.standings(tournament)
    has_places = has_course(tournament)
    return Rows(
        lead=lead(queries, tournament),
        rows=_rows(lines, ranking(queries, tournament, lines), strengths or {}, has_places=has_places),
        has_notes=has_places,
        stats=stats,
        are_strengths_known=strengths is not None,
        opinion="" if has_places else second_opinion([line.bot for line in lines], strengths or {}),
        as_of=queries.as_of(tournament),
    )


def rating_scale(lines: Iterable[Standing]) -> tuple[float, float]:
    """Return the range for the intervals of all rows; the lowest are cut off, so that a very weak bot does not compress the others."""
    known = [(line.score, line.mu + 3 * line.sigma) for line in lines]
    lows, highs = sorted(low for low, _ in known), [high for _, high in known]
    return (lows[len(lows) // _CUT_OFF], max(highs)) if known else (0.0, 1.0)


def _rows(
    lines: Sequence[Standing],
    ranked: Sequence[Place],
    strengths: dict[str, Strength],
    *,
    has_places: bool,
) -> tuple[Row, ...]:
    by_bot = {line.bot: line for line in lines}
    scale = rating_scale(lines)
    numbers = [each.place for each in ranked]
    return tuple(
        Row(
            line=by_bot[each.bot],
            place=each.place,
            note=each.note,
            tied=numbers.count(each.place) > 1,
            strength=strengths.get(each.bot),
            ranks=possible_ranks(None if has_places else by_bot[each.bot], each) or "\N{EN DASH}",
            interval=_interval(by_bot[each.bot], scale),
        )
        for each in ranked
        if each.bot in by_bot
    )


def _interval(line: Standing, scale: tuple[float, float]) -> Markup:
    return charts.interval(line.mu, line.score, line.mu + 3 * line.sigma, scale)
