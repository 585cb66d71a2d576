"""Compares two bots: plans blocks of matches, and plays and scores them until a sequential test (``leaderboard.ratings.sprt``) decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from arena.analysis.match_luck import MatchLuck
from arena.bots import distinct_names
from arena.play.executors.base import Executor, HostError, Job, Played
from arena.spec.secret import derive_id, derive_seed
from bots.loader.version import BotVersion
from engine.core import Game, Score
from engine.core.errors import InputError
from engine.records import Fault, MatchResult, SeatResult, Ticket, VoidMatch
from engine.replay.format import read_replay
from leaderboard.ratings.sprt import Hypotheses, RunningAdjustment, SequentialTest

FindLuck: TypeAlias = Callable[[Sequence[MatchResult]], Sequence[MatchLuck]]
"""A function that returns the luck of each of the given matches, in the same order."""


class CompareError(InputError):
    """The comparison can't be made; the message names the problem and says what to do."""


@dataclass(frozen=True, slots=True)
class ComparisonPlan:
    """The bots of a comparison (``new``, ``old`` and ``field`` are names), and its table size. All seeds are derived from ``seed``.

    NEW and OLD meet in every match, and the score is whether NEW ends above OLD. In solo play, each plays alone, and points decide.
    """

    game: Game
    new: str
    old: str
    field: tuple[str, ...]
    players: int
    seed: int

    @property
    def matches_in_block(self) -> int:
        """The number of matches in a block."""
        return 2 * len(self._shifts)

    def block(self, number: int) -> tuple[Ticket, ...]:
        """Return the tickets of a block, all with one seed: for each rotation of the seats, a match, and the same with NEW and OLD swapped.

        NEW and OLD therefore have the same seats, neighbours and tiles, and equal bots have equal chances. Ids and seeds depend on the
        roles of bots (NEW, OLD, field), not on their names.
        """
        labels = ("compare", self.seed, self.game.name, dict(self.game.options), "together" if self.players > 1 else "apart")
        seed = derive_seed("compare", self.seed, self.game.name, "game", self.players, number)
        names = {0: self.new, 1: self.old} | dict(enumerate(self.field, start=2))
        tickets: list[Ticket] = []
        for parts in self._seatings():
            seats = tuple(names[part] for part in parts)
            ticket = derive_id(*labels, number, parts)
            tickets.append(Ticket(ticket, tuple(sorted(seats)), number, len(tickets), seats, seed))
        return tuple(tickets)

    @property
    def _shifts(self) -> range:
        return range(1 if self.players == 2 else self.players)  # the other rotation of two seats equals the swap

    def _seatings(self) -> Iterator[tuple[int, ...]]:
        """Yield the seatings of a block: for each seat, the number of its bot (0 is NEW, 1 is OLD, and the field follows)."""
        others = tuple(range(2, 2 + len(self.field)))
        first, second = ((0, 1, *others), (1, 0, *others)) if self.players > 1 else ((0,), (1,))
        for shift in self._shifts:
            for parts in (first, second):
                yield parts[shift:] + parts[:shift]

    def score(self, results: Sequence[MatchResult]) -> float:
        """Return NEW's score in a block, from 0 to 1 (1/2 if OLD did equally well). ``results`` are in the order of the block's tickets."""
        pairs = list(zip(results[::2], results[1::2], strict=True))
        return sum(self._pair_score(one, other) for one, other in pairs) / len(pairs)

    def _pair_score(self, one: MatchResult, other: MatchResult) -> float:
        if self.players == 1:
            return _points(_merit(one.seats[0]), _merit(other.seats[0]))
        return (self.outcome(one) + self.outcome(other)) / 2

    def outcome(self, result: MatchResult) -> float:
        """Return 1 if NEW ended above OLD in a match that both played, 1/2 if level with OLD, 0 if below; a bot that forfeits is last."""
        return _points(-self._seat(result, self.new).rank, -self._seat(result, self.old).rank)

    def luck(self, results: Sequence[MatchResult], luck: Sequence[MatchLuck]) -> float:
        """Return how much luck raised NEW's score in a block, from -1 to 1 (0 on average); ``luck`` has the luck of each match."""
        pairs = zip(results, luck, strict=True)
        return sum(each.bounded[self._number(result, self.new)][self._number(result, self.old)] for result, each in pairs) / len(results)

    @staticmethod
    def _number(result: MatchResult, name: str) -> int:
        return next(seat for seat, each in enumerate(result.seats) if each.bot == name)

    def _seat(self, result: MatchResult, name: str) -> SeatResult:
        return result.seats[self._number(result, name)]


def _points(mine: float | tuple[int, Score], theirs: float | tuple[int, Score]) -> float:
    return 0.5 if mine == theirs else float(mine > theirs)  # type: ignore[operator]  # both are of one kind


def _merit(seat: SeatResult) -> tuple[int, Score]:
    """Return the sort key of a bot that plays alone: whether it did not forfeit, then its points."""
    return int(seat.fault is None), seat.score


def make_comparison_plan(game: Game, new: str, old: str, field: Sequence[str], *, seed: int, players: int | None = None) -> ComparisonPlan:
    """Return the plan of a comparison. At a table of ``players``, the other seats are filled from the field, repeatedly if necessary.

    If ``players`` is 1, NEW and OLD each play alone. Repeated names get #1, #2, ... appended. Raises CompareError and OptionsError.
    """
    players = 2 + len(field) if players is None else players
    own = min(players, 2)
    wanted = players - own
    who = "NEW and OLD" if own == 2 else "NEW or OLD"
    if len(field) > wanted:
        raise CompareError(f"a table of {players} has no room for {who} and a field of {len(field)}; shorten --field or raise --players")
    if wanted and not field:
        raise CompareError(f"a table of {players} needs bots besides {who}; add one or more with --field BOT")
    if not game.min_players <= players <= game.max_players:
        made = f"{who} and a field of {wanted} make" if wanted else f"{who} alone make{'s' if own == 1 else ''}"
        which = f"{game.name} with these options" if game.options else game.name
        advice = "add bots with --field" if players < game.min_players else "take bots out of --field"
        raise CompareError(f"{made} a table of {players}, but {which} is for {game.min_players} to {game.max_players} players; {advice}")
    game.check_start(players, seed)
    names = distinct_names([new, old, *(field[seat % len(field)] for seat in range(wanted))])
    return ComparisonPlan(game, names[0], names[1], names[2:], players, seed)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The state of a comparison: the test, and how many of its matches NEW won, tied and lost against OLD (all 0 in solo play).

    By bot, ``forfeits`` has the number of matches in which the bot failed, and ``faults`` its first fault. ``played`` counts all matches,
    including those that the test did not use. If scores are adjusted for luck, ``raw`` has the unadjusted scores.
    """

    plan: ComparisonPlan
    test: SequentialTest
    wins: int
    ties: int
    losses: int
    forfeits: Mapping[str, int]
    faults: Mapping[str, Fault]
    played: int
    raw: tuple[float, ...] | None = None

    @property
    def matches(self) -> int:
        """The number of matches that the test used."""
        return self.test.blocks * self.plan.matches_in_block


class ComparisonRun:
    """Plays a plan's blocks until the test is over; ``result`` is available at any time.

    The test uses complete blocks, in the order of the plan. Its verdict therefore does not depend on where matches are played, on how many
    are played at a time, or on which finish first.
    """

    def __init__(self, plan: ComparisonPlan, hypotheses: Hypotheses, find_luck: FindLuck | None = None) -> None:
        """Prepare to play. With ``find_luck``, which returns the luck of matches, the test uses scores adjusted for luck.

        Raises CompareError for an adjusted comparison of bots that play alone: there is no luck to remove.
        """
        if find_luck is not None and plan.players == 1:
            raise CompareError("bots that play alone have the same luck, since they play the same set-up; leave out --adjusted")
        self._plan = plan
        self._test = SequentialTest(hypotheses) if find_luck is None else SequentialTest(hypotheses, -1.0, 2.0)
        self._find_luck = find_luck
        self._adjustment = RunningAdjustment()
        self._raw: list[float] = []
        self._waiting: dict[int, dict[int, Played]] = {}
        self._outcomes = dict.fromkeys((1.0, 0.5, 0.0), 0)
        self._forfeits = dict.fromkeys((plan.new, plan.old, *plan.field), 0)
        self._faults: dict[str, Fault] = {}
        self._played = 0

    @property
    def result(self) -> Comparison:
        """The state of the comparison so far."""
        wins, ties, losses = self._outcomes.values()
        raw = None if self._find_luck is None else tuple(self._raw)
        return Comparison(self._plan, self._test, wins, ties, losses, dict(self._forfeits), dict(self._faults), self._played, raw)

    def play(self, job: Job, executor: Executor, on_progress: Callable[[Comparison], None] = lambda _comparison: None) -> None:
        """Play until the test is over. Any matches that are unfinished by then are dropped when the executor is closed.

        Raises HostError, for example if every attempt to play a match failed on this machine, and CompareError if NEW and OLD are the
        same version and play identically.
        """
        for results in executor.run(job, self._tickets()):
            for each in results:
                self._waiting.setdefault(each.ticket.block, {})[each.ticket.rotation] = each
            self._played += len(results)
            while not self._test.is_over and (block := self._next_block()) is not None:
                self._use(block, job.bots)
            on_progress(self.result)
            if self._test.is_over:
                return

    def _tickets(self) -> Iterator[Ticket]:
        for block in range(self._test.hypotheses.max_blocks):
            if self._test.is_over:
                return
            yield from self._plan.block(block)

    def _next_block(self) -> list[MatchResult] | None:
        number = self._test.blocks
        if len(self._waiting.get(number, {})) < self._plan.matches_in_block:
            return None
        results: list[MatchResult] = []
        for _, each in sorted(self._waiting.pop(number).items()):
            if isinstance(each, VoidMatch):
                raise HostError(f"block {number} can't be played, because one of its matches failed on this machine: {each.reason}")
            results.append(each)
        return results

    def _use(self, results: list[MatchResult], versions: Mapping[str, BotVersion]) -> None:
        plan = self._plan
        if not self._test.blocks and versions[plan.new].digest == versions[plan.old].digest and _are_mirrored(results):
            raise CompareError(
                f"NEW and OLD are the same version of {versions[plan.new].label}, which is deterministic, so every block is a tie; "
                "give two different bots"
            )
        score = plan.score(results)
        if self._find_luck is None:
            self._test.add(score)
        else:
            self._raw.append(score)
            self._test.add(self._adjustment.adjusted(score, plan.luck(results, self._find_luck(results))), score)
        for result in results:
            if plan.players > 1:
                self._outcomes[plan.outcome(result)] += 1
            for seat in result.seats:
                if seat.fault is not None:
                    self._forfeits[seat.bot] += 1
                    self._faults.setdefault(seat.bot, seat.fault)


def _are_mirrored(results: Sequence[MatchResult]) -> bool:
    """Return whether exchanging NEW and OLD changed no move."""
    moves = [read_replay(result.replay).decisions for result in results]
    return all(one == other for one, other in zip(moves[::2], moves[1::2], strict=True))
