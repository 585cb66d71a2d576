"""Folds results, in schedule order, into TrueSkill ratings, totals for each bot, and a digest of all results."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import erfc, exp, pi, sqrt
from typing import Final

import msgspec

from engine.core import Score, exact_score, shared_ranks
from engine.records import MatchResult
from leaderboard.ratings.trueskill import Skill, rate_players

_FAR: Final = 8.0
"""The lead, in standard deviations, beyond which the result of a match gives no information."""


@dataclass(frozen=True, slots=True)
class RatingParameters:
    """The parameters of TrueSkill, named as in the package ``trueskill`` (Herbrich, Minka and Graepel 2006)."""

    mu: float = 25.0
    sigma: float = 25.0 / 3
    beta: float = 25.0 / 6
    tau: float = 25.0 / 300
    draw_probability: float = 0.1


@dataclass(frozen=True, slots=True)
class Rated:
    """A bot's rating after ``number`` rated matches. ``match`` is the id of the last of them, or empty in a table of ratings."""

    bot: str
    number: int
    match: str
    mu: float
    sigma: float


@dataclass(frozen=True, slots=True)
class RatedResult:
    """A match to be rated: its bots, and their ranks from 1; tied bots share the better rank.

    A solo match has one bot. When a ``block`` of solo matches is complete, its matches are rated as one match, in which the bots are
    ordered by ``keys``, highest first.
    """

    match: str
    bots: tuple[str, ...]
    ranks: tuple[int, ...]
    keys: tuple[tuple[Score, ...], ...] = ()
    block: int = 0


class RatingFold:
    """Updates the ratings of bots after each result. Results must be added one by one, in schedule order.

    The ratings after n results depend only on these results and their order.
    """

    def __init__(self, bots: Iterable[str], parameters: RatingParameters) -> None:
        self._parameters = parameters
        self._first = Skill.make(parameters.mu, parameters.sigma)
        self._noise = 2 * parameters.beta**2
        self._margin = _tie_margin(parameters)
        self._skills = dict.fromkeys(bots, self._first)
        self._matches = dict.fromkeys(self._skills, 0)
        self._solo: list[RatedResult] = []

    def add(self, result: RatedResult) -> tuple[Rated, ...]:
        """Rate a match, and return the new ratings of its bots, in the order of ``result.bots``.

        Solo matches are rated together when all bots have played the block; until then, an empty tuple is returned.
        """
        if len(result.bots) == 1:
            return self._add_solo(result)
        skills = tuple([self._skills[bot] for bot in result.bots])
        rated = _rate_once(skills, result.ranks, self._parameters.beta, self._parameters.tau, self._margin)
        for bot, skill in zip(result.bots, rated, strict=True):
            self._skills[bot] = skill
            self._matches[bot] += 1
        return tuple(self._rated(bot, result.match) for bot in result.bots)

    def enter(self, bot: str) -> None:
        """Add a new bot with the initial rating."""
        self._skills[bot] = self._first
        self._matches[bot] = 0

    def information(self, bot: str, other: str) -> float:
        """Return the share by which a match against ``other`` is expected to reduce the variance of the bot's rating.

        The match is modelled as a probit comparison without draws. For the source, see docs/ratings.md (Pairing in a ladder).
        """
        variance, lead = self._difference(bot, other)
        lead = min(abs(lead), _FAR)
        density = exp(-(lead**2) / 2) / sqrt(2 * pi)
        loses = erfc(lead / sqrt(2)) / 2
        return density**2 / (loses * (1 - loses)) / (self._skills[bot].precision * variance)

    def _difference(self, one: str, other: str) -> tuple[float, float]:
        """Return the variance of the difference between two bots' performances, and the difference's mean in standard deviations."""
        first, second = self._skills[one], self._skills[other]
        variance = self._noise + 1 / first.precision + 1 / second.precision
        return variance, (first.adjusted / first.precision - second.adjusted / second.precision) / sqrt(variance)  # inlined means

    def _add_solo(self, result: RatedResult) -> tuple[Rated, ...]:
        if self._solo and self._solo[0].block != result.block:
            self._solo = []
        self._solo.append(result)
        if len(self._solo) < len(self._skills):
            return ()
        block, self._solo = self._solo, []
        return self.add(
            RatedResult(
                match=result.match,
                bots=tuple(solo.bots[0] for solo in block),
                ranks=shared_ranks([solo.keys[0] for solo in block]),
            )
        )

    def _rated(self, bot: str, match: str) -> Rated:
        rating = self._skills[bot]
        return Rated(bot, self._matches[bot], match, rating.mu, rating.sigma)

    def table(self) -> tuple[Rated, ...]:
        """Return every bot's rating, sorted by ``conservative`` rating (best first), then by name."""
        return tuple(
            sorted((self._rated(bot, "") for bot in self._skills), key=lambda rated: (-conservative(rated.mu, rated.sigma), rated.bot))
        )


@lru_cache(maxsize=1 << 12)
def _rate_once(skills: tuple[Skill, ...], ranks: tuple[int, ...], beta: float, tau: float, margin: float) -> Sequence[Skill]:
    """Return the skills after a match; cached, because a ladder's pairing and its standings usually need the same ones."""
    return rate_players(skills, ranks, beta=beta, tau=tau, margin=margin)


def _tie_margin(parameters: RatingParameters) -> float:
    from trueskill import TrueSkill, calc_draw_margin  # noqa: PLC0415  # slow to load, and not needed to read standings

    margin: float = calc_draw_margin(parameters.draw_probability, 2, TrueSkill(beta=parameters.beta))
    return margin


def conservative(mu: float, sigma: float) -> float:
    """Return the rating that leaderboards are sorted by: three standard deviations below the mean, as TrueSkill's authors propose."""
    return mu - 3 * sigma


def ratings_digest(table: Sequence[Rated], digests: dict[str, str]) -> str:
    """Return the digest of a text with one line per bot, sorted by name: name, content hash (from ``digests``), matches, mu, sigma."""
    lines = [
        f"{rated.bot} {digests[rated.bot]} {rated.number} {rated.mu:.9f} {rated.sigma:.9f}" for rated in sorted(table, key=lambda r: r.bot)
    ]
    return "sha256:" + hashlib.sha256("\n".join(lines).encode()).hexdigest()


_write: Final = json.JSONEncoder(separators=(",", ":")).encode


class Entry(msgspec.Struct, frozen=True):
    """The result of a match, as needed by ``Fold``. Tuples have one value for each seat.

    ``faults`` has, for each seat that forfeited, the kind of fault and the number of decisions made before it. ``digest`` is the replay's
    digest. ``charged`` has the charged seconds (see ``SeatResult``), which only the rules of a ladder use.
    """

    match: str
    block: int
    bots: tuple[str, ...]
    scores: tuple[Score, ...]
    ranks: tuple[int, ...]
    faults: tuple[tuple[str, int] | None, ...]
    decisions: tuple[int, ...]
    seconds: tuple[float, ...]
    end: str
    digest: str
    charged: tuple[float, ...] = ()


class Total(msgspec.Struct, frozen=True):
    """A bot's rating and the totals over its rated matches.

    A win shared by k seats counts 1/k. ``places`` and ``points`` are the sums of ranks and scores; ``seconds`` is the thinking time.
    """

    bot: str
    matches: int
    mu: float
    sigma: float
    wins: float
    places: int
    points: Score
    faults: int
    decisions: int
    seconds: float


class Folded(msgspec.Struct, frozen=True):
    """The result of a fold: the number of ``matches``, and the ``totals`` of all bots, sorted by name."""

    matches: int
    totals: tuple[Total, ...]
    results_digest: str

    @property
    def table(self) -> tuple[Rated, ...]:
        """Every bot's rating, sorted by ``conservative`` rating (best first), then by name."""
        return rating_table(self.totals)


def rating_table(totals: Iterable[Total]) -> tuple[Rated, ...]:
    """Return the ratings in these totals, sorted by ``conservative`` rating (best first), then by name."""
    rated = (Rated(total.bot, total.matches, "", total.mu, total.sigma) for total in totals)
    return tuple(sorted(rated, key=lambda each: (-conservative(each.mu, each.sigma), each.bot)))


class _Sums(msgspec.Struct):
    """A bot's running sums, in the order of the fields of ``Total``."""

    wins: float = 0.0
    places: int = 0
    points: Score = 0
    faults: int = 0
    decisions: int = 0
    seconds: float = 0.0


class Fold:
    """Folds results in schedule order, although they may be added in any order; a result waits for all earlier ones.

    The state after n results depends only on these results and their order in the schedule. When all bots have played a block of solo
    matches, the block counts as one match, in which the bots are placed according to their scores and forfeits come last.
    """

    def __init__(self, contents: Mapping[str, str], parameters: RatingParameters) -> None:
        """Start with these bots; ``contents`` has the content hash of each, by name."""
        self._contents = dict(contents)
        self._ratings = RatingFold(contents, parameters)
        self._sums = {bot: _Sums() for bot in contents}
        self._digest = hashlib.sha256()
        self._solo: list[Entry] = []
        self._waiting: dict[int, Entry | None] = {}
        self._next = 0
        self._matches = 0

    def enter(self, bot: str, content: str) -> None:
        """Add a new bot, whose content hash is ``content``. Call this before any of its matches is added."""
        self._contents[bot] = content
        self._ratings.enter(bot)
        self._sums[bot] = _Sums()

    def add(self, index: int, entry: Entry | None) -> None:
        """Add the result of match number ``index`` (from 0) of the schedule; None stands for a void match, which does not count."""
        self._waiting[index] = entry
        while self._next in self._waiting:
            ready = self._waiting.pop(self._next)
            self._next += 1
            if ready is not None:
                self._fold(ready)

    def close_gaps(self) -> None:
        """Fold the waiting results, in schedule order. Call this if the earlier results that they wait for will never be added."""
        for index in sorted(self._waiting):
            ready = self._waiting.pop(index)
            self._next = index + 1
            if ready is not None:
                self._fold(ready)

    def _fold(self, entry: Entry) -> None:
        seats = [
            (self._contents[bot], score, rank, fault)
            for bot, score, rank, fault in zip(entry.bots, entry.scores, entry.ranks, entry.faults, strict=True)
        ]
        line = _write([entry.match, seats, entry.end, entry.digest])
        self._digest.update(line.encode() + b"\n")
        self._matches += 1
        rated = self._ratings.add(rated_result(entry))
        if len(entry.bots) > 1:
            self._add_up([entry], entry.ranks)
            return
        if self._solo and self._solo[0].block != entry.block:
            self._solo = []
        self._solo.append(entry)
        if rated:
            block, self._solo = self._solo, []
            self._add_up(block, shared_ranks([_key(solo, 0) for solo in block]))

    def _add_up(self, entries: Sequence[Entry], places: Sequence[int]) -> None:
        """Add a match, or a block of solo matches, to the sums; ``places`` has the place of each seat, in order."""
        share = 1.0 / sum(place == 1 for place in places)
        place = iter(places)
        for entry in entries:
            for seat, bot in enumerate(entry.bots):
                sums = self._sums[bot]
                placed = next(place)
                if placed == 1:
                    sums.wins += share
                sums.places += placed
                sums.points = exact_score(sums.points + entry.scores[seat])
                sums.faults += entry.faults[seat] is not None
                sums.decisions += entry.decisions[seat]
                sums.seconds += entry.seconds[seat]

    def take(self) -> Folded:
        """Return the ratings and totals so far."""
        totals = tuple(
            Total(rated.bot, rated.number, rated.mu, rated.sigma, *msgspec.structs.astuple(self._sums[rated.bot]))
            for rated in sorted(self._ratings.table(), key=lambda each: each.bot)
        )
        return Folded(self._matches, totals, f"sha256:{self._digest.hexdigest()}")


def rated_result(entry: Entry) -> RatedResult:
    """Return the match in the form that ``RatingFold`` rates. In solo play, bots that forfeited rank below all others."""
    keys = tuple(_key(entry, seat) for seat in range(len(entry.bots))) if len(entry.bots) == 1 else ()
    return RatedResult(entry.match, entry.bots, entry.ranks, keys, entry.block)


def _key(entry: Entry, seat: int) -> tuple[int, Score]:
    return int(entry.faults[seat] is None), entry.scores[seat]


def entry_of(result: MatchResult) -> Entry:
    """Return the part of a result that ``Fold`` needs."""
    seats = result.seats
    return Entry(
        result.ticket.id,
        result.ticket.block,
        tuple(seat.bot for seat in seats),
        tuple(seat.score for seat in seats),
        tuple(seat.rank for seat in seats),
        tuple((seat.fault.kind.value, seat.fault.index) if seat.fault else None for seat in seats),
        tuple(seat.decisions for seat in seats),
        tuple(seat.seconds for seat in seats),
        result.end,
        result.replay.digest,
        tuple(seat.charged_seconds for seat in seats),
    )
