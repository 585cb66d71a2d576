"""Checks whether a bot can play in a tournament, in matches with the tournament's table sizes and clock and in every seat.

The bot's opponents play at random. The stages of a check are those of `CheckStage`. A check may have a time limit.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Final, Self, TypeAlias

from arena.bots import distinct_names
from arena.entries.check_report import CheckReport, CheckStage, Trouble
from arena.play.match import make_ticket, play_match
from arena.spec.secret import SEED_BITS, derive_seed
from bots.clock import calling, run_delay_of_this_thread, running_time
from bots.host.player_pool import InProcessPlayer, Player, PlayerPool, Trace
from bots.limits import Runtime
from bots.loader.loading import resolve
from bots.loader.version import BotVersion
from bots.protocol import Clock, ClockSpec, MatchEnd, MatchInfo
from engine.core import Game, Move, OptionsError, State, View
from engine.core.errors import ArenaError
from engine.core.observer import Chronicle
from engine.records import MatchResult, PackedReplay
from engine.text import counted, listed

if TYPE_CHECKING:
    from arena.spec.spec import Spec

CHECK_SECONDS: Final = 30.0
"""The default time limit of a check in seconds. Preparing the process that starts bots doesn't count."""
ALIKE: Final = 3
"""A check stops after this many matches if the bot failed in each of them for the same cause."""
REPEATED: Final = "the first match, played twice, went the same way"
DIFFERED: Final = "the first match, played twice, went differently: use only random.Random(info.seed), and limit search by nodes, not time"
_DECISIONS: Final = 30
"""The assumed number of decisions of a match that was not finished."""
_USUAL: Final = range(2, 5)
"""Table sizes for a check without a tournament, which uses the smallest and the largest."""


@dataclass(frozen=True, slots=True)
class CheckTerms:
    """The conditions of a check: the game with its options, the table sizes (numbers of seats), the clock, and the runtime."""

    game: Game
    sizes: tuple[int, ...]
    clock: ClockSpec
    runtime: Runtime

    @classmethod
    def of_tournament(cls, spec: Spec) -> Self:
        """Return the terms that a tournament sets. Raises OptionsError."""
        return cls(spec.make_game(), spec.schedule.tables, spec.clock.limits, spec.runtime.runtime)

    @classmethod
    def of_game(cls, game: Game, clock: ClockSpec, runtime: Runtime) -> Self:
        """Return terms without a tournament: the game's smallest and largest tables within 2 to 4 seats; if it has none, its smallest."""
        sizes = list(tables(game))
        usual = [size for size in sizes if size in _USUAL] or sizes[:1]
        return cls(game, tuple(dict.fromkeys((usual[0], usual[-1]))), clock, runtime)


@dataclass(frozen=True, slots=True)
class CheckProgress:
    """The progress of a check: how many matches are ``planned``, how many are ``done``, and in how many the bot ``failed``."""

    stage: CheckStage
    done: int = 0
    planned: int = 0
    failed: int = 0
    decisions: int = 0


OnProgress: TypeAlias = Callable[[CheckProgress], None]
OnTrouble: TypeAlias = Callable[[Trouble, PackedReplay], None]


class _TimeUpError(Exception):
    """The time of the check is up."""


class _Deadline:
    """Stops the ``player`` that is deciding when the check's time is up; ``stop`` must be called regularly.

    A bot in the host's own process can't be stopped; the check then ends after its next answer.
    """

    def __init__(self, seconds: float | None) -> None:
        self._end = inf if seconds is None else running_time() + seconds
        self.has_come = False
        self.player: Player | None = None

    def stop(self) -> None:
        if self.is_over() and (player := self.player) is not None:
            player.stop()

    def is_over(self) -> bool:
        """Return whether the time is up."""
        if running_time() >= self._end:
            self.has_come = True
        return self.has_come

    @contextmanager
    def limits(self, player: Player) -> Iterator[None]:
        """In the block, stop the player when the time is up, and raise _TimeUpError in place of the error that this causes."""
        self.player = player
        try:
            yield
        except ArenaError:
            if self.has_come:
                raise _TimeUpError from None
            raise
        finally:
            self.player = None


class _Timed(Player):
    """A player whose start and decisions are timed one by one, and stopped by the deadline."""

    def __init__(self, player: Player, deadline: _Deadline, on_started: Callable[[], None]) -> None:
        self._player = player
        self._deadline = deadline
        self._on_started = on_started
        self.is_timed = player.is_timed
        self.is_asked = False
        self.is_closed = False
        self.start_seconds: float | None = None
        self.seconds: list[float] = []
        self.cpu: list[float] = []
        self.charged: list[float] = []
        self._starved = 0.0

    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        self._player.grace = self.grace
        began = running_time()
        with self._asked():
            self._player.start(info, chronicle)
        self.start_seconds = running_time() - began

    def choose(self, view: View[State], clock: Clock) -> Move:
        if not self.is_asked:
            self.is_asked = True
            self._on_started()
        began, cpu = running_time(), self._player.cpu_seconds()
        try:
            with self._asked():
                return self._player.choose(view, clock)
        finally:
            if not self._deadline.has_come:
                self.seconds.append(running_time() - began)
                self.cpu.append(self._player.cpu_seconds() - cpu)

    @contextmanager
    def _asked(self) -> Iterator[None]:
        """Charge the wall time of a request minus the time for which the bot waited for a processor."""
        began, cpu, waited = running_time(), self._player.cpu_seconds(), self._waited()
        try:
            with self._deadline.limits(self):
                yield
        finally:
            seconds = running_time() - began
            idle = seconds - (self._player.cpu_seconds() - cpu)
            self.charged.append(seconds - max(0.0, min(idle, self._waited() - waited)))

    def _waited(self) -> float:
        return max(self._starved, self._player.starved_seconds()) + run_delay_of_this_thread()

    def rest(self) -> None:
        self._player.rest()

    def finish(self, end: MatchEnd) -> str | None:
        return self._player.finish(end)

    def cpu_seconds(self) -> float:
        return self._player.cpu_seconds()

    def fuel(self) -> int:
        return self._player.fuel()

    def starved_seconds(self) -> float:
        return self._player.starved_seconds()

    def overtime(self) -> float:
        return self._player.overtime()

    def stop(self) -> None:
        self._starved = max(self._starved, self._player.starved_seconds())  # no longer known once its process has ended
        self._player.stop()

    def close(self) -> None:
        self.is_closed = True
        self._player.close()

    def trace(self) -> Trace:
        return self._player.trace()


def tables(game: Game) -> Iterator[int]:
    """Yield the table sizes (numbers of seats) that the game allows with its options."""
    for players in range(game.min_players, game.max_players + 1):
        try:
            game.check_start(players, 0)
        except OptionsError:
            continue
        yield players


def plan_check(sizes: Sequence[int], seed: int, *, is_quick: bool = False) -> list[tuple[int, int]]:
    """Return (table size, bot's seat) of each match: one seat at each size, chosen by the seed; then, unless ``is_quick``, all others."""
    first = [(size, seed % size) for size in sizes]
    return first if is_quick else first + [(size, seat) for size in sizes for seat in range(size) if seat != seed % size]


class _Check:
    """A check in progress."""

    def __init__(
        self,
        version: BotVersion,
        terms: CheckTerms,
        pool: PlayerPool,
        seed: int,
        plan: Sequence[tuple[int, int]],
        deadline: _Deadline,
        on_progress: OnProgress,
        on_trouble: OnTrouble,
    ) -> None:
        self._version = version
        self._terms = terms
        self._pool = pool
        self._seed = seed
        self._plan = plan
        self._deadline = deadline
        self._on_progress = on_progress
        self._on_trouble = on_trouble
        self.stage = CheckStage.START
        self.players: list[_Timed] = []
        self.results: list[MatchResult] = []
        self.troubles: list[Trouble] = []
        self.is_repeatable: bool | None = None
        """Whether the first match went the same way a second time; None if that was not tried."""

    @property
    def decisions(self) -> int:
        """How many decisions the bot has made so far."""
        return sum(len(player.seconds) for player in self.players)

    @property
    def match_seconds(self) -> float:
        """The bot's seconds per match, on average over finished matches; an estimate if none was finished."""
        if not self.players:
            return 0.0
        if self.results:
            return sum(sum(player.charged) for player in self.players[: len(self.results)]) / len(self.results)
        start, *decisions = self.players[0].charged
        return start + _DECISIONS * sum(decisions) / max(1, len(self.players[0].seconds))

    def play(self) -> None:
        """Play the matches of the plan, until the verdict is certain or the time is up."""
        self._tell()
        for size, seat in self._plan:
            if self._deadline.is_over():
                return
            try:
                self._play(size, seat)
            except _TimeUpError:
                return
            finally:
                self._tell()
            if self.stage is CheckStage.START and self.troubles:
                return
            self.stage = CheckStage.PLAY
            if len(self.troubles) == len(self.results) == ALIKE and len({trouble.cause for trouble in self.troubles}) == 1:
                return

    def _play(self, size: int, seat: int) -> None:
        player = _Timed(self._pool.seat(self._version), self._deadline, self._started)
        self.players.append(player)
        result = self._match(size, seat, player)
        self.results.append(result)
        if (fault := result.seats[seat].fault) is not None:
            stage = CheckStage.PLAY if player.is_asked else CheckStage.START
            self.troubles.append(Trouble(size, seat, self._seed_of(size, seat), stage, fault, result.seats[seat].traceback))
            self._on_trouble(self.troubles[-1], result.replay)

    def repeat(self) -> None:
        """Play the first match again, if the bot has not failed and time is left, and compare the replays."""
        if not self.troubles and self.results and not self._deadline.is_over():
            with suppress(_TimeUpError):
                again = self._match(*self._plan[0], _Timed(self._pool.seat(self._version), self._deadline, self._started))
                self.is_repeatable = again.replay == self.results[0].replay

    def _seed_of(self, size: int, seat: int) -> int:
        return derive_seed("check", self._seed, self._terms.game.name, size, seat)

    def _match(self, size: int, seat: int, player: _Timed) -> MatchResult:
        game, name, others = self._terms.game, self._version.name, resolve("random")
        names = distinct_names([name if number == seat else others.name for number in range(size)])
        ticket = make_ticket(game, names, seed=self._seed_of(size, seat))
        seated = [player if number == seat else InProcessPlayer(replace(others)) for number in range(size)]

        def on_move(_state: State, _move: Move) -> None:
            self._tell()
            if not player.is_closed and self._deadline.is_over():  # a bot that has failed ends its match at once
                raise _TimeUpError

        return play_match(game, ticket, seated, on_move, clock=self._terms.clock)

    def _started(self) -> None:
        if self.stage is CheckStage.START:
            self.stage = CheckStage.PLAY
            self._tell()

    def _tell(self) -> None:
        self._on_progress(CheckProgress(self.stage, len(self.results), len(self._plan), len(self.troubles), self.decisions))


def check_bot(
    version: BotVersion,
    terms: CheckTerms,
    pool: PlayerPool,
    on_progress: OnProgress = lambda _: None,
    on_trouble: OnTrouble = lambda _trouble, _replay: None,
    *,
    seed: int | None = None,
    players: Sequence[int] = (),
    is_quick: bool = False,
    seconds: float | None = None,
) -> CheckReport:
    """Play the matches of `plan_check` against random bots, and return the result. Raises OptionsError and HostFaultError.

    Without a ``seed``, each check plays different matches, so that a bot can't be written to pass only known matches. ``players`` lists the
    table sizes to play at, by default those of the terms; with ``is_quick``, one match is played at each size. ``on_progress`` is called
    after each move, and may raise to end the check. ``on_trouble`` is called for each match in which the bot failed. After ``seconds``, the
    bot is stopped, even in the middle of a decision, and judged by the decisions that it has made.
    """
    seed = secrets.randbits(SEED_BITS) if seed is None else seed
    sizes = tuple(dict.fromkeys(players)) or terms.sizes
    for size in sizes:
        terms.game.check_start(size, 0)
    plan = plan_check(sizes, seed, is_quick=is_quick)
    pool.start()  # the time that this takes is not charged to the bot
    deadline = _Deadline(seconds)
    with calling(deadline.stop):
        check = _Check(version, terms, pool, seed, plan, deadline, on_progress, on_trouble)
        check.play()
        check.repeat()
    traces = [player.trace() for player in check.players]
    ended_after = seconds if deadline.has_come and len(check.results) < len(plan) else None
    notes = [note for result in check.results for note in result.notes]
    if ended_after is not None:
        basis = f"; the verdict is based on the {counted(check.decisions, 'decision')} made until then" if check.decisions else ""
        notes.append(f"the check ended after {ended_after:g} s, when {len(check.results)} of {len(plan)} matches were over{basis}")
    if check.is_repeatable is not None:
        notes.append(REPEATED if check.is_repeatable else DIFFERED)
    return CheckReport(
        bot=version.name,
        version=version.digest,
        game=terms.game.name,
        isolation=str(pool.level),
        seed=seed,
        stage=check.stage,
        matches=len(check.results),
        planned=len(plan),
        sizes=sizes,
        coverage=f"{'one' if is_quick else 'every'} seat at tables of {listed([*map(str, sizes)])}",
        is_complete=not is_quick and set(sizes) >= set(terms.sizes),
        decisions=check.decisions,
        troubles=tuple(sorted(check.troubles, key=lambda trouble: (trouble.players, trouble.seat))),
        notes=tuple(dict.fromkeys(notes)),
        start_seconds=next((player.start_seconds for player in check.players if player.start_seconds is not None), None),
        seconds=percentiles([each for player in check.players for each in player.seconds]),
        cpu_seconds=percentiles([each for player in check.players for each in player.cpu]),
        memory=max((trace.peak_memory for trace in traces if trace.peak_memory is not None), default=None),
        log=next((trace.log for trace in reversed(traces) if trace.log), ""),
        ended_after=ended_after,
        match_seconds=check.match_seconds,
    )


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """Return the median, the 95th and 99th percentiles and the maximum, or an empty dict if there are no values."""
    if not values:
        return {}
    ordered = sorted(values)
    shares = {"median": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
    return {name: ordered[min(len(ordered) - 1, int(share * len(ordered)))] for name, share in shares.items()}
