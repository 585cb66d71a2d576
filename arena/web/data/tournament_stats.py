"""The statistics of a tournament for pages, computed from all stored results; strengths are separate, since they are slow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arena.analysis.statistics import read_counted
from arena.entries.stored_tournament import stored_spec
from leaderboard.statistics.blocks import find_blocks
from leaderboard.statistics.bradley_terry import Strength, strengths
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

LEVELS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%()*+,-/:;=?@[]^"
"""The letters of the shares in ``packed_shares``, from always lost to always won; none of them is special in JSON or HTML."""
NEVER: Final = " "
"""The letter of two bots that have not met in a complete block."""
_EVEN: Final = 0.5


@dataclass(frozen=True, slots=True)
class TournamentStats:
    """A tournament's statistics by bot. ``contests`` has both directions of every pair that has met in a complete block."""

    played: int
    complete: int
    incomplete: int
    contests: dict[tuple[str, str], HeadToHead]
    seats: tuple[SeatAdvantage, ...]
    faults: tuple[Faults, ...]
    usage: dict[str, Usage]


def compute_stats(store: Store, tournament: StoredTournament) -> TournamentStats:
    """Compute the statistics, which takes about a second for 40,000 matches. Raises StoreError and SpecError."""
    results = read_counted(store, tournament)
    blocks = find_blocks(results, stored_spec(tournament).schedule.count_seatings)
    pairs = head_to_head(blocks)
    return TournamentStats(
        played=len(results.players),
        complete=blocks.complete,
        incomplete=blocks.incomplete,
        contests={(each.bot, each.other): each for pair in pairs for each in (pair, reversed_pair(pair))},
        seats=seat_advantage(blocks),
        faults=faults(results),
        usage={each.bot: each for each in usage(results)},
    )


def compute_strengths(store: Store, tournament: StoredTournament) -> dict[str, Strength]:
    """Fit the bots' strengths, by bot; the replicates of their intervals take ten seconds and more for a hundred bots.

    Raises StoreError and SpecError.
    """
    blocks = find_blocks(read_counted(store, tournament), stored_spec(tournament).schedule.count_seatings)
    return {each.bot: each for each in strengths(blocks)}


@dataclass(frozen=True, slots=True)
class Record:
    """A bot's contests, the hardest opponent first. An interval wholly on one side of one half makes a contest certain."""

    contests: tuple[HeadToHead, ...]

    @property
    def behind(self) -> tuple[HeadToHead, ...]:
        """The contests in which it was below the other more often than above."""
        return tuple(each for each in self.contests if each.share < _EVEN)

    @property
    def surely_behind(self) -> tuple[HeadToHead, ...]:
        """Those in which that is certain."""
        return tuple(each for each in self.contests if each.high < _EVEN)

    @property
    def ahead(self) -> tuple[HeadToHead, ...]:
        """The contests in which it was above the other more often than below."""
        return tuple(each for each in self.contests if each.share > _EVEN)

    @property
    def surely_ahead(self) -> tuple[HeadToHead, ...]:
        """Those in which that is certain."""
        return tuple(each for each in self.contests if each.low > _EVEN)


def record_of(stats: TournamentStats, bot: str, order: Sequence[str]) -> Record:
    """Return the bot's contests with those of ``order``, which has all bots, best first."""
    contests = [contest for other in order if (contest := stats.contests.get((bot, other))) is not None]
    return Record(tuple(sorted(contests, key=lambda each: each.share)))  # the better bot first where shares are equal


def packed_shares(stats: TournamentStats, order: Sequence[str]) -> list[str]:
    """Return for each bot a letter of ``LEVELS`` for each bot after it: its share against that one, to one part in 80."""
    contests = stats.contests
    top = len(LEVELS) - 1
    return [
        "".join(LEVELS[round(contest.share * top)] if (contest := contests.get((bot, other))) else NEVER for other in order[at + 1 :])
        for at, bot in enumerate(order)
    ]
