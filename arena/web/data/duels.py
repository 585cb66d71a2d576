"""A tournament's contests of two bots: one bot against all others, and everybody against everybody in few bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arena.web.data.tournament_stats import TournamentStats
from leaderboard.statistics.summary import HeadToHead

LEVELS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%()*+,-/:;=?@[]^"
"""The letters of the shares in ``packed_shares``, from always lost to always won; none of them is special in JSON or HTML."""
NEVER: Final = " "
"""The letter of two bots that have not met in a complete block."""
_EVEN: Final = 0.5


@dataclass(frozen=True, slots=True)
class Record:
    """A bot's contests, the hardest opponent first. An interval wholly on one side of one half makes a contest certain."""

    contests: tuple[HeadToHead, ...]

    @property
    def behind(self) -> tuple[HeadToHead, ...]:
        """Those in which it was below the other more often than above."""
        return tuple(each for each in self.contests if each.share < _EVEN)

    @property
    def surely_behind(self) -> tuple[HeadToHead, ...]:
        """Those of them that are certain."""
        return tuple(each for each in self.contests if each.high < _EVEN)

    @property
    def ahead(self) -> tuple[HeadToHead, ...]:
        """Those in which it was above the other more often."""
        return tuple(each for each in self.contests if each.share > _EVEN)

    @property
    def surely_ahead(self) -> tuple[HeadToHead, ...]:
        """Those of them that are certain."""
        return tuple(each for each in self.contests if each.low > _EVEN)


def record_of(stats: TournamentStats, bot: str, order: Sequence[str]) -> Record:
    """Return the bot's contests with those of ``order``, which has all bots, best first."""
    found = [contest for other in order if (contest := stats.contests.get((bot, other))) is not None]
    return Record(tuple(sorted(found, key=lambda each: each.share)))  # the better bot first where shares are equal


def packed_shares(stats: TournamentStats, order: Sequence[str]) -> list[str]:
    """Return for each bot a letter of ``LEVELS`` for each bot after it: its share against that one, to one part in 80."""
    contests = stats.contests
    top = len(LEVELS) - 1
    return [
        "".join(LEVELS[round(contest.share * top)] if (contest := contests.get((bot, other))) else NEVER for other in order[at + 1 :])
        for at, bot in enumerate(order)
    ]
