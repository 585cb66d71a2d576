"""Trying a bot as a host will: in every seat of every table of a game, by the code of a match, with times and hints for its author."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from time import perf_counter
from typing import Final

from arena.tournament.match import play_match
from arena.tournament.seeds.keys import SEED_BITS, derive_id, derive_seed
from bots.host.player import InProcessPlayer, Player, Trace
from bots.host.player_pool import PlayerPool
from bots.loader.loading import BotVersion, resolve
from bots.protocol import Clock, ClockSpec, MatchEnd, MatchInfo
from engine.core import Game, Move, OptionsError, State, View
from engine.records import Fault, FaultKind, MatchResult, Ticket
from engine.replay.observer import Chronicle

HINTS: Final = {
    FaultKind.INIT_TIMEOUT: "do less when your module is imported and in start(); the limit is clock.start",
    FaultKind.MOVE_TIMEOUT: "look at clock.seconds in choose() and stop in time; leave a reserve for busy machines",
    FaultKind.CRASH: "the line is named above; play the match with that seed again: 'arena match ... --seed'",
    FaultKind.ILLEGAL_MOVE: "return one of view.legal_moves; try moves on view.sample(rng), not on a position of your own",
    FaultKind.PROTOCOL_ERROR: "write nothing but messages to standard output, one answer for each decision (docs/protocol.md)",
    FaultKind.MEMORY: "keep less between decisions: bound your caches",
    FaultKind.OUTPUT_FLOOD: "print less: 1 MiB a turn is the most, and only the last 8 KiB are kept",
}


@dataclass(frozen=True, slots=True)
class Trouble:
    """A match in which the bot failed: the number of players, its seat, the game's seed, and the fault."""

    players: int
    seat: int
    seed: int
    fault: Fault


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The result of a check. Times are wall and CPU seconds of single decisions; ``memory`` is the peak in bytes, None if unknown.

    All its matches follow from ``seed``: the same seed gives the same matches.
    """

    bot: str
    version: str
    game: str
    isolation: str
    seed: int
    matches: int
    decisions: int
    troubles: tuple[Trouble, ...]
    notes: tuple[str, ...]
    seconds: dict[str, float]
    cpu_seconds: dict[str, float]
    memory: int | None
    log: str
    build_log: str = ""
    """What was written when it was built from source."""

    @property
    def is_passed(self) -> bool:
        """Whether the bot never failed."""
        return not self.troubles

    @property
    def hints(self) -> tuple[str, ...]:
        """How to fix what went wrong, the most frequent fault first."""
        kinds = Counter(trouble.fault.kind for trouble in self.troubles)
        return tuple(f"{kind.value}: {HINTS[kind]}" for kind, _ in kinds.most_common())


def report_data(report: CheckReport) -> dict[str, object]:
    """Return the report for JSON, with the verdict and the hints."""
    return {"verdict": "passed" if report.is_passed else "failed", **asdict(report), "hints": list(report.hints)}


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


def check_bot(
    version: BotVersion,
    game: Game,
    pool: PlayerPool,
    clock: ClockSpec,
    on_match: Callable[[int, int], None] = lambda _done, _all: None,
    *,
    seed: int | None = None,
) -> CheckReport:
    """Play the bot in every seat of every table against random bots, and return what came of it. Raises HostFaultError.

    Without a ``seed`` the matches are drawn anew each time, so that no bot can know them beforehand and behave well in them alone.
    """
    seed = secrets.randbits(SEED_BITS) if seed is None else seed
    plan = [(players, seat) for players in tables(game) for seat in range(players)]
    timed: list[_Timed] = []
    results: list[tuple[int, MatchResult]] = []
    for number, (players, seat) in enumerate(plan):
        on_match(number, len(plan))
        player = _Timed(pool.seat(version))
        timed.append(player)
        results.append((seat, _play(game, players, seat, player, clock, seed)))
    seats = [result.seats[seat] for seat, result in results]
    peaks = [seat.peak_memory for seat in seats if seat.peak_memory is not None]
    return CheckReport(
        bot=version.name,
        version=version.digest,
        game=game.name,
        isolation=str(pool.level),
        seed=seed,
        matches=len(results),
        decisions=sum(seat.decisions for seat in seats),
        troubles=tuple(
            Trouble(len(result.seats), seat, result.ticket.seed, fault)
            for seat, result in results
            if (fault := result.seats[seat].fault) is not None
        ),
        notes=tuple(dict.fromkeys(note for _, result in results for note in result.notes)),
        seconds=percentiles([each for player in timed for each in player.seconds]),
        cpu_seconds=percentiles([each for player in timed for each in player.cpu]),
        memory=max(peaks, default=None),
        log=next((seat.log for seat in reversed(seats) if seat.log), ""),
    )


def _play(game: Game, players: int, seat: int, player: Player, clock: ClockSpec, check: int) -> MatchResult:
    others = resolve("random")
    names = tuple("checked" if number == seat else f"random#{number}" for number in range(players))
    seed = derive_seed("check", check, game.name, players, seat)
    ticket = Ticket(derive_id("check", check, game.name, dict(game.options), players, seat), names, 0, 0, names, seed)
    seated = [player if number == seat else InProcessPlayer(replace(others)) for number in range(players)]
    return play_match(game, ticket, seated, clock=clock)


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """Return the median, the 95th and 99th percentile and the largest value, or nothing if there are no values."""
    if not values:
        return {}
    ordered = sorted(values)
    shares = {"median": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
    return {name: ordered[min(len(ordered) - 1, int(share * len(ordered)))] for name, share in shares.items()}
