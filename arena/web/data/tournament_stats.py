"""The statistics of a tournament that pages show, computed from all stored results: those that are quick, and strengths apart from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.entries.stored_tournament import stored_spec
from leaderboard.statistics.blocks import find_blocks
from leaderboard.statistics.bradley_terry import Strength, strengths
from leaderboard.statistics.columns import RatingHistory, read_history, read_results
from leaderboard.statistics.seat_records import Loss, SeatRecord, seat_records, worst_losses
from leaderboard.statistics.summary import (
    Faults,
    HeadToHead,
    SeatAdvantage,
    Usage,
    faults,
    head_to_head,
    reversed_pair,
    seat_advantage,
    usage,
)
from leaderboard.storage.store import Store, StoredTournament

POINTS = 120
"""Ratings of each bot kept for its chart."""


@dataclass(frozen=True, slots=True)
class TournamentStats:
    """A tournament's statistics by bot. ``contests`` has both directions of every pair that has met in a complete block."""

    played: int
    complete: int
    incomplete: int
    contests: dict[tuple[str, str], HeadToHead]
    seats: tuple[SeatAdvantage, ...]
    records: dict[str, tuple[SeatRecord, ...]]
    losses: dict[str, tuple[Loss, ...]]
    faults: tuple[Faults, ...]
    usage: dict[str, Usage]
    history: dict[str, RatingHistory]


def compute_stats(store: Store, tournament: StoredTournament) -> TournamentStats:
    """Compute the statistics, which takes about a second for 40,000 matches. Raises StoreError and SpecError."""
    results = read_results(store, tournament)
    blocks = find_blocks(results, stored_spec(tournament).schedule.count_seatings)
    pairs = head_to_head(blocks)
    return TournamentStats(
        played=len(results.players),
        complete=blocks.complete,
        incomplete=blocks.incomplete,
        contests={(each.bot, each.other): each for pair in pairs for each in (pair, reversed_pair(pair))},
        seats=seat_advantage(blocks),
        records=_by_bot(seat_records(results)),
        losses=worst_losses(results),
        faults=faults(results),
        usage={each.bot: each for each in usage(results)},
        history={each.bot: each for each in read_history(store, tournament, POINTS)},
    )


def compute_strengths(store: Store, tournament: StoredTournament) -> dict[str, Strength]:
    """Fit the bots' strengths, by bot; the replicates of their intervals take ten seconds and more for a hundred bots.

    Raises StoreError and SpecError.
    """
    blocks = find_blocks(read_results(store, tournament), stored_spec(tournament).schedule.count_seatings)
    return {each.bot: each for each in strengths(blocks)}


def _by_bot(records: Sequence[SeatRecord]) -> dict[str, tuple[SeatRecord, ...]]:
    grouped: dict[str, list[SeatRecord]] = {}
    for record in records:
        grouped.setdefault(record.bot, []).append(record)
    return {bot: tuple(each) for bot, each in grouped.items()}
