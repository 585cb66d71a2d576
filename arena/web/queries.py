"""Cached queries for pages, so that many visitors cost little more than one. Nothing in this module writes to the store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, TypeVar

from fastapi import Request

from arena.analysis.statistics import read_counted
from arena.run.results import Standing, count_unrated, older_bots, standings
from arena.run.status import RoundStatus, Status, find_rounds, find_status
from arena.season.driver import find_progress
from arena.season.entry import find_stage
from arena.season.season_file import SeasonError
from arena.season.stages import Progress, Season, hidden
from arena.season.times import Now, now
from arena.spec.spec import Spec, SpecError
from arena.tournament import Tournament, stored_spec
from arena.web.cache import Cache
from arena.web.errors import LATER, NotFoundError
from engine.records import FaultKind, SeatResult
from leaderboard.names import unnumbered
from leaderboard.seal_format import Link
from leaderboard.statistics import summary
from leaderboard.statistics.blocks import find_blocks
from leaderboard.statistics.bradley_terry import Strength, strengths
from leaderboard.statistics.summary import Faults, HeadToHead, SeatAdvantage, Usage
from leaderboard.storage.database import StoreError
from leaderboard.storage.matches import (
    Counts,
    DatedMatch,
    LedgerEntry,
    MatchFilter,
    Page,
    Void,
    block_of,
    count,
    endings,
    faults,
    find_matches,
    look_up,
    recent_rate,
    tournaments_of,
    voids,
)
from leaderboard.storage.store import Entrant, Store, StoredMatch, StoredTournament
from leaderboard.storage.submissions import Submission, versions
from leaderboard.storage.tournaments import StoredSeason, seasons

T = TypeVar("T")

FRESH_SECONDS: Final = 1.0
"""How old the data on a page may be during a run, in seconds."""
WAIT_SECONDS: Final = 0.05
"""How long a page waits for statistics, in seconds, before it is shown without them; its script requests them again."""
_SOON_MATCHES: Final = 5_000
"""A page waits only for statistics of at most this many matches: statistics of more matches take longer than it waits."""
_LEAST_ID: Final = 6
_HOST_WORDS: Final = frozenset({FaultKind.INIT_TIMEOUT, FaultKind.MOVE_TIMEOUT, FaultKind.OUTPUT_FLOOD, FaultKind.RESIGNED})
"""The kinds of fault whose detail contains no text from the bot, so visitors may read it when the block is over.

Text from the bot (an exception, a move, a line that is not a message) is for its author and the host: it may reveal tiles of a deck that is
still in use.
"""
_MOST_ASKED: Final = 256
"""The number of cached results of queries that visitors can vary endlessly: filters, pages of lists, ids.

They never evict results that are slow to compute.
"""


@dataclass(frozen=True, slots=True)
class TournamentStats:
    """A tournament's statistics by bot. Each pair that has met in a complete block is in ``contests`` twice, once in each order."""

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
    pairs = summary.head_to_head(blocks)
    return TournamentStats(
        played=len(results.players),
        complete=blocks.complete,
        incomplete=blocks.incomplete,
        contests={(each.bot, each.other): each for pair in pairs for each in (pair, summary.reversed_pair(pair))},
        seats=summary.seat_advantage(blocks),
        faults=summary.faults(results),
        usage={each.bot: each for each in summary.usage(results)},
    )


def compute_strengths(store: Store, tournament: StoredTournament) -> dict[str, Strength]:
    """Return each bot's fitted strength, which takes ten seconds or more for a hundred bots. Raises StoreError and SpecError."""
    blocks = find_blocks(read_counted(store, tournament), stored_spec(tournament).schedule.count_seatings)
    return {each.bot: each for each in strengths(blocks)}


@dataclass(frozen=True, slots=True)
class State:
    """How far a tournament has come.

    ``total`` is None while it can't be known. ``rate`` is in matches per second, or None when no run is in progress.
    """

    played: int
    total: int | None
    void: int
    rate: float | None

    @property
    def is_running(self) -> bool:
        """Whether a run is in progress."""
        return self.rate is not None

    @property
    def is_complete(self) -> bool:
        """Whether every match of the schedule is stored."""
        return self.total is not None and self.played >= self.total > 0

    @property
    def seconds_left(self) -> float | None:
        """The seconds remaining at the current rate, or None if they are not known."""
        return (self.total - self.played) / self.rate if self.rate and self.total else None


class Queries:
    """All queries of one server; its methods may be called from any thread.

    Results may be ``fresh_seconds`` old; with 0, or without a ``background`` for slow computations, they always agree with
    the store. With ``only``, the queries see a single tournament and its bots.

    Only this class decides what a season hides, using the clock ``now``: a tournament with hidden results does not exist for visitors, and
    while replays are hidden, no block counts as over.
    """

    def __init__(
        self,
        store: Store,
        *,
        fresh_seconds: float = FRESH_SECONDS,
        background: Executor | None = None,
        only: str | None = None,
        now: Now = now,
    ) -> None:
        self.store = store
        self._now = now
        self._only = only
        self._fresh = fresh_seconds
        background = background if fresh_seconds > 0 else None
        self._cache, self._slow, self._asked = Cache(background=background), Cache(background=background), Cache(_MOST_ASKED, background)

    def close(self) -> None:
        """Close the database."""
        self.store.close()

    def keep(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value of ``make``, recomputed when the kept value is older than ``fresh_seconds``."""
        return self._cache.recent(key, self._fresh, make)

    def keep_for(self, tournament: StoredTournament, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value of ``make``, recomputed when the tournament's results have changed."""
        return self._cache.get((key, tournament.id), self.stamp(tournament), make)

    def keep_unplayed(self, tournament: StoredTournament, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value of ``make``, recomputed if the tournament has changed, such as by a new entrant, but not for new results."""
        return self._cache.get((key, tournament.id), tournament, make)

    def soon_for(self, tournament: StoredTournament, key: Hashable, make: Callable[[], T], wait_seconds: float) -> T | None:
        """Like ``keep_for``, but if computing the first value takes longer than ``wait_seconds``, return None until it is ready."""
        return self._cache.soon((key, tournament.id), self.stamp(tournament), make, wait_seconds)

    def _keep_asked(self, tournament: StoredTournament, key: Hashable, make: Callable[[], T]) -> T:
        """Like ``keep_for``, for queries that visitors can vary endlessly."""
        return self._asked.get((key, tournament.id), self.stamp(tournament), make)

    def stamp(self, tournament: StoredTournament) -> Hashable:
        """Return a value that changes whenever the tournament, its results or the visible part of them change."""
        return tournament, self.counts(tournament), self.hidden_until(tournament.name, "replays") is None

    def tournament_names(self) -> tuple[str, ...]:
        """Return the names of all tournaments, oldest first."""
        return self.keep("tournaments", lambda: tuple(filter(self._is_shown, self.store.tournament_names())))

    def _is_shown(self, tournament: str) -> bool:
        return self._only in {None, tournament} and self.hidden_until(tournament, "results") is None

    def seasons(self) -> tuple[StoredSeason, ...]:
        """Return all seasons, newest first."""
        return self.keep("seasons", lambda: seasons(self.store))

    def progress(self, season: Season) -> Progress:
        """Return the progress of a season, including stages with hidden results."""
        return self.keep(("season", season.name), lambda: find_progress(season, self.store))

    def hidden_until(self, tournament: str, what: str) -> str | None:
        """Return until when a stage's results or replays (``what``) are hidden, in words, or None if they may be shown."""
        try:
            found = find_stage((each for each in self.seasons() if each.published is None), tournament)
        except SeasonError:  # its game is not installed, or it is damaged: show too little rather than too much
            return "the season's file can be read here"
        if found is None:
            return None
        season, stage = found
        until = hidden(stage).get(what)
        return None if until is None or self._now() >= until else season.show(until)

    def _goes_by_calendar(self, tournament: str) -> bool:
        """Return whether a tournament is a season's ladder, which ends according to the calendar."""
        with suppress(SeasonError):
            found = find_stage(self.seasons(), tournament)
            return found is not None and found[1].is_ladder
        return False

    def why_hidden(self, tournament: StoredTournament) -> str:
        """Return a sentence that says why the replay of a match can't be seen yet."""
        until = self.hidden_until(tournament.name, "replays")
        return LATER if until is None else f"The replays of '{tournament.name}' are hidden until {until}."

    @property
    def now(self) -> datetime:
        """The time used to decide what is visible."""
        return self._now()

    def tournament(self, name: str) -> StoredTournament:
        """Return the tournament of that name. Raises NotFoundError."""
        is_known = name in self.tournament_names()
        stored = self.keep(("tournament", name), lambda: self.store.tournament(name)) if is_known else None
        if stored is None and (until := self.hidden_until(name, "results")) is not None:
            raise NotFoundError(f"The results of '{name}' are hidden until {until}.")
        if stored is None:
            names = self.tournament_names()
            there = f"there {'is' if len(names) == 1 else 'are'} {', '.join(names[-10:])}" if names else "none has been run yet"
            raise NotFoundError(f"There is no tournament '{name:.80}' here; {there}.")
        return stored

    def reread(self, name: str) -> None:
        """Read a tournament again, because this server has just changed it."""
        self._cache.recent(("tournament", name), 0, lambda: self.store.tournament(name))

    def entrant(self, tournament: StoredTournament, bot: str) -> Entrant:
        """Return the version of the bot that plays in the tournament. Raises NotFoundError."""
        for entrant in tournament.entrants:
            if entrant.name == bot:
                return entrant
        names = ", ".join(entrant.name for entrant in tournament.entrants)
        raise NotFoundError(f"There is no bot '{bot:.80}' in '{tournament.name}'; its bots are {names}.")

    def spec(self, tournament: StoredTournament) -> Spec:
        """Return the tournament's spec. Raises SpecError."""
        return self._cache.get(("spec", tournament), tournament.spec, lambda: stored_spec(tournament))

    def table_sizes(self, tournament: StoredTournament) -> tuple[int, ...]:
        """Return the table sizes of a tournament, or all possible sizes if its game is not installed."""
        try:
            return tuple(self.spec(tournament).schedule.tables)
        except SpecError:
            return tuple(range(1, len(tournament.entrants) + 1))

    def standings(self, tournament: StoredTournament) -> tuple[Standing, ...]:
        """Return the leaderboard, best first, by the latest stored ratings."""
        return self.keep_for(tournament, "standings", lambda: standings(self.store, tournament))

    def standings_if_known(self, tournament: StoredTournament) -> tuple[Standing, ...]:
        """Like ``standings``, but return an empty tuple if the tournament's game is not installed."""
        try:
            return self.standings(tournament)
        except SpecError:
            return ()

    def stats(self, tournament: StoredTournament) -> TournamentStats:
        """Return contests, seats and all other statistics except strengths."""
        return self.keep_for(tournament, "stats", lambda: compute_stats(self.store, tournament))

    def stats_soon(self, tournament: StoredTournament, wait_seconds: float = WAIT_SECONDS) -> TournamentStats | None:
        """Like ``stats``, but return None while they are first computed, which takes a second for very many matches."""
        seconds = self._worth_waiting(tournament, wait_seconds)
        return self.soon_for(tournament, "stats", lambda: compute_stats(self.store, tournament), seconds)

    def strengths_soon(self, tournament: StoredTournament, wait_seconds: float = WAIT_SECONDS) -> dict[str, Strength] | None:
        """Return the bots' strengths, or None while they are fitted for the first time, which takes seconds for very many bots."""

        def make() -> dict[str, Strength]:
            self.stats(tournament)  # first, and not at the same time: more pages show statistics, and pages need the processor as well
            return compute_strengths(self.store, tournament)

        seconds = self._worth_waiting(tournament, wait_seconds)
        return self._slow.soon(("strengths", tournament.id), self.stamp(tournament), make, seconds)

    def older_bots(self, tournament: StoredTournament) -> frozenset[str]:
        """Return the bots that the standings hide at first, such as older versions; empty if the game is not installed."""
        try:
            return older_bots(self.spec(tournament), self.standings(tournament))
        except SpecError:
            return frozenset()

    def as_of(self, tournament: StoredTournament) -> int:
        """Return how many matches are covered by all the figures shown: ratings, statistics and strengths."""
        kept = [self._cache.stamp((key, tournament.id)) for key in ("standings", "stats")]
        kept.append(self._slow.stamp(("strengths", tournament.id)))
        unrated = self.keep_for(tournament, "unrated", lambda: count_unrated(self.store, tournament))
        counts = [part for stamp in kept if isinstance(stamp, tuple) for part in stamp if isinstance(part, Counts)]
        return min([self.played(tournament) - unrated, *(each.played for each in counts)])

    def _worth_waiting(self, tournament: StoredTournament, seconds: float) -> float:
        return seconds if self.played(tournament) <= _SOON_MATCHES else 0

    def warm_up(self, first: Callable[[], object] = lambda: None) -> None:
        """In the background, call ``first`` and compute the statistics of all tournaments, newest first, before they are requested."""
        with suppress(StoreError):  # visitors will see it
            self._cache.soon("warm-up", None, first, 0)
            for name in reversed(self.tournament_names()):
                with suppress(SpecError):  # a game that is not installed
                    self.stats_soon(self.tournament(name), 0)
                    self.strengths_soon(self.tournament(name), 0)

    def counts(self, tournament: StoredTournament) -> Counts:
        """Return how many matches are stored, rated and void."""
        return self.keep(("counts", tournament.id), lambda: count(self.store, tournament))

    def played(self, tournament: StoredTournament) -> int:
        """Return how many matches are stored."""
        return self.counts(tournament).played

    def is_complete(self, tournament: StoredTournament) -> bool:
        """Whether every match of the schedule is stored."""
        return tournament.total is not None and self.played(tournament) >= tournament.total > 0

    def is_final(self, tournament: StoredTournament) -> bool:
        """Whether the tournament is sealed as complete."""
        return self.final_seal(tournament) is not None

    def published_secret(self, tournament: StoredTournament) -> str | None:
        """Return the tournament's secret, or None while the tournament is not sealed as complete or its replays are hidden."""
        if tournament.secret is None or not self.is_final(tournament) or self.hidden_until(tournament.name, "replays") is not None:
            return None
        return tournament.secret.secret

    def final_seal(self, tournament: StoredTournament) -> Link | None:
        """Return the seal of the tournament if it is complete and its stored data agree with the seal, else None."""
        newest = self.keep(("newest seal", tournament.id), lambda: self.store.newest_body(tournament.id))
        if newest is None or not newest.is_final:
            return None
        return self.keep_for(tournament, ("seal", newest.number), lambda: self.store.sealed(tournament.id))

    def state(self, tournament: StoredTournament) -> State:
        """Return the progress of the tournament, and whether a run is in progress."""

        def make() -> State:
            rate = None
            if not self.is_complete(tournament) and self.store.is_being_written():
                rate = recent_rate(self.store, tournament)
                if not rate and tournament.name != self.tournament_names()[-1]:  # the run belongs to another tournament
                    rate = None
            counts = self.counts(tournament)
            total = None if self._goes_by_calendar(tournament.name) and not self.is_complete(tournament) else tournament.total
            return State(counts.played, total, counts.void, rate)

        return self.keep(("state", tournament.id), make)

    def status(self, tournament: StoredTournament) -> Status:
        """Return the progress of the tournament, in blocks and in its newest rounds."""
        return self.keep_for(tournament, "status", lambda: find_status(self.store, tournament))

    def rounds(self, tournament: StoredTournament, before: int) -> tuple[RoundStatus, ...]:
        """Return the status of the newest rounds before round ``before``, in ascending order; see ``arena.run.status.find_rounds``."""
        return self._keep_asked(tournament, ("rounds", before), lambda: find_rounds(self.store, tournament, before))

    def check(self) -> None:
        """Raise StoreError unless the database can be read now."""
        self.keep("check", self.store.tournament_names)

    def matches(self, tournament: StoredTournament, wanted: MatchFilter, after: str | None = None) -> Page:
        """Return a page of the matches that meet the conditions, newest first."""
        page = self._keep_asked(tournament, ("matches", wanted, after), lambda: find_matches(self.store, tournament, wanted, after=after))
        return replace(page, matches=tuple(self._published(each) for each in page.matches))

    def endings(self, tournament: StoredTournament) -> tuple[str, ...]:
        """Return the ways in which the tournament's matches ended."""
        return self.keep_for(tournament, "endings", lambda: endings(self.store, tournament))

    def look_up(self, ids: tuple[str, ...]) -> tuple[DatedMatch, ...]:
        """Return the matches that have these ids and may be shown."""
        return tuple(self._published(each) for each in self.look_up_whole(ids) if self._is_shown(each.match.tournament))

    def by_id(self, ids: Iterable[str]) -> dict[str, StoredMatch]:
        """Return the matches that have these ids and may be shown, by id."""
        return {each.match.id: each.match for each in self.look_up(tuple(dict.fromkeys(ids)))}

    def look_up_whole(self, ids: tuple[str, ...]) -> tuple[DatedMatch, ...]:
        """Return the matches with all details of their faults, for the host and for authors; they never change once stored."""
        return self._asked.get(("look up", ids), None, lambda: look_up(self.store, ids))

    def _published(self, listed: DatedMatch) -> DatedMatch:
        """Return the match without the details of faults that visitors may not read."""
        match = listed.match
        if not any(seat.fault for seat in match.seats):
            return listed
        is_over = self._is_surely_over(self.tournament(match.tournament), match)
        return replace(listed, match=replace(match, seats=tuple(_published_seat(seat, is_block_over=is_over) for seat in match.seats)))

    def _is_surely_over(self, tournament: StoredTournament, match: StoredMatch) -> bool:
        try:
            return self.is_block_over(tournament, match)
        except SpecError:  # its game is not installed
            return False

    def match(self, beginning: str) -> DatedMatch:
        """Return the only match whose id is, or begins with, ``beginning``. Raises NotFoundError."""
        if beginning.isalnum():
            if exact := self.look_up((beginning,)):
                return exact[0]
            if len(beginning) >= _LEAST_ID:
                with suppress(StoreError, ValueError):  # it does not exist, or it is hidden
                    [found] = self.look_up((self.store.find_match(beginning).id,))
                    return found
        raise NotFoundError(f"There is no match '{beginning:.80}' here, or more than one match id begins with that.")

    def block(self, tournament: StoredTournament, match: StoredMatch) -> tuple[StoredMatch, ...]:
        """Return all stored matches of the match's block, including the match itself, by rotation, with all details of faults."""
        return self._keep_asked(tournament, ("block", match.id), lambda: block_of(self.store, tournament, match))

    def is_block_over(self, tournament: StoredTournament, match: StoredMatch) -> bool:
        """Whether all matches with the match's deck have been played and may be seen, so that nobody gains by learning its seed."""
        if self.hidden_until(tournament.name, "replays") is not None:
            return False
        if self.is_complete(tournament) or not self.spec(tournament).schedule.shares_deck(len(match.seats)):
            return True
        wanted = Tournament(self.store, tournament, self.spec(tournament)).schedule.count_seatings(len(match.seats))
        return len(self.block(tournament, match)) >= wanted

    def faults(self, tournament: StoredTournament, bot: str | None = None, newest: int = 50) -> tuple[LedgerEntry, ...]:
        """Return the newest faults, newest first."""

        def make() -> tuple[LedgerEntry, ...]:
            entries = faults(self.store, tournament, bot, newest=newest)
            matches = {each.match.id: each.match for each in self.look_up_whole(tuple(dict.fromkeys(each.match for each in entries)))}
            return tuple(
                each if each.kind in _HOST_WORDS and self._is_surely_over(tournament, matches[each.match]) else replace(each, detail="")
                for each in entries
            )

        return self._keep_asked(tournament, ("faults", bot, newest), make)

    def voids(self, tournament: StoredTournament) -> tuple[Void, ...]:
        """Return the matches that could not be played so far."""
        return self.keep_for(tournament, "voids", lambda: voids(self.store, tournament))

    def bots(self) -> dict[str, tuple[Entrant, ...]]:
        """Return the versions (oldest first) of every bot that may be shown, by name."""

        def make() -> dict[str, tuple[Entrant, ...]]:
            versions_of = defaultdict[str, list[Entrant]](list)
            shown, known = self.tournament_names(), self.store.bots()
            if shown != self.store.tournament_names():
                entered = {(each.name, each.digest) for name in shown for each in self.tournament(name).entrants}
                if self._only is None:
                    entered |= {(each.name, each.digest) for each in versions(self.store)}
                known = tuple(each for each in known if (each.name, each.digest) in entered)
            for version in known:
                versions_of[version.name].append(version)
            return {name: tuple(own) for name, own in sorted(versions_of.items())}

        return self.keep("bots", make)

    def names_of(self) -> dict[str, list[str]]:
        """Return each bot's names in tournaments: its own name, and the names of its versions in ladders, such as ``walker.2``."""

        def make() -> dict[str, list[str]]:
            names, bots = defaultdict[str, list[str]](list), self.bots()
            for name, own in bots.items():
                base = unnumbered(name) or name
                is_version = {each.digest for each in own} <= {each.digest for each in bots.get(base, ())}
                names[base if is_version else name].append(name)
            return dict(names)

        return self.keep("names of bots", make)

    def versions(self, bot: str) -> tuple[Entrant, ...]:
        """Return the versions of a bot, oldest first. Raises NotFoundError."""
        bots = self.bots()
        if bot not in bots:
            raise NotFoundError(f"There is no bot '{bot:.80}' here" + (f"; there are {', '.join(list(bots)[:20])}." if bots else "."))
        return bots[bot]

    def submissions(self, bot: str) -> dict[str, Submission]:
        """Return the submitted versions of a bot by content hash."""
        return self.keep(("submissions", bot), lambda: {each.digest: each for each in versions(self.store, bot)})

    def tournaments_of(self, bot: str) -> tuple[tuple[str, str], ...]:
        """Return the tournaments that a bot has entered, oldest first, each with the hash of the version there."""
        return self.keep(
            ("tournaments of", bot), lambda: tuple(each for each in tournaments_of(self.store, bot) if self._is_shown(each[0]))
        )


def _published_seat(seat: SeatResult, *, is_block_over: bool) -> SeatResult:
    if seat.fault is None or (is_block_over and seat.fault.kind in _HOST_WORDS):
        return seat
    return replace(seat, fault=replace(seat.fault, detail=""))


def queries_of(request: Request) -> Queries:
    """Return the ``Queries`` object of the application that handles the request."""
    queries: Queries = request.app.state.queries
    return queries
