"""The fold of a tournament's results in schedule order: ratings, each bot's totals, kept ratings, and the digest of all results."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from engine.core import Score, exact_score, shared_ranks
from engine.records import MatchResult
from leaderboard.ratings.rating_fold import Rated, RatedResult, RatingFold, RatingParameters, conservative

_write: Final = json.JSONEncoder(separators=(",", ":")).encode


class Entry(msgspec.Struct, frozen=True):
    """A match as the fold needs it. Tuples have one value for each seat.

    ``faults`` has the kind of fault and the index of the decision for each seat that forfeited; ``digest`` is that of the replay.
    ``charged`` is not folded; the rules of a ladder use it.
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

    A win shared by k seats counts 1/k. ``places`` and ``points`` are sums of ranks and scores; ``seconds`` is the thinking time.
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
    """The state of a fold: ``matches`` folded, the ``totals`` of all bots by name, and the kept ratings (``points``) since `take`."""

    matches: int
    totals: tuple[Total, ...]
    points: tuple[Rated, ...]
    results_digest: str

    @property
    def table(self) -> tuple[Rated, ...]:
        """Every bot's rating, best first by conservative score, then by name."""
        return rating_table(self.totals)


def rating_table(totals: Iterable[Total]) -> tuple[Rated, ...]:
    """Return the ratings among these totals, best first by conservative score, then by name."""
    rated = (Rated(total.bot, total.matches, "", total.mu, total.sigma) for total in totals)
    return tuple(sorted(rated, key=lambda each: (-conservative(each.mu, each.sigma), each.bot)))


class _Sums(msgspec.Struct):
    """A bot's running sums, in the order in which ``Total`` has them."""

    wins: float = 0.0
    places: int = 0
    points: Score = 0
    faults: int = 0
    decisions: int = 0
    seconds: float = 0.0


class Fold:
    """Folds results that are added in any order: a result waits until all before it in the schedule have been added.

    The state after n results depends only on those results and their order in the schedule. Solo matches count once all bots have played
    their block; they are then one event, in which the bots are placed by their scores, forfeits last.
    """

    def __init__(self, contents: Mapping[str, str], parameters: RatingParameters) -> None:
        """Begin with the bots in ``contents``, which has their content hashes by name."""
        self._contents = dict(contents)
        self._ratings = RatingFold(contents, parameters)
        self._sums = {bot: _Sums() for bot in contents}
        self._digest = hashlib.sha256()
        self._solo: list[Entry] = []
        self._waiting: dict[int, Entry | None] = {}
        self._next = 0
        self._matches = 0
        self._points: list[Rated] = []

    def enter(self, bot: str, content: str) -> None:
        """Add a bot that joins, before its first match; ``content`` is its hash."""
        self._contents[bot] = content
        self._ratings.enter(bot)
        self._sums[bot] = _Sums()

    def add(self, index: int, entry: Entry | None) -> None:
        """Add the result of match number ``index`` of the schedule, or None for a void match, which does not count."""
        self._waiting[index] = entry
        while self._next in self._waiting:
            ready = self._waiting.pop(self._next)
            self._next += 1
            if ready is not None:
                self._fold(ready)

    def close_gaps(self) -> None:
        """Fold the waiting results in their order; call this when the missing results before them will never come."""
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
        self._points += (each for each in rated if is_milestone(each.number))
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
        """Count an event, which is a match or a block of solo matches; ``places`` has the place of each seat, in order."""
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
        """Return the state, with the kept ratings that are new since the last call."""
        points, self._points = self._points, []
        totals = tuple(
            Total(rated.bot, rated.number, rated.mu, rated.sigma, *msgspec.structs.astuple(self._sums[rated.bot]))
            for rated in sorted(self._ratings.table(), key=lambda each: each.bot)
        )
        return Folded(self._matches, totals, tuple(points), f"sha256:{self._digest.hexdigest()}")


def rated_result(entry: Entry) -> RatedResult:
    """Return the input of the ratings for a match. In solo play a bot that forfeited ranks below any that did not."""
    keys = tuple(_key(entry, seat) for seat in range(len(entry.bots))) if len(entry.bots) == 1 else ()
    return RatedResult(entry.match, entry.bots, entry.ranks, keys, entry.block)


def _key(entry: Entry, seat: int) -> tuple[int, Score]:
    return int(entry.faults[seat] is None), entry.scores[seat]


def entry_of(result: MatchResult) -> Entry:
    """Return the fold's entry for a result."""
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


_FINE = 64


def is_milestone(number: int) -> bool:
    """Return whether a rating after ``number`` matches is kept: the first 64, then 32 to 64 for each doubling."""
    return number < _FINE or number & ((1 << (number.bit_length() - _FINE.bit_length() + 1)) - 1) == 0


def count_milestones(matches: int) -> int:
    """Return how many of a bot's ratings are kept after ``matches`` matches."""
    kept = min(matches, _FINE - 1)
    first, step = _FINE, 2
    while first <= matches:
        kept += (min(matches, 2 * first - 1) - first) // step + 1
        first, step = 2 * first, 2 * step
    return kept
