"""Stores the results of a tournament as they arrive, folds them into ratings in schedule order, and computes its leaderboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, pairwise
from math import hypot, prod
from statistics import NormalDist
from time import monotonic
from typing import TYPE_CHECKING, Final

import msgspec

from arena.formats.base import Place
from arena.formats.orders import Orders
from arena.spec.spec import Spec
from arena.spec.tables import LadderPlan
from arena.tournament import Tournament, contents
from bots.loader.version import split_reference
from engine.core import shared_ranks
from engine.records import MatchResult
from leaderboard.ratings.fold import Entry, Fold, Folded, Rated, Total, conservative
from leaderboard.storage.store import Store, StoredTournament

if TYPE_CHECKING:
    from leaderboard.statistics.bradley_terry import Strength  # its libraries are slow to import, and a leaderboard doesn't need them


SAVE_SECONDS: Final = 1.0
"""The maximum age, in seconds, of the stored standings during a run."""


class StoredResults:
    """The results of a tournament.

    ``stored`` is the number of results in the database, and ``played`` is how many of them come from this run. ``table`` has the rating of
    each bot when the standings were last saved.
    """

    def __init__(self, tournament: Tournament, store: Store) -> None:
        """Use ``store`` for all reads and writes."""
        self.tournament = tournament
        self.store = store
        self.stored = store.count_matches(tournament.stored)
        self.played = 0
        self.table: tuple[Rated, ...] = ()
        self._fold = _new_fold(tournament)
        self._added = 0
        self._rated, _ = store.standings(tournament.stored)
        self._saved: tuple[Total, ...] = ()
        self._last_save = monotonic()

    def extend(self, stored: StoredTournament) -> None:
        """Continue with ``stored``, the same tournament after bots have joined it or orders have taken effect."""
        known, uncounted = contents(self.tournament.stored), self.tournament.schedule.uncounted
        self.tournament.extend(stored)
        if self.tournament.schedule.uncounted != uncounted:
            self._fold_again()
            return
        for bot, digest in contents(stored).items():
            if bot not in known:
                self._fold.enter(bot, digest)

    def add(self, index: int, entry: Entry | None) -> None:
        """Add the result at place ``index`` in the schedule to the ratings, if it counts; ``entry`` is None for a void match."""
        if entry is not None:
            self._added += 1
            entry = entry if self.tournament.schedule.counts(entry.bots) else None
        self._fold.add(index, entry)

    def store_results(self, results: Sequence[tuple[int, MatchResult, Entry]]) -> None:
        """Store results, each given with its place in the schedule and its entry, and rate those that have no gap before them.

        If the stored standings are too old, new ones are stored as well, unless an earlier run's standings cover more results.
        """
        for index, _, entry in results:
            self.add(index, entry)
        folded: Folded | None = None
        if monotonic() - self._last_save >= SAVE_SECONDS:
            self._last_save = monotonic()
            folded = self._fold.take()
            self.table = folded.table
            if folded.matches < self._rated:
                folded = msgspec.structs.replace(folded, matches=self._rated, totals=())
        self.store.add_results(self.tournament.stored, [result for _, result, _ in results], folded, self._saved)
        if folded is not None:
            self._saved = folded.totals
        self.stored += len(results)
        self.played += len(results)

    def _fold_again(self) -> None:
        """Fold all results again, since different results count now."""
        self.store.drop_standings(self.tournament.stored)
        self._rated = self._added = 0
        self._saved = ()
        self._fold = _new_fold(self.tournament)
        again = Tournament(self.store, self.tournament.stored, self.tournament.spec)
        for index, (_, entry) in enumerate(again.schedule.walk(partial(self.store.entries, again.stored))):
            if entry is not None:
                self.add(index, entry)

    def finish(self) -> Folded:
        """Return the ratings and totals from all stored results; no result may be added after that."""
        self.stored = self.store.count_matches(self.tournament.stored)
        self._fold.close_gaps()
        folded = self._fold.take()
        if self._added != self.stored:  # a stopped run did not reach later results that another run had stored
            folded = recompute_standings(Tournament(self.store, self.tournament.stored))
        return folded


def _new_fold(tournament: Tournament) -> Fold:
    return Fold(contents(tournament.stored), tournament.spec.rating.parameters)


def recompute_standings(tournament: Tournament) -> Folded:
    """Compute the standings from the stored results, in schedule order. This takes a fraction of a millisecond per match."""
    fold, schedule = _new_fold(tournament), tournament.schedule
    entries = (entry for _, entry in schedule.walk(partial(tournament.store.entries, tournament.stored)))
    for index, entry in enumerate(entry for entry in entries if entry is not None and schedule.counts(entry.bots)):
        fold.add(index, entry)
    return fold.take()


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of the leaderboard. ``rating`` is TrueSkill's mu - 3 sigma; in ``win_share`` a win shared by k seats counts 1/k.

    ``best_rank`` is 1 plus the number of bots that are certainly above this one; ``worst_rank`` is the number of all bots less those that
    are certainly below it (see ``certain_lead``). ``left`` is whether the bot has left the ladder and so won't play again. ``place`` is the
    place according to the rules of the format, or None if ratings decide, in which case ``rank`` is the place. If several places are
    possible, ``last_place`` is the worst of them.
    """

    rank: int
    bot: str
    version: str
    rating: float
    mu: float
    sigma: float
    matches: int
    win_share: float
    mean_rank: float
    mean_score: float
    faults: int
    best_rank: int
    worst_rank: int
    left: bool = False
    place: int | None = None
    last_place: int | None = None


_CONFIDENCE: Final = 0.95
_STEPS: Final = 400
_WIDE: Final = 4.0
"""A chance is an integral in this many steps over the greatest skill; no skill is further than ``_WIDE`` times sigma from its mu."""
MOST_RECOMPUTED: Final = 2_000
"""Stored standings that are out of date are recomputed if at most this many matches were played; this takes about a second."""


def standings(store: Store, tournament: StoredTournament) -> tuple[Standing, ...]:
    """Return the leaderboard as last stored, best first. Recompute it if it is missing, or out of date in a small tournament."""
    rated, totals = store.standings(tournament)
    played = store.count_matches(tournament)
    orders = Orders(tournament.orders) if tournament.orders else None
    if played and (not totals or (rated < played <= MOST_RECOMPUTED and not (orders and orders.uncounted))):
        totals = recompute_standings(Tournament(store, tournament)).totals
    versions = {entrant.name: entrant.digest for entrant in tournament.entrants}
    ordered = sorted(totals, key=lambda total: (-conservative(total.mu, total.sigma), total.bot))
    ranks = shared_ranks([(round(conservative(total.mu, total.sigma) * 1e9),) for total in ordered])
    certain = certain_lead(len(ordered))
    return tuple(
        _standing(rank, total, ordered, certain, versions[total.bot], left=orders is not None and total.bot in orders.gone)
        for rank, total in zip(ranks, ordered, strict=True)
    )


def older_bots(spec: Spec, lines: Sequence[Standing]) -> frozenset[str]:
    """Return the bots that a ladder's leaderboard hides at first: those that left without a match, and older versions of submitted bots.

    The newest version is the one that entered last, among those that still play or, if none does, among those that have played.
    """
    if not isinstance(spec.schedule, LadderPlan):
        return frozenset()
    submitted = {bot.name: split_reference(bot.source)[0].partition("@")[0] for bot in spec.bots if bot.author}
    entered = {bot.name: number for number, bot in enumerate(spec.bots)}
    older = {line.bot for line in lines if line.left and not line.matches}
    known = sorted((line for line in lines if line.bot not in older), key=lambda line: (not line.left, entered[line.bot]))
    newest = {submitted[line.bot]: line.bot for line in known if line.bot in submitted}
    return frozenset(older | {line.bot for line in known if line.bot in submitted and newest[submitted[line.bot]] != line.bot})


def count_unrated(store: Store, tournament: StoredTournament) -> int:
    """Return the number of stored matches that the ratings returned by ``standings`` don't cover yet.

    It is also 0 if the host has excluded a bot's results, since the number could then be found only by reading all results.
    """
    rated, totals = store.standings(tournament)
    played = store.count_matches(tournament)
    is_old = bool(totals) and played > MOST_RECOMPUTED and not Orders(tournament.orders).uncounted
    return max(0, played - rated) if is_old else 0


def chance_of_first(lines: Sequence[Standing], bot: str) -> float:
    """Return the probability, according to the ratings, that the bot, or a copy of it with the same version, has the greatest skill."""
    version = next(line.version for line in lines if line.bot == bot)
    skills = [(line.version == version, NormalDist(line.mu, line.sigma)) for line in lines]
    low, high = (max(each.mean + wide * each.stdev for _, each in skills) for wide in (-_WIDE, _WIDE))  # the greatest skill is between
    grid = [low + (high - low) * step / _STEPS for step in range(_STEPS + 1)]
    own, others = ([prod(each.cdf(skill) for is_own, each in skills if is_own is side) for skill in grid] for side in (True, False))
    return sum((after - before) * sum(rest) / 2 for (before, after), rest in zip(pairwise(own), pairwise(others), strict=True))


def second_opinion(bots: Sequence[str], strengths: Mapping[str, Strength]) -> str:
    """Return a sentence on a pair of bots that Elo and the leaderboard rank in opposite orders, or an empty string if there is none.

    Of several such pairs, the sentence is on the one furthest apart in Elo. ``bots`` are in the order of the leaderboard.
    """
    known = [(found.elo, found) for bot in bots if (found := strengths.get(bot)) and found.elo is not None]
    pairs = [
        (round(other_value) - round(value), one, other)
        for (value, one), (other_value, other) in combinations(known, 2)
        if round(other_value) > round(value)
    ]
    if not pairs:
        return ""
    _, one, other = max(pairs, key=lambda each: each[0])
    is_sure = one.high is not None and other.low is not None and other.low > one.high
    more = len(pairs) - 1
    return (
        f"Elo, a second opinion, puts {other.bot} ({other.elo:.0f}) above {one.bot} ({one.elo:.0f})"
        f"{'' if is_sure else ', though their intervals overlap'}"
        f"{f'; other pairs that change places: {more}' if more else ''}."
    )


def certain_lead(bots: int) -> float:
    """Return the lead, in standard deviations of the difference, beyond which one of ``bots`` bots counts as certainly above another.

    With a probability of 95%, no such claim about any pair of the bots is wrong (Šidák's correction for the number of pairs).
    """
    pairs = max(1, bots * (bots - 1) // 2)
    return NormalDist().inv_cdf((1 + _CONFIDENCE ** (1 / pairs)) / 2)


def is_above(one: Standing | Total, other: Standing | Total, certain: float) -> bool:
    """Return whether the first bot is certainly above the other one; ``certain`` is the ``certain_lead``."""
    return one.mu - other.mu > certain * hypot(one.sigma, other.sigma)


def _standing(rank: int, total: Total, ordered: Sequence[Total], certain: float, version: str, *, left: bool) -> Standing:
    matches = max(total.matches, 1)
    above = sum(is_above(other, total, certain) for other in ordered)
    below = sum(is_above(total, other, certain) for other in ordered)
    return Standing(
        rank=rank,
        bot=total.bot,
        version=version[:8],
        rating=conservative(total.mu, total.sigma),
        mu=total.mu,
        sigma=total.sigma,
        matches=total.matches,
        win_share=total.wins / matches,
        mean_rank=total.places / matches,
        mean_score=total.points / matches,
        faults=total.faults,
        best_rank=min(rank, 1 + above),
        worst_rank=max(rank, len(ordered) - below),
        left=left,
    )


def placed(lines: Sequence[Standing], places: Sequence[Place]) -> tuple[Standing, ...]:
    """Return the lines in order of their places. Without places, return them unchanged: they are in order of rating."""
    if not places:
        return tuple(lines)
    order = {each.bot: (at, each) for at, each in enumerate(places)}
    known = sorted((line for line in lines if line.bot in order), key=lambda line: order[line.bot][0])
    others = tuple(line for line in lines if line.bot not in order)
    ranked = ((line, order[line.bot][1]) for line in known)
    return tuple(replace(line, place=each.place, last_place=each.last) for line, each in ranked) + others


def rating_table(store: Store, tournament: StoredTournament) -> tuple[Rated, ...]:
    """Return the newest rating of every bot, best first, as in the leaderboard."""
    return tuple(Rated(line.bot, line.matches, "", line.mu, line.sigma) for line in standings(store, tournament))
