"""The status of a tournament: matches played and left, by round, and whether a run is going on."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import Final

from arena.formats.base import Place
from arena.spec.tables import LadderPlan, SwissPlan
from arena.tournament import Tournament
from leaderboard.storage.matches import BlockCount, count, count_rounds, recent_rate
from leaderboard.storage.store import Store, StoredTournament

ROUNDS: Final = 50
"""The most rounds that are listed at a time: a ladder may have played tens of thousands."""


@dataclass(frozen=True, slots=True)
class RoundStatus:
    """A round, counted from 1; ``matches`` is None if counting them would take a pass over all results."""

    round: int
    played: int
    matches: int | None
    blocks_complete: int


@dataclass(frozen=True, slots=True)
class Status:
    """The status of a tournament; ``matches``, ``blocks`` and ``rounds`` are None while their number is unknown.

    Decks are derived from ``open_seed``, or from a secret with this ``commitment``; one of the two is None. ``rate`` is in matches per
    second, and ``seconds_left`` is the time for the remaining matches at that rate; both are None unless a run is going on. ``round`` is
    the newest round that has been paired, counted from 1, or 0 if rounds do not depend on results; ``by_round`` ends with that round.
    ``conclusion`` says how certain ``places`` are, if the format computes that.
    """

    tournament: str
    game: str
    format: str
    played: int
    matches: int | None
    void: int
    blocks_complete: int
    blocks: int | None
    rounds: int | None
    round: int
    by_round: tuple[RoundStatus, ...]
    waiting: tuple[str, ...]
    is_complete: bool
    is_running: bool
    rate: float | None
    seconds_left: float | None
    places: tuple[Place, ...]
    open_seed: int | None = None
    commitment: str | None = None
    conclusion: str = ""

    @property
    def left(self) -> int | None:
        """How many matches are still to be played."""
        return None if self.matches is None else self.matches - self.played


def find_status(store: Store, tournament: StoredTournament, rounds: int = ROUNDS) -> Status:
    """Return the status of a stored tournament with at most ``rounds`` of its newest rounds.

    The current round of a Swiss or knockout tournament is found by walking through its schedule.
    """
    read = Tournament(store, tournament)
    spec, schedule = read.spec, read.schedule
    counts = read.count_blocks()
    by_round = _rounds(read, None, rounds)
    total = tournament.total
    is_running = store.is_being_written()
    rate = recent_rate(store, tournament) if is_running else None
    return Status(
        tournament=tournament.name,
        game=tournament.game,
        format=spec.schedule.format,
        played=counts.matches,
        matches=total,
        void=count(store, tournament).void,
        blocks_complete=counts.complete,
        blocks=schedule.total_blocks if counts.matches != total else counts.blocks,
        rounds=spec.schedule.rounds if isinstance(spec.schedule, SwissPlan | LadderPlan) else None,
        round=by_round[-1].round if by_round else 0,
        by_round=by_round,
        waiting=store.waiting(tournament),
        is_complete=counts.matches == total,
        is_running=is_running,
        rate=rate,
        seconds_left=(total - counts.matches) / rate if rate and total is not None else None,
        places=schedule.places(),
        open_seed=tournament.seed,
        commitment=None if tournament.secret is None else tournament.secret.commitment,
        conclusion=schedule.conclusion(),
    )


def find_rounds(store: Store, tournament: StoredTournament, before: int, most: int = ROUNDS) -> tuple[RoundStatus, ...]:
    """Return the latest rounds whose number is below ``before``, at most ``most`` of them, in ascending order."""
    return _rounds(Tournament(store, tournament), before, most)


def find_places(store: Store, tournament: StoredTournament) -> tuple[tuple[Place, ...], str]:
    """Return the bots' places according to the rules of the format, best first, and how certain they are, if the format computes that.

    Both are empty if ratings decide, and before the first match.
    """
    schedule = Tournament(store, tournament).schedule
    if not schedule.has_places or not store.count_matches(tournament):
        return (), ""
    deque(schedule.walk(partial(store.entries, tournament)), maxlen=0)
    return schedule.places(), schedule.conclusion()


def _rounds(tournament: Tournament, before: int | None, most: int) -> tuple[RoundStatus, ...]:
    store, stored, schedule = tournament.store, tournament.stored, tournament.schedule
    if not schedule.needs_results:
        return ()
    matches: dict[int, int] = {}
    if not isinstance(tournament.spec.schedule, LadderPlan):  # a ladder may have played for a very long time
        for ticket, _ in schedule.walk(store.matches):
            matches[ticket.round] = matches.get(ticket.round, 0) + 1
    stop = max([store.last_round(stored), *matches]) + 1
    if before is not None:
        stop = max(0, min(stop, before - 1))
    rounds = range(max(0, stop - most), stop)
    counted = count_rounds(store, stored, tournament.seatings, rounds)
    nothing = BlockCount(0, 0, 0)
    return tuple(
        RoundStatus(number + 1, counts.matches, matches.get(number), counts.complete)
        for number in rounds
        for counts in [counted.get(number, nothing)]
    )
