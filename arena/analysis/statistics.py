"""Computes the statistics of a stored tournament, which ``arena.report.statistics_tables`` formats. The best bots are listed first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TypeVar

from arena.analysis.match_luck import KeptLuck, MatchReplay
from arena.formats.orders import Orders
from arena.run.results import rating_table
from arena.spec.spec import make_stored_spec
from leaderboard.errors import StoreError
from leaderboard.ratings.fold import Rated, conservative
from leaderboard.records import chunks
from leaderboard.statistics.adjustment import Adjustment, SeatLuck, adjust
from leaderboard.statistics.blocks import find_blocks
from leaderboard.statistics.bradley_terry import Strength, strengths
from leaderboard.statistics.columns import Results, read_results
from leaderboard.statistics.summary import (
    Faults,
    HeadToHead,
    SeatAdvantage,
    Ties,
    Usage,
    faults,
    head_to_head,
    reversed_pair,
    seat_advantage,
    ties,
    usage,
)
from leaderboard.storage.store import Store, StoredTournament

T = TypeVar("T")


class Section(StrEnum):
    """The sections of a tournament's statistics."""

    STANDINGS = "standings"
    HEAD_TO_HEAD = "head-to-head"
    SEATS = "seats"
    PLAY = "play"
    FAULTS = "faults"


@dataclass(frozen=True, slots=True)
class Line:
    """A bot in the standings: its ``rating`` (TrueSkill's mu - 3 sigma), and its ``elo`` with its interval and ranks.

    ``without_faults`` is the bot's Elo in matches in which no bot failed (None: see ``Strength``).
    """

    bot: str
    version: str
    rank: int | None
    best_rank: int | None
    worst_rank: int | None
    elo: float | None
    low: float | None
    high: float | None
    chance_of_first: float | None
    group: int | None
    without_faults: float | None
    blocks: int
    matches: int
    rating: float | None
    mu: float | None
    sigma: float | None


@dataclass(frozen=True, slots=True)
class Statistics:
    """A tournament's statistics; sections that were not requested are empty.

    ``matches_left_out`` counts the matches of incomplete blocks.
    """

    tournament: StoredTournament
    played: int
    complete: int
    incomplete: int
    matches_left_out: int
    draw_probability: float
    ties: Ties
    standings: tuple[Line, ...]
    strengths: tuple[Strength, ...]
    head_to_head: tuple[HeadToHead, ...] = ()
    seats: tuple[SeatAdvantage, ...] = ()
    play: tuple[Usage, ...] = ()
    faults: tuple[Faults, ...] = ()


def gather(store: Store, tournament: StoredTournament, sections: Collection[Section] = tuple(Section)) -> Statistics:
    """Compute a tournament's standings, and the requested ``sections`` in the same order of bots. Raises StoreError and SpecError."""
    spec = make_stored_spec(tournament.spec, store.name)
    results = read_counted(store, tournament)
    blocks = find_blocks(results, spec.schedule.count_seatings)
    fitted = strengths(blocks)
    standings = _standings(store, tournament, results, fitted)
    order = {line.bot: place for place, line in enumerate(standings)}

    def section(which: Section, lines: Callable[[], Iterable[T]]) -> tuple[T, ...]:
        return tuple(lines()) if which in sections else ()

    def pairs() -> Iterator[HeadToHead]:
        return (line if order[line.bot] < order[line.other] else reversed_pair(line) for line in head_to_head(blocks))

    return Statistics(
        tournament=tournament,
        played=len(results.players),
        complete=blocks.complete,
        incomplete=blocks.incomplete,
        matches_left_out=blocks.matches_left_out,
        draw_probability=spec.rating.draw_probability,
        ties=ties(blocks),
        standings=standings,
        strengths=fitted,
        head_to_head=section(Section.HEAD_TO_HEAD, lambda: sorted(pairs(), key=lambda line: (order[line.bot], order[line.other]))),
        seats=section(Section.SEATS, lambda: seat_advantage(blocks)),
        play=section(Section.PLAY, lambda: sorted(usage(results), key=lambda line: order[line.bot])),
        faults=section(Section.FAULTS, lambda: sorted(faults(results), key=lambda line: order[line.bot])),
    )


def read_counted(store: Store, tournament: StoredTournament) -> Results:
    """Read the stored results of all bots except those that orders exclude. Raises StoreError."""
    orders = Orders(tournament.orders)
    return read_results(store, tournament, without_bots=orders.uncounted)


def _standings(store: Store, tournament: StoredTournament, results: Results, fitted: tuple[Strength, ...]) -> tuple[Line, ...]:
    """Return bots in order of TrueSkill rating, as on the leaderboard; bots that have not played come last."""
    matches = {name: int((results.bot == bot).sum()) for bot, name in enumerate(results.bots)}
    versions = {entrant.name: entrant.digest for entrant in tournament.entrants}
    rated = {each.bot: each for each in rating_table(store, tournament)}
    lines = (_line(each, versions[each.bot], matches[each.bot], rated.get(each.bot) if matches[each.bot] else None) for each in fitted)
    return tuple(sorted(lines, key=lambda line: (line.rating is None, -(line.rating or 0), line.bot)))


def _line(strength: Strength, version: str, matches: int, rated: Rated | None) -> Line:
    return Line(
        **asdict(strength),
        version=version[:8],
        matches=matches,
        rating=conservative(rated.mu, rated.sigma) if rated else None,
        mu=rated.mu if rated else None,
        sigma=rated.sigma if rated else None,
    )


# Results adjusted for luck


@dataclass(frozen=True, slots=True)
class LessLuck:
    """Results adjusted for luck, and a sentence for each match whose luck could not be computed."""

    adjustment: Adjustment
    troubles: tuple[str, ...]


def adjust_tournament(
    store: Store, tournament: StoredTournament, kept: KeptLuck, report: Callable[[int, int], None] = lambda _done, _of: None
) -> LessLuck:
    """Return the results of all complete blocks, except solo play, adjusted for luck.

    After each match, ``report`` is called with the numbers of matches done and in total. Raises StoreError and SpecError.
    """
    spec = make_stored_spec(tournament.spec, store.name)
    results = read_counted(store, tournament)
    blocks = find_blocks(results, spec.schedule.count_seatings)
    ids = [results.ids[match] for table in blocks.tables if not table.is_solo for match in table.match.ravel().tolist()]
    luck: dict[str, SeatLuck] = {}
    troubles: list[str] = []
    for number, (match, entry) in enumerate(kept.luck(_replays(store, ids, troubles)), start=1):
        if isinstance(entry, str):
            troubles.append(f"match {match}: {entry}")
        else:
            luck[match] = SeatLuck(entry.wins, entry.pairs)
        report(number, len(ids))
    return LessLuck(adjust(blocks, results.ids, luck), tuple(troubles))


def _replays(store: Store, ids: Sequence[str], troubles: list[str]) -> Iterator[MatchReplay]:
    for chunk in chunks(ids):
        digests = {match.id: match.digest for match in store.matches(chunk).values()}
        for match in chunk:
            try:
                yield MatchReplay(match, store.replay(match), digests[match])
            except StoreError as error:
                troubles.append(str(error))
