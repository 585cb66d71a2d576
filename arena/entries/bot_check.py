"""Trying a bot as a host will: in every seat of every table of a game, by the code of a match, with times and hints for its author."""

from __future__ import annotations

import re
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from time import monotonic, perf_counter
from typing import Final

from arena.entries.preflight import distinct_names
from arena.play.match import make_ticket, play_match
from arena.spec.seeds import SEED_BITS, derive_seed
from bots.host.player import InProcessPlayer, Player, Trace
from bots.host.player_pool import PlayerPool
from bots.loader.loading import resolve
from bots.loader.version import BotVersion
from bots.protocol import Clock, ClockSpec, MatchEnd, MatchInfo
from engine.core import Game, Move, OptionsError, State, View
from engine.core.observer import Chronicle
from engine.records import Fault, FaultKind, MatchResult

HINTS: Final = {
    FaultKind.INIT_TIMEOUT: "do less when your module is imported and in start(); the limit is clock.start, or clock.start_fuel",
    FaultKind.MOVE_TIMEOUT: "stop before the limit of each decision, clock.seconds or clock.fuel; leave a reserve for busy machines",
    FaultKind.CRASH: "the reason is given above; let the bot log what you want to know; 'arena match --log' shows it",
    FaultKind.ILLEGAL_MOVE: "return one of view.legal_moves; try moves on view.sample(rng), not on a position of your own",
    FaultKind.PROTOCOL_ERROR: "write nothing but messages to standard output, one answer for each decision (docs/protocol.md)",
    FaultKind.MEMORY: "keep less between decisions: bound your caches",
    FaultKind.OUTPUT_FLOOD: "print less: at most 1 MiB a turn, of which only the last 8 KiB are kept",
}


ALIKE: Final = 3
"""A check stops after this many matches if the bot failed in each of them, for one cause."""
_NUMBERS: Final = re.compile(r"(line \d+)|0x[0-9a-f]+|\d+(?:,\d{3})*(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Trouble:
    """A match in which the bot failed: the number of players, its seat, the game's seed, the fault, and the bot's own traceback.

    ``arena match`` with the bot in that seat, ``random`` in the others, and the seed plays it again.
    """

    players: int
    seat: int
    seed: int
    fault: Fault
    traceback: str = ""

    @property
    def cause(self) -> tuple[FaultKind, str]:
        """The key of faults with one cause: the kind, and the detail without numbers other than line numbers."""
        return self.fault.kind, _NUMBERS.sub(lambda match: match[1] or "#", self.fault.detail)


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The result of a check. Times are wall and CPU seconds of single decisions; ``memory`` is the peak in bytes, None if unknown.

    All its matches follow from ``seed``: the same seed gives the same matches. Of those ``planned``, ``matches`` were played: fewer if the
    bot failed in the first few for one cause. ``coverage`` says in words what was planned; ``is_complete``, that it was every seat of
    every table.
    """

    bot: str
    version: str
    game: str
    isolation: str
    seed: int
    matches: int
    planned: int
    coverage: str
    is_complete: bool
    decisions: int
    troubles: tuple[Trouble, ...]
    notes: tuple[str, ...]
    seconds: dict[str, float]
    cpu_seconds: dict[str, float]
    memory: int | None
    log: str
    build_log: str = ""
    """What was written when it was built from source."""
    ended_after: float | None = None
    """The seconds after which the check ended early; None if it was complete."""

    @property
    def is_passed(self) -> bool:
        """Whether the bot finished a match, and never failed."""
        return bool(self.matches) and not self.troubles

    @property
    def is_stopped(self) -> bool:
        """Whether it was stopped early, since every match failed for one cause."""
        return self.matches < self.planned and self.ended_after is None

    @property
    def failure(self) -> str:
        """How often the bot failed, in words."""
        if self.is_stopped:
            return f"stopped after {self.matches} matches, all of which failed for the same reason"
        if not self.matches and self.ended_after is not None:
            return f"finished no match in {self.ended_after:g} s"
        return f"failed in {len(self.troubles)} of {self.matches} match{'' if self.matches == 1 else 'es'}"

    @property
    def causes(self) -> tuple[tuple[Trouble, ...], ...]:
        """The matches that failed, together where the cause is the same, in the order of the first of each."""
        causes: dict[tuple[FaultKind, str], list[Trouble]] = {}
        for trouble in self.troubles:
            causes.setdefault(trouble.cause, []).append(trouble)
        return tuple(map(tuple, causes.values()))

    @property
    def hints(self) -> tuple[str, ...]:
        """How to fix what went wrong, the most frequent fault first."""
        kinds = Counter(trouble.fault.kind for trouble in self.troubles)
        return tuple(f"{kind.value}: {HINTS[kind]}" for kind, _ in kinds.most_common())


def report_data(report: CheckReport) -> dict[str, object]:
    """Return the report for JSON, with the verdict and the hints."""
    verdict = "passed" if report.is_passed else "failed"
    return {"verdict": verdict, **asdict(report), "is_stopped": report.is_stopped, "hints": list(report.hints)}


class _Timed(Player):
    """A player whose decisions are timed one by one."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self.is_timed = player.is_timed
        self.seconds: list[float] = []
        self.cpu: list[float] = []

    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        self._player.grace = self.grace
        self._player.start(info, chronicle)

    def choose(self, view: View[State], clock: Clock) -> Move:
        began, cpu = perf_counter(), self._player.cpu_seconds()
        try:
            return self._player.choose(view, clock)
        finally:
            self.seconds.append(perf_counter() - began)
            self.cpu.append(self._player.cpu_seconds() - cpu)

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
        self._player.stop()

    def close(self) -> None:
        self._player.close()

    def trace(self) -> Trace:
        return self._player.trace()


def tables(game: Game) -> Iterator[int]:
    """Yield the numbers of seats that the game allows with its options."""
    for players in range(game.min_players, game.max_players + 1):
        try:
            game.check_start(players, 0)
        except OptionsError:
            continue
        yield players


def plan_check(game: Game, seed: int, *, players: int | None = None, is_quick: bool = False) -> list[tuple[int, int]]:
    """Return the matches of a check as pairs of a table's size and the bot's seat: one at each table, then those in all other seats.

    Only the first if it is a quick check; only tables of ``players`` seats if given. Raises OptionsError for a table that the game does not
    have.
    """
    if players is not None:
        game.check_start(players, 0)
    sizes = [players] if players is not None else list(tables(game))
    first = [(size, seed % size) for size in sizes]
    return first if is_quick else first + [(size, seat) for size in sizes for seat in range(size) if seat != seed % size]


def check_bot(
    version: BotVersion,
    game: Game,
    pool: PlayerPool,
    clock: ClockSpec,
    on_match: Callable[[int, int], None] = lambda _done, _all: None,
    *,
    seed: int | None = None,
    players: int | None = None,
    is_quick: bool = False,
    on_move: Callable[[], None] = lambda: None,
    seconds: float | None = None,
) -> CheckReport:
    """Play the matches of `plan_check` against random bots, and return the result. Raises OptionsError and HostFaultError.

    Without a ``seed`` each check draws other matches, so that a bot can't know them beforehand and behave well only in those. ``on_match``
    is called with the numbers of finished and of all matches, and ``on_move`` after each move; it may raise to end the check. After
    ``seconds`` the check ends, and only matches finished by then count.
    """
    end = _End(on_move, seconds)
    seed = secrets.randbits(SEED_BITS) if seed is None else seed
    plan = plan_check(game, seed, players=players, is_quick=is_quick)
    timed: list[_Timed] = []
    results: list[tuple[int, MatchResult]] = []
    troubles: list[Trouble] = []
    for size, seat in plan:
        on_match(len(results), len(plan))
        player = _Timed(pool.seat(version))
        timed.append(player)
        try:
            result = _play(game, version.name, size, seat, player, clock, seed, end)
        except _TimeUpError:
            break
        results.append((seat, result))
        if (fault := result.seats[seat].fault) is not None:
            troubles.append(Trouble(size, seat, result.ticket.seed, fault, result.seats[seat].traceback))
        if len(troubles) == len(results) == ALIKE and len({trouble.cause for trouble in troubles}) == 1:
            break
    seats = [result.seats[seat] for seat, result in results]
    peaks = [seat.peak_memory for seat in seats if seat.peak_memory is not None]
    return CheckReport(
        bot=version.name,
        version=version.digest,
        game=game.name,
        isolation=str(pool.level),
        seed=seed,
        matches=len(results),
        planned=len(plan),
        coverage=_coverage(players, is_quick=is_quick),
        is_complete=players is None and not is_quick,
        decisions=sum(seat.decisions for seat in seats),
        troubles=tuple(sorted(troubles, key=lambda trouble: (trouble.players, trouble.seat))),
        notes=tuple(dict.fromkeys((*(note for _, result in results for note in result.notes), *end.notes(len(results), len(plan))))),
        seconds=percentiles([each for player in timed for each in player.seconds]),
        cpu_seconds=percentiles([each for player in timed for each in player.cpu]),
        memory=max(peaks, default=None),
        log=next((seat.log for seat in reversed(seats) if seat.log), ""),
        ended_after=seconds if end.has_come else None,
    )


class _TimeUpError(Exception):
    """The check has taken as long as it may."""


class _End:
    """When a check ends early."""

    def __init__(self, on_move: Callable[[], None], seconds: float | None) -> None:
        self._on_move = on_move
        self._seconds = seconds
        self._began = monotonic()
        self.has_come = False

    def look(self) -> None:
        """Raise _TimeUpError when the time is up."""
        self._on_move()
        if self._seconds is not None and monotonic() - self._began > self._seconds:
            self.has_come = True
            raise _TimeUpError

    def notes(self, played: int, planned: int) -> tuple[str, ...]:
        """Return its notes."""
        return (f"the check ended after {self._seconds:g} s, when {played} of {planned} matches were over",) if self.has_come else ()


def _coverage(players: int | None, *, is_quick: bool) -> str:
    which = "every table" if players is None else f"a table of {players}"
    return f"one seat at {which}" if is_quick else f"every seat at {which}"


def _play(game: Game, name: str, players: int, seat: int, player: Player, clock: ClockSpec, check: int, end: _End) -> MatchResult:
    """Play one match, which ``arena match`` with its seed plays again."""
    others = resolve("random")
    names = distinct_names([name if number == seat else others.name for number in range(players)])
    ticket = make_ticket(game, names, seed=derive_seed("check", check, game.name, players, seat))
    seated = [player if number == seat else InProcessPlayer(replace(others)) for number in range(players)]
    return play_match(game, ticket, seated, lambda _state, _move: end.look(), clock=clock)


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """Return the median, the 95th and 99th percentile and the largest value, or nothing if there are no values."""
    if not values:
        return {}
    ordered = sorted(values)
    shares = {"median": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
    return {name: ordered[min(len(ordered) - 1, int(share * len(ordered)))] for name, share in shares.items()}
