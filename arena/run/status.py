"""The status of a tournament: matches played and left, whether a run is going on, and standings recomputed from results."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import Final

from arena.entries.stored_tournament import ExistingTournament, make_schedule, stored_spec, whole_spec
from arena.formats.base import Place
from arena.formats.orders import Orders
from arena.formats.schedule import Schedule
from arena.spec.spec import Spec
from arena.spec.tables import LadderPlan, SwissPlan
from leaderboard.ratings.fold import Fold, Folded
from leaderboard.records import WAITING
from leaderboard.storage.matches import BlockCount, count, count_blocks, count_rounds, recent_rate
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

    Decks follow from ``open_seed``, or from a secret with this ``commitment``; the other is None. ``rate`` is in matches per second, and
    ``seconds_left`` is the time for the remaining matches at that rate; both are None unless a run is going on. ``round`` is the newest
    paired round, from 1 (0: the format does not pair by results), and ``by_round`` has it and those before it. ``conclusion`` says how
    certain ``places`` are, if the format computes that.
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

    The schedule of a Swiss or a knockout is walked through to find its current round.
    """
    spec = stored_spec(tournament)
    schedule = make_schedule(spec, tournament)
    counts = _count_blocks(store, tournament, schedule, spec)
    by_round = _rounds(store, tournament, schedule, spec, None, rounds)
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
    """Return at most ``most`` rounds, the last ones before the round ``before``, in order."""
    spec = stored_spec(tournament)
    return _rounds(store, tournament, make_schedule(spec, tournament), spec, before, most)


def find_blocks(store: Store, tournament: StoredTournament) -> tuple[int, int | None]:
    """Return how many blocks are complete, and how many there will be (None if unknown)."""
    spec = stored_spec(tournament)
    schedule = make_schedule(spec, tournament)
    total = schedule.total_blocks
    if total is not None and store.count_matches(tournament) == tournament.total:
        return total, total
    counts = _count_blocks(store, tournament, schedule, spec)
    return counts.complete, counts.complete if counts.matches == tournament.total else total


def find_places(store: Store, tournament: StoredTournament) -> tuple[tuple[Place, ...], str]:
    """Return the place of each bot by the rules of the format, best first, and, if the format says so, how certain places are.

    Both are empty where ratings decide, and before the first match.
    """
    schedule = make_schedule(stored_spec(tournament), tournament)
    if not schedule.has_places or not store.count_matches(tournament):
        return (), ""
    deque(schedule.walk(partial(store.entries, tournament)), maxlen=0)
    return schedule.places(), schedule.conclusion()


def _count_blocks(store: Store, tournament: StoredTournament, schedule: Schedule, spec: Spec) -> BlockCount:
    return count_blocks(store, tournament, _seatings(schedule, spec))


def _seatings(schedule: Schedule, spec: Spec) -> dict[int, int]:
    return {players: schedule.count_seatings(players) for players in spec.schedule.tables}


def _rounds(
    store: Store, tournament: StoredTournament, schedule: Schedule, spec: Spec, before: int | None, most: int
) -> tuple[RoundStatus, ...]:
    if not schedule.needs_results:
        return ()
    matches: dict[int, int] = {}
    if not isinstance(spec.schedule, LadderPlan):  # the run may have been going on for a very long time
        for ticket, _ in schedule.walk(store.matches):
            matches[ticket.round] = matches.get(ticket.round, 0) + 1
    stop = max([store.last_round(tournament), *matches]) + 1
    if before is not None:
        stop = max(0, min(stop, before - 1))
    rounds = range(max(0, stop - most), stop)
    stored = count_rounds(store, tournament, _seatings(schedule, spec), rounds)
    nothing = BlockCount(0, 0, 0)
    return tuple(
        RoundStatus(number + 1, counts.matches, matches.get(number), counts.complete)
        for number in rounds
        for counts in [stored.get(number, nothing)]
    )


def recompute_standings(spec: Spec, store: Store, tournament: StoredTournament) -> Folded:
    """Fold the stored results in schedule order, ignoring the stored standings. It takes a fraction of a millisecond per match."""
    fold = Fold(contents(tournament), spec.rating.parameters)
    schedule = make_schedule(whole_spec(spec, ExistingTournament(tournament, stored_spec(tournament))), tournament)
    counted = (
        entry for _, entry in schedule.walk(partial(store.entries, tournament)) if entry is not None and schedule.orders.count(entry.bots)
    )
    for index, entry in enumerate(counted):
        fold.add(index, entry)
    return fold.take()


def contents(tournament: StoredTournament) -> dict[str, str]:
    """Return the content hash of each rated bot, by name, without bots that wait to join or no longer count."""
    uncounted = Orders(tournament.orders).uncounted
    return {bot.name: bot.digest for bot in tournament.entrants if bot.joined != WAITING and bot.name not in uncounted}
