"""Rates one bot: it plays reference bots of known strengths (anchors), from which its own strength is computed on their scale.

Every seed follows from the bot's digest, so the same bot has the same rating each time. The number of blocks is fixed: a quarter are
divided evenly among the line-ups of anchors, the rest by how much each line-up says about a bot of the strength seen so far.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from arena.entries.preflight import distinct_names
from arena.play.executors.base import PAUSE, Executor, HostError, Job, Played, Tickets
from arena.spec.seeds import derive_id, derive_seed
from engine.core import Game
from engine.core.errors import InputError
from engine.records import MatchResult, Ticket, VoidMatch
from engine.text import listed
from leaderboard.ratings.anchors import Measured, MeasuredTable, read_anchors
from leaderboard.statistics.anchored import AnchoredStrength, anchored_strength, expected_share

MATCHES: Final = 400
"""The approximate number of matches of a rating."""
FIRST_PART: Final = 4
"""The reciprocal of the share of blocks that is divided evenly."""
SURE: Final = 0.975
"""A bot is placed above an anchor if the probability that it is stronger is at least this."""


class RatingError(InputError):
    """The bot can't be rated under these conditions; the message says why, and which strengths were measured."""


@dataclass(frozen=True, slots=True)
class Anchors:
    """The bots to play against, best first: names and versions, with strengths and covariance in points. ``find_anchors`` reads them."""

    bots: tuple[str, ...]
    versions: tuple[str, ...]
    table: MeasuredTable

    @property
    def strengths(self) -> tuple[float, ...]:
        """The strengths of the bots, in points."""
        return tuple(each.strength for each in self.table.strengths)

    def rate(self, blocks: Sequence[PlayedBlock]) -> AnchoredStrength:
        """Return the strength of a bot that played these blocks."""
        opponents, shares = np.array([each.opponents for each in blocks]), np.array([each.shares for each in blocks])
        return anchored_strength(np.array(self.strengths), np.array(self.table.covariance), opponents, shares)


@dataclass(frozen=True, slots=True)
class PlayedBlock:
    """A block: the anchors at the table, by number, and the part of its matches in which the bot ended above each, ties half."""

    opponents: tuple[int, ...]
    shares: tuple[float, ...]


def find_rating_anchors(game: Game, players: int, without: str = "", measured: Sequence[Measured] | None = None) -> Anchors:
    """Return the anchors at tables of that size, without those that search (they are slow) and the version ``without``.

    Raises RatingError, which names the strengths that were measured, if there are none for these conditions.
    """
    of_game = [each for each in (read_anchors() if measured is None else measured) if each.conditions.game == game.name and each.tables]
    if not of_game:
        known = ", ".join(sorted({each.conditions.game for each in read_anchors() if each.tables}))
        raise RatingError(
            f"no strengths of reference bots were measured at {game.name}, only at {known}; compare bots with 'arena compare'"
        )
    options = dict(game.options)
    here = next((each for each in of_game if each.conditions.options == options), None)
    if here is None:
        known = " or ".join(_differing(each.conditions.options, options) for each in of_game)
        raise RatingError(f"strengths at {game.name} were measured only with {known}; leave --option out, or use 'arena compare'")
    if here.conditions.rules_version != game.rules_version:
        raise RatingError(f"strengths at {game.name} were measured by version {here.conditions.rules_version} of the rules, and this is "
                          f"version {game.rules_version}; 'make ladder' measures them again")  # fmt: skip
    table = next((each for each in here.tables if each.players == players), None)
    if table is None:
        sizes = ", ".join(str(each.players) for each in here.tables)
        raise RatingError(f"strengths at {game.name} were measured at tables of {sizes}, not of {players}; change --tables")
    versions = {each.bot: each.version for each in here.bots if not each.searches and each.version != without}
    chosen = [number for number, each in enumerate(table.strengths) if each.bot in versions]
    if len(chosen) < players - 1:
        raise RatingError(f"a table of {players} needs {players - 1} anchors, and there are {len(chosen)}; take a smaller --tables")
    strengths = tuple(table.strengths[number] for number in chosen)
    covariance = tuple(tuple(table.covariance[one][other] for other in chosen) for one in chosen)
    bots = tuple(each.bot for each in strengths)
    return Anchors(bots, tuple(versions[bot] for bot in bots), MeasuredTable(players, table.blocks, strengths, covariance))


def _differing(measured: Mapping[str, object], given: Mapping[str, object]) -> str:
    """Return the options that were measured and differ from those given."""
    texts = {key: ",".join(map(str, value)) if isinstance(value, tuple) else value for key, value in measured.items()}
    return " ".join(f"{key}={texts[key]}" for key, value in measured.items() if given.get(key) != value)


@dataclass(frozen=True, slots=True)
class RatingPlan:
    """What is played to rate a bot, known by its ``digest``; ``names`` are the names at the table, the bot's first."""

    game: Game
    digest: str
    names: tuple[str, ...]
    anchors: Anchors
    blocks: int

    @property
    def players(self) -> int:
        """The number of seats."""
        return self.anchors.table.players

    @property
    def lineups(self) -> tuple[tuple[int, ...], ...]:
        """The line-ups of anchors, by their numbers."""
        return tuple(combinations(range(len(self.anchors.bots)), self.players - 1))

    def first(self) -> tuple[tuple[int, ...], ...]:
        """Return the line-ups of the first blocks: each in turn, at least once."""
        return tuple(self.lineups[number % len(self.lineups)] for number in range(max(len(self.lineups), self.blocks // FIRST_PART)))

    def rest(self, played: Sequence[PlayedBlock]) -> tuple[tuple[int, ...], ...]:
        """Return the line-ups of the other blocks, given the first: in proportion to the expected information of each."""
        strength = self.anchors.rate(played).strength
        expected = [expected_share(strength, other) for other in self.anchors.strengths]
        information = np.array([sum(expected[each] * (1 - expected[each]) for each in lineup) for lineup in self.lineups])
        wanted = self.blocks - len(played)
        bounds = np.round(wanted * np.cumsum(information) / information.sum()).astype(int)
        counts = np.diff(bounds, prepend=0)
        return tuple(lineup for lineup, count in zip(self.lineups, counts, strict=True) for _ in range(count))

    def tickets(self, number: int, lineup: Sequence[int]) -> Iterator[Ticket]:
        """Yield the matches of a block: the table in all rotations, on one seed."""
        table = (self.names[0], *(self.names[1 + each] for each in lineup))
        labels = ("rate", self.digest, self.game.name, json.dumps(dict(self.game.options)), self.players, number)
        for shift in range(self.players):
            seats = table[shift:] + table[:shift]
            yield Ticket(derive_id(*labels, seats), tuple(sorted(seats)), number, shift, seats, derive_seed(*labels))

    def block(self, lineup: tuple[int, ...], results: Sequence[MatchResult]) -> PlayedBlock:
        """Return a block of this line-up, given its results."""
        shares = []
        for anchor in lineup:
            above = 0.0
            for result in results:
                ranks = {seat.bot: seat.rank for seat in result.seats}
                own, other = ranks[self.names[0]], ranks[self.names[1 + anchor]]
                above += (own < other) + (own == other) / 2
            shares.append(above / len(results))
        return PlayedBlock(lineup, tuple(shares))


@dataclass(frozen=True, slots=True)
class AnchorResult:
    """How a bot did against an anchor: ``share`` of the matches in which it ended above (None without any), and the share expected."""

    bot: str
    version: str
    strength: float
    low: float
    high: float
    blocks: int
    share: float | None
    expected: float
    chance_above: float


@dataclass(frozen=True, slots=True)
class Rating:
    """A bot's strength, and what it was computed from; ``forfeits`` counts the bot's faults by kind."""

    plan: RatingPlan
    blocks: tuple[PlayedBlock, ...]
    forfeits: Mapping[str, int]
    strength: AnchoredStrength

    @property
    def matches(self) -> int:
        """The number of matches."""
        return len(self.blocks) * self.plan.players

    @property
    def against(self) -> tuple[AnchorResult, ...]:
        """How the bot did against each anchor, the strongest first."""
        results = []
        for number, known in enumerate(self.plan.anchors.table.strengths):
            shares = [each.shares[each.opponents.index(number)] for each in self.blocks if number in each.opponents]
            share = sum(shares) / len(shares) if shares else None
            expected, chance = expected_share(self.strength.strength, known.strength), self.strength.chance_above[number]
            version = self.plan.anchors.versions[number]
            results.append(AnchorResult(known.bot, version, known.strength, known.low, known.high, len(shares), share, expected, chance))
        return tuple(results)

    @property
    def position(self) -> str:
        """Where the strength stands among the anchors, such as ``between greedy and expert`` or ``level with expert``."""
        bots, chances = self.plan.anchors.bots, self.strength.chance_above
        level = [bot for bot, chance in zip(bots, chances, strict=True) if 1 - SURE < chance < SURE]
        above = next((bot for bot, chance in zip(reversed(bots), reversed(chances), strict=True) if chance <= 1 - SURE), None)
        below = next((bot for bot, chance in zip(bots, chances, strict=True) if chance >= SURE), None)
        parts = [f"about as strong as {listed(level)}"] if level else []
        if not level and above and below:
            return f"between {below} and {above}"
        parts += [f"stronger than {below}"] if below else []
        parts += [f"weaker than {above}"] if above else []
        return ", ".join(parts)


def make_rating_plan(game: Game, bot: str, digest: str, anchors: Anchors, matches: int = MATCHES) -> RatingPlan:
    """Return the plan of a rating of about ``matches`` matches. Raises RatingError if they are not enough for a block of each line-up."""
    players = anchors.table.players
    game.check_start(players, 0)
    plan = RatingPlan(game, digest, distinct_names((bot, *anchors.bots)), anchors, max(1, round(matches / players)))
    if plan.blocks < (least := len(plan.lineups)):
        raise RatingError(f"--matches {matches}: at tables of {players} a rating needs at least {least * players} matches")
    return plan


class RatingRun:
    """Plays the matches of a plan; ``rating`` computes the strength."""

    def __init__(self, plan: RatingPlan) -> None:
        self._plan = plan
        self._results: dict[int, dict[int, MatchResult]] = {}
        self._lineups = plan.first()
        self._forfeits: Counter[str] = Counter()
        self.played = 0

    def play(self, job: Job, executor: Executor, on_progress: Callable[[int], None] = lambda _played: None) -> Rating:
        """Play everything and return the rating.

        Raises RatingError for an anchor that forfeits, since it is then weaker than when it was measured; and HostError, also for a match
        that the machine could not play in several attempts.
        """
        for results in executor.run(job, self._tickets()):
            for each in results:
                self._add(each)
            on_progress(self.played)
        blocks = self._blocks()
        return Rating(self._plan, blocks, dict(self._forfeits), self._plan.anchors.rate(blocks))

    def _tickets(self) -> Tickets:
        first = len(self._lineups)
        for number, lineup in enumerate(self._lineups):
            yield from self._plan.tickets(number, lineup)
        while self.played < first * self._plan.players:
            yield PAUSE
        self._lineups += self._plan.rest(self._blocks())
        for number, lineup in enumerate(self._lineups[first:], start=first):
            yield from self._plan.tickets(number, lineup)

    def _blocks(self) -> tuple[PlayedBlock, ...]:
        """Return the blocks, all of which have been played."""
        return tuple(self._plan.block(lineup, list(self._results[number].values())) for number, lineup in enumerate(self._lineups))

    def _add(self, result: Played) -> None:
        if isinstance(result, VoidMatch):
            raise HostError(f"block {result.ticket.block} can't be played, because a match of it failed on this machine: {result.reason}")
        self.played += 1
        self._results.setdefault(result.ticket.block, {})[result.ticket.rotation] = result
        for seat in result.seats:
            if seat.fault is None:
                continue
            if seat.bot != self._plan.names[0]:
                raise RatingError(f"the anchor {seat.bot} forfeited a match ({seat.fault.kind.value}: {seat.fault.detail}), so the rating "
                                  "would be wrong; give more time with --clock, or try again on a less busy machine")  # fmt: skip
            self._forfeits[seat.fault.kind.value] += 1


def rating_bytes(rating: Rating) -> bytes:
    """Return the results of a rating's matches, for a cache."""
    return json.dumps([[[each.opponents, each.shares] for each in rating.blocks], dict(rating.forfeits)]).encode()


def read_rating(data: bytes, plan: RatingPlan) -> Rating:
    """Return the rating that ``rating_bytes`` wrote for the same plan."""
    rows, forfeits = json.loads(data)
    blocks = tuple(PlayedBlock(tuple(opponents), tuple(shares)) for opponents, shares in rows)
    return Rating(plan, blocks, forfeits, plan.anchors.rate(blocks))
