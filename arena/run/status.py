"""How far a tournament is: what has been played, what is left, whether a run is going on; and its standings recomputed from results."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import partial

from arena.entries.stored_tournament import ExistingTournament, make_schedule, stored_spec, whole_spec
from arena.formats.base import Place
from arena.formats.orders import Orders
from arena.formats.schedule import Schedule
from arena.spec.plans import LadderPlan, SwissPlan
from arena.spec.spec import Spec
from leaderboard.ratings.results_fold import Fold, Folded
from leaderboard.records.stored import WAITING
from leaderboard.storage.match_queries import RoundCount, count_rounds, count_void, recent_rate
from leaderboard.storage.store import Store, StoredTournament


@dataclass(frozen=True, slots=True)
class RoundStatus:
    """A round, counted from 1; ``matches`` is None if it would take a walk through all results."""

    round: int
    played: int
    matches: int | None
    blocks_complete: int


@dataclass(frozen=True, slots=True)
class Status:
    """How far a tournament is; ``matches``, ``blocks`` and ``rounds`` are None as long as their number can't be known.

    Decks follow from ``open_seed``, or from a secret with this ``commitment``; the other is None. ``rate`` is in matches per second, and
    ``seconds_left`` what the rest takes at that rate; both are None unless a run is going on. The ratings of ``anchors`` are fixed.
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
    by_round: tuple[RoundStatus, ...]
    waiting: tuple[str, ...]
    is_complete: bool
    is_running: bool
    rate: float | None
    seconds_left: float | None
    places: tuple[Place, ...]
    anchors: tuple[str, ...] = ()
    open_seed: int | None = None
    commitment: str | None = None

    @property
    def left(self) -> int | None:
        """How many matches are still to be played."""
        return None if self.matches is None else self.matches - self.played


def find_status(store: Store, tournament: StoredTournament) -> Status:
    """Return the status of a stored tournament. A Swiss or a knockout is walked through, to know its current round."""
    spec = stored_spec(tournament)
    schedule = make_schedule(spec, tournament)
    counts = count_blocks(store, tournament, schedule, spec)
    rounds = _rounds(store, schedule, spec, counts)
    played = sum(count.matches for count in counts)
    total = tournament.total
    is_running = store.is_being_written()
    rate = recent_rate(store, tournament) if is_running else None
    return Status(
        tournament=tournament.name,
        game=tournament.game,
        format=spec.schedule.format,
        played=played,
        matches=total,
        void=count_void(store, tournament),
        blocks_complete=sum(count.complete for count in counts),
        blocks=schedule.total_blocks if played != total else sum(count.blocks for count in counts),
        rounds=spec.schedule.rounds if isinstance(spec.schedule, SwissPlan | LadderPlan) else None,
        by_round=rounds,
        waiting=store.waiting(tournament),
        is_complete=played == total,
        is_running=is_running,
        rate=rate,
        seconds_left=(total - played) / rate if rate and total is not None else None,
        places=schedule.places(),
        anchors=tuple(each.bot for each in spec.rating.fixed),
        open_seed=tournament.seed,
        commitment=None if tournament.secret is None else tournament.secret.commitment,
    )


def find_blocks(store: Store, tournament: StoredTournament) -> tuple[int, int | None]:
    """Return how many blocks are complete, and how many there will be, or None if that can't be known."""
    spec = stored_spec(tournament)
    schedule = make_schedule(spec, tournament)
    total = schedule.total_blocks
    if total is not None and store.count_matches(tournament) == tournament.total:
        return total, total
    counts = count_blocks(store, tournament, schedule, spec)
    played, complete = sum(count.matches for count in counts), sum(count.complete for count in counts)
    return complete, complete if played == tournament.total else total


def find_places(store: Store, tournament: StoredTournament) -> tuple[Place, ...]:
    """Return everybody's place by the rules of the format, best first; empty where ratings decide, and before the first match."""
    schedule = make_schedule(stored_spec(tournament), tournament)
    if not schedule.has_places or not store.count_matches(tournament):
        return ()
    deque(schedule.walk(partial(store.entries, tournament)), maxlen=0)
    return schedule.places()


def count_blocks(store: Store, tournament: StoredTournament, schedule: Schedule, spec: Spec) -> tuple[RoundCount, ...]:
    """Return the stored matches and blocks of each round."""
    return count_rounds(store, tournament, {players: schedule.count_seatings(players) for players in spec.schedule.tables})


def _rounds(store: Store, schedule: Schedule, spec: Spec, counts: tuple[RoundCount, ...]) -> tuple[RoundStatus, ...]:
    if not schedule.needs_results:
        return ()
    matches: dict[int, int] = {}
    if not isinstance(spec.schedule, LadderPlan):  # it may have gone on for a very long time
        for ticket, _ in schedule.walk(store.matches):
            matches[ticket.round] = matches.get(ticket.round, 0) + 1
    stored = {count.round: count for count in counts}
    return tuple(
        RoundStatus(
            number + 1,
            stored[number].matches if number in stored else 0,
            matches.get(number),
            stored[number].complete if number in stored else 0,
        )
        for number in sorted({*matches, *stored})
    )


def recompute_standings(spec: Spec, store: Store, tournament: StoredTournament) -> Folded:
    """Fold the stored results in schedule order, ignoring the stored standings. It takes a fraction of a millisecond per match."""
    fold = Fold(contents(tournament), spec.rating.parameters)
    schedule = make_schedule(whole_spec(spec, ExistingTournament(tournament, stored_spec(tournament))), tournament)
    counted = (
        entry
        for _, entry in schedule.walk(partial(store.entries, tournament))
        if entry is not None and schedule.orders.counts(entry.match, entry.bots)
    )
    for index, entry in enumerate(counted):
        fold.add(index, entry)
    return fold.take()


def contents(tournament: StoredTournament) -> dict[str, str]:
    """Return the content hash of each bot that is rated, by name: not of those that wait for a round to join, or no longer count."""
    uncounted = Orders(tournament.orders).uncounted
    return {bot.name: bot.digest for bot in tournament.entrants if bot.joined != WAITING and bot.name not in uncounted}
