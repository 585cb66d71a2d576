"""Challenges: unrated matches of an author's bot against another one of a ladder, queued and played as submissions are checked."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Final

from arena.entries.bot_check import CheckProgress
from arena.entries.bot_resolution import find_entry
from arena.entries.check_report import CheckStage
from arena.entries.ladder_entry import find_ladder
from arena.entries.preflight import distinct_names
from arena.formats.orders import Orders
from arena.play.isolation import BEST, admit, choose_level
from arena.play.match import make_ticket, play_match
from arena.spec.seeds import SEED_BITS
from arena.web.data.my_bots import own_bots
from arena.web.data.queries import Queries
from bots.errors import BotError
from bots.host.player_pool import PlayerPool
from bots.loader.params import split_reference
from bots.loader.reference_bots import REFERENCE_BOTS
from engine.core import Move, State
from engine.decoding import decode
from leaderboard.statistics.intervals import Estimate, share
from leaderboard.storage.store import Store, StoredTournament
from leaderboard.storage.submissions import Submission, find_submission
from leaderboard.storage.uploads import StoredUpload

MATCHES: Final = 20
"""The number of matches: two with each deck, between which the bots exchange seats."""
SECONDS: Final = 300.0
"""The time limit of a challenge; one that takes longer ends with the pairs that are over."""


@dataclass(frozen=True, slots=True)
class ChallengeMatch:
    """A match of a challenge, by seat; ``is_own`` says where the author's bot sat, ``faults`` has kinds, empty where there was none."""

    is_own: tuple[bool, ...]
    scores: tuple[float, ...]
    ranks: tuple[int, ...]
    faults: tuple[str, ...]

    @property
    def won(self) -> float:
        """The author's share of the first places: 1, 0, or between if it was shared."""
        first = [own for own, rank in zip(self.is_own, self.ranks, strict=True) if rank == 1]
        return sum(first) / len(first)


@dataclass(frozen=True, slots=True)
class ChallengeResult:
    """The matches of a challenge, in pairs."""

    matches: tuple[ChallengeMatch, ...]

    @property
    def won(self) -> float:
        """The number of matches that the author's bot has won."""
        return sum(match.won for match in self.matches)

    @property
    def share(self) -> Estimate:
        """The share of matches won, with its interval over pairs."""
        return share([(one.won + other.won) / 2 for one, other in zip(self.matches[::2], self.matches[1::2], strict=True)])


class _TimeUpError(Exception):
    """The challenge has taken as long as it may."""


def read_challenge(challenge: StoredUpload) -> ChallengeResult | None:
    """Return the result of a challenge; None if it is not over or could not be played."""
    return decode(challenge.report, ChallengeResult) if challenge.report else None


def challengers(queries: Queries, ladder: StoredTournament, author: str) -> tuple[str, ...]:
    """Return the author's submitted bots that play in the ladder, the newest first."""
    gone = Orders(ladder.orders).gone
    return tuple(bot for bot, label in own_bots(queries, ladder, author).items() if label and bot not in gone)[::-1]


def rivals(queries: Queries, ladder: StoredTournament, author: str) -> tuple[str, ...]:
    """Return the bots playing in the ladder that the author may challenge: reference bots, their own, those whose authors allow it."""
    gone = Orders(ladder.orders).gone
    digests = {entrant.name: entrant.digest for entrant in ladder.entrants}
    found = []
    for bot in queries.spec(ladder).bots:
        source = split_reference(bot.source)[0]
        submission = queries.submissions(source.partition("@")[0]).get(digests.get(bot.name, ""))
        is_allowed = source in REFERENCE_BOTS if submission is None else _takes(submission, author)
        if is_allowed and bot.name not in gone:
            found.append(bot.name)
    return tuple(found)


def _takes(submission: Submission, author: str) -> bool:
    """Whether the author may challenge this version."""
    return submission.author == author or submission.takes_challenges


def play_challenge(
    store: Store, challenge: StoredUpload, on_progress: Callable[[CheckProgress], None], *, trusted: bool, seconds: float = SECONDS
) -> tuple[ChallengeResult, list[str]]:
    """Play a challenge by the game, the clock and the smallest table of its ladder; return its whole pairs and their replays.

    ``on_progress`` is called after each move, and may raise to end it. At a table for more than two, the bots take every other seat.
    Raises BotError, also if the other bot's author has come to allow no challenges.
    """
    spec = find_ladder(store, challenge.ladder)
    game, clock, size, until = spec.make_game(), spec.clock.limits, min(spec.schedule.tables), monotonic() + seconds
    entries = {bot.name: bot for bot in spec.bots}
    label = split_reference(entries[challenge.against].source)[0]
    if label not in REFERENCE_BOTS and not _takes(find_submission(store, label), challenge.author):
        raise BotError(f"the author of {challenge.against} no longer allows challenges")
    most = spec.runtime.runtime.most_bytes
    bots = [find_entry(entries[name], Path(), store, in_process=False, most=most) for name in (challenge.name, challenge.against)]
    level = choose_level(BEST)
    admit(bots, level, trusted=trusted, clock=clock)
    played: list[ChallengeMatch] = []
    replays: list[str] = []
    decisions = 0

    def on_move(_state: State, _move: Move) -> None:
        nonlocal decisions
        decisions += 1
        on_progress(CheckProgress(CheckStage.PLAY, len(played), MATCHES, sum(any(each.faults) for each in played), decisions))
        if monotonic() > until:
            raise _TimeUpError

    with PlayerPool(level, game=game, runtime=spec.runtime.runtime) as pool:
        pool.start()
        seeds = [secrets.randbits(SEED_BITS) for _ in range(MATCHES // 2)]
        with suppress(_TimeUpError):
            for number in range(MATCHES):
                seats = [(seat + number) % 2 for seat in range(size)]
                ticket = make_ticket(game, distinct_names([bots[each].name for each in seats]), seed=seeds[number // 2])
                result = play_match(game, ticket, [pool.seat(bots[each]) for each in seats], on_move, clock=clock)
                faults = tuple(seat.fault.kind.value if seat.fault else "" for seat in result.seats)
                scores, ranks = tuple(seat.score for seat in result.seats), tuple(seat.rank for seat in result.seats)
                played.append(ChallengeMatch(tuple(each == 0 for each in seats), scores, ranks, faults))
                replays.append(result.replay.text)
    whole = len(played) // 2 * 2
    return ChallengeResult(tuple(played[:whole])), replays[:whole]
