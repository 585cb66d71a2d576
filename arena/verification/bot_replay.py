"""Asks the bots of stored matches for their decisions again. Compares the answers with the stored moves, and plays the stored moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Final

from arena.play.executors.base import ATTEMPTS
from arena.play.match import play_match
from arena.spec.spec import BotEntry
from arena.spec.tables import BUNDLE, WASMTIME
from arena.verification.matches import CheckedMatch, Disagreement, read_content
from arena.verification.schedule import TournamentEntry
from bots.errors import BotError, BotFaultError, HostFaultError, SandboxError
from bots.host.packages import differing, version_here
from bots.host.player_pool import Player, PlayerPool, check_admission, is_reference
from bots.limits import Level, Runtime
from bots.loader.loading import identify, resolve
from bots.loader.reference_bots import REFERENCE_BOTS
from bots.loader.version import BotVersion, is_genuine, make_params, split_reference, with_params
from bots.protocol import Clock, ClockMode, ClockSpec, MatchEnd, MatchInfo
from engine.core import Game, Move, State, View
from engine.core.observer import Chronicle
from engine.records import Fault, FaultKind, Forfeit, MatchResult, Replay, Ticket
from engine.text import quote
from leaderboard.records import SeatRecord
from leaderboard.storage.database import Database
from leaderboard.storage.raw_queries import is_bundle, read_contents

_SEARCHERS: Final = frozenset({"flat", "mcts"})
"""Reference bots that search until their time is up; the others never use the clock."""


@dataclass(frozen=True, slots=True)
class Recall:
    """How to ask bots for their decisions again: the isolation level, bots ``given`` by a user (by hash), and whether bots are trusted."""

    level: Level
    given: Mapping[str, BotVersion] = field(default_factory=dict)
    is_trusted: bool = False


@dataclass(slots=True)
class BotsVerdict:
    """The outcome of asking the bots of a tournament for their decisions again.

    - ``timed``: bots that depend on the clock, so they can't be asked again
    - ``missing``: why other bots could not be asked, by bot
    - ``versions``: packages whose installed version differs from the run's
    - ``matches``, ``unplayed``: the numbers of matches played again, and not played (different rules, or an unusable replay)
    - ``decisions``, ``faults``: how many were compared, by bot; ``differing``: how many decisions and faults differ, by bot
    - ``left_out``: how many decisions were not compared, by bot
    - ``substituted``: the number of compared decisions of substitutes
    - ``reported``: differences of bots that need not repeat their answers; the other differences are disagreements
    - ``failures``: why matches could not be played on this machine
    """

    timed: tuple[str, ...]
    missing: Mapping[str, str]
    versions: tuple[str, ...] = ()
    matches: int = 0
    unplayed: int = 0
    decisions: dict[str, int] = field(default_factory=dict)
    faults: dict[str, int] = field(default_factory=dict)
    differing: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    substituted: int = 0
    reported: list[Disagreement] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether all bots except timed ones were asked in every match, and different package versions can't explain any difference."""
        return not (self.missing or self.failures or self.unplayed or (self.versions and self.reported))

    def add(self, checked: CheckedMatch) -> None:
        """Add the outcome of a match."""
        again = checked.again
        if again is None:
            self.unplayed += 1
        elif again.failure:
            self.failures.append(f"match {checked.match} could not be played again: {again.failure}")
        else:
            self.matches += 1
            for key in ("decisions", "faults", "differing", "left_out"):
                counts = getattr(self, key)
                for name, many in getattr(again, key).items():
                    counts[name] = counts.get(name, 0) + many
            self.substituted += again.substituted
            self.reported += again.reported

    def sentences(self, total: int) -> Iterator[str]:
        """Yield lines that the host can publish: first what was compared, out of ``total`` matches, then what was left out, and why."""
        yield self._compared(total)
        if self.timed:
            many = "1 bot depends" if len(self.timed) == 1 else f"{len(self.timed)} bots depend"
            their = "its" if len(self.timed) == 1 else "their"
            left = sum(self.left_out.get(name, 0) for name in self.timed)
            yield f"{many} on the clock, so {their} {_counted(left, 'decision')} can't be compared: {', '.join(self.timed)}"
        for name, why in self.missing.items():
            left = self.left_out.get(name, 0)
            decisions = f", for {_counted(left, 'decision')}" if left else ""
            yield f"{name} could not be asked again{decisions}: {why}"
        for each in self.versions:
            yield f"bots played with {each}; this may explain differences, except for reference bots"
        others = sum(many for name, many in self.left_out.items() if name not in self.timed and name not in self.missing)
        if others:
            yield f"{_counted(others, 'decision')} could not be compared, because a bot had failed at a different decision than in the run"
        if self.unplayed:
            yield f"{_counted(self.unplayed, 'match', 'matches')} could not be played again"
        yield from self.failures

    def _compared(self, total: int) -> str:
        asked = sum(self.decisions.values())
        faults = f" and {_counted(sum(self.faults.values()), 'fault')}" if self.faults else ""
        what = f"{_counted(asked, 'decision')}{faults} of {_counted(len({*self.decisions, *self.faults}), 'bot')}"
        if not (asked or faults):
            outcome = "no decisions of bots were repeated"
        elif self.differing:
            differing = ", ".join(f"{self.differing[name]:,} of {name}" for name in sorted(self.differing))
            outcome = f"{what} were repeated, with these differences: {differing}"
        elif self.left_out:
            outcome = f"{what} were repeated, with identical results"
        else:
            outcome = f"all {what} were repeated, with identical results"
        return f"{self.matches:,} of {_counted(total, 'match', 'matches')}: {outcome}"


def _counted(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def read_bots(folder: Path) -> dict[str, BotVersion]:
    """Return the bots in a folder (each a file, a folder or an archive), by hash, skipping anything that is not a bot.

    Raises BotError if there is no such folder.
    """
    if not folder.is_dir():
        raise BotError(f"{folder} is not a folder; give --bots a folder that contains the tournament's bots")
    versions = {}
    for path in sorted(folder.iterdir()):
        try:
            version = identify(f"{path.resolve()}", most=BUNDLE[1])
        except BotError:
            continue
        versions[version.digest] = version
    return versions


def find_bots_again(store: Database, entered: TournamentEntry, recall: Recall) -> tuple[BotsAgain, BotsVerdict]:
    """Find each bot of a tournament, by its hash, among the reference bots, the given bots and the stored bots.

    Returns the bots that can be asked again, and a verdict that lists the others.
    """
    spec, clock = entered.spec, entered.spec.clock.limits
    stored = {version.digest: version for version in _stored(store, set(entered.contents.values()))}
    sources = {bot.name: bot.source for bot in spec.bots}
    runtime = spec.runtime.runtime
    given = dict(recall.given) | {each.digest: each for each in _with_params(recall.given.values(), spec.bots)}
    here = replace(runtime, packages=tuple(package for package in runtime.packages if version_here(package)))
    versions = differing(spec.runtime.versions or {})
    bots: dict[str, BotAgain] = {}
    timed: list[str] = []
    missing: dict[str, str] = {}
    for name, digest in sorted(entered.contents.items()):
        version = _references().get(digest) or given.get(digest) or stored.get(digest)
        if clock.mode is ClockMode.CLOCK and not (version is not None and is_reference(version) and _ignores_time(version, clock)):
            timed.append(name)
        elif version is None:
            missing[name] = _why_missing(sources[name])
        elif (why := _why_not(version, recall) or _why_not_here(version, runtime, here)) is not None:
            missing[name] = why
        else:
            is_bound = _is_bound(version, clock) and (is_reference(version) or not versions)
            bots[name] = BotAgain(replace(version, name=name), is_bound)
    return BotsAgain(spec.name, bots, clock, recall.level, here), BotsVerdict(tuple(timed), missing, versions)


def _with_params(versions: Collection[BotVersion], entries: Iterable[BotEntry]) -> Iterator[BotVersion]:
    for entry in entries:
        params = make_params(entry.params, entry.name) or split_reference(entry.source)[1]
        for version in versions if params else ():
            with suppress(BotError):  # parameters of a different bot
                yield with_params(version, params)


@cache
def _references() -> Mapping[str, BotVersion]:
    versions = [resolve(name) for name in REFERENCE_BOTS]
    return {version.digest: version for version in versions}


def _stored(store: Database, wanted: Collection[str]) -> Iterator[BotVersion]:
    """Yield the versions with these hashes whose content is stored and matches its hash."""
    with store.reading() as connection:
        for each in read_contents(connection, wanted):
            try:
                version = read_content(each.content)
            except BotError:
                continue  # reported by the check of bots' content
            if version.digest == each.version and is_genuine(version):
                yield replace(version, is_submitted=each.is_submitted or is_bundle(connection))  # every bot in a bundle is a stranger's


def _ignores_time(version: BotVersion, clock: ClockSpec) -> bool:
    searchers = {REFERENCE_BOTS[name] for name in _SEARCHERS}
    return f"{version.origin}:{version.class_name}" not in searchers or (clock.move is None and clock.bank is None)


def _is_bound(version: BotVersion, clock: ClockSpec) -> bool:
    """Return whether the version must repeat its answers, like reference bots and WebAssembly modules without time limits."""
    if is_reference(version):
        return _ignores_time(version, clock)
    return bool(version.wasm) and clock.move is None and clock.bank is None


def _why_missing(source: str) -> str:
    if source in REFERENCE_BOTS or source in REFERENCE_BOTS.values():
        return f"this program has a different version of the reference bot '{source}'"
    module, _, class_name = source.partition(":")
    if class_name and "/" not in module and not module.endswith(".py"):
        return f"'{source}' is an installed module, whose files are not stored"
    return "its files are not stored here; give --bots a folder that contains them"


def _why_not(version: BotVersion, recall: Recall) -> str | None:
    try:
        check_admission(version, recall.level, trusted=recall.is_trusted)
    except BotError as error:
        return str(error)
    return None


def _why_not_here(version: BotVersion, runtime: Runtime, here: Runtime) -> str | None:
    if version.wasm and not version_here(WASMTIME):
        return f"it is a WebAssembly module, and the package '{WASMTIME}' is not installed here"
    absent = [package for package in runtime.packages if package not in here.packages]
    is_python = not (version.wasm or version.command or is_reference(version))
    return f"bots of this tournament may import packages that are not installed here: {', '.join(absent)}" if absent and is_python else None


_MOST: Final = 5
"""The most differences listed for a match; all differences are counted."""
_LONGEST: Final = 160
"""The most characters shown of a move or fault that differs."""
_TIMEOUTS: Final = frozenset({FaultKind.INIT_TIMEOUT, FaultKind.MOVE_TIMEOUT})


@dataclass(frozen=True, slots=True)
class BotAgain:
    """A bot that can be asked again. A different answer is a disagreement only if the bot ``is_bound`` to repeat its answers."""

    version: BotVersion
    is_bound: bool


@dataclass(frozen=True, slots=True)
class BotsAgain:
    """The bots of a tournament that are asked again, by name, and the clock, isolation level and runtime to use."""

    tournament: str
    bots: Mapping[str, BotAgain]
    clock: ClockSpec
    level: Level
    runtime: Runtime


@dataclass(slots=True)
class Replayed:
    """The result of asking the bots of a match for their decisions again. Counters are by bot.

    - ``decisions``, ``faults``: how many were compared; ``differing``: how many decisions and faults differ
    - ``left_out``: how many decisions were not compared, because the bot was not asked or had failed at a different decision
    - ``substituted``: the number of decisions of substitutes, which are all compared
    - ``alarms``: the first differences of bots that must repeat their answers; ``reported``: the first differences of other bots
    - ``failure``: why the match could not be played on this machine, or ""
    """

    decisions: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    differing: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    substituted: int = 0
    alarms: list[Disagreement] = field(default_factory=list)
    reported: list[Disagreement] = field(default_factory=list)
    failure: str = ""


def replay_bots(again: BotsAgain, game: Game, ticket: Ticket, stored: Sequence[SeatRecord], replay: Replay, pool: PlayerPool) -> Replayed:
    """Ask the bots of a match for their decisions again, and compare them with ``replay``, a playable replay of this ticket."""
    reason = ""
    for _ in range(ATTEMPTS):
        referee = _Referee(again, game, ticket, replay)
        players: list[Player] = [
            pool.seat(again.bots[name].version) if name in again.bots else _Absent(referee.forfeits.get(seat))
            for seat, name in enumerate(ticket.seats)
        ]
        try:
            result = play_match(game, ticket, players, clock=again.clock, settle=referee.settle)
        except (HostFaultError, SandboxError) as error:
            reason = str(error)
        else:
            referee.compare_faults(result, stored, players)
            return referee.replayed
    return Replayed(failure=reason)


class _Absent(Player):
    """Stands in for a bot that can't be asked. It fails at the same decision as the bot did, so the substitute takes over."""

    is_timed = False

    def __init__(self, forfeit: Forfeit | None) -> None:
        self._forfeit = forfeit
        self._chronicle: Chronicle | None = None

    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        self._chronicle = chronicle

    def choose(self, view: View[State], clock: Clock) -> Move:
        assert self._chronicle is not None
        if self._forfeit is not None and len(self._chronicle) >= self._forfeit.index:
            raise BotFaultError(FaultKind.CRASH, "as in the stored match")
        return view.legal_moves[0]

    def finish(self, end: MatchEnd) -> str | None:
        return None


class _Referee:
    """Compares each decision with the stored one, and returns the stored one to be played."""

    def __init__(self, again: BotsAgain, game: Game, ticket: Ticket, replay: Replay) -> None:
        self._again = again
        self._game = game
        self._match, self._names = ticket.id, ticket.seats
        self._decisions = replay.decisions
        self.forfeits: Final = {forfeit.seat: forfeit for forfeit in replay.forfeits}
        self._parted: set[int] = set()
        self.replayed: Final = Replayed()

    def settle(self, index: int, seat: int, move: Move, fault: Fault | None) -> Move:
        """Compare a move with the stored one, unless the bot has failed only now or only in the run, and return the stored one."""
        decision = self._decisions[index]
        if decision.legal == 1:
            return move
        stored, name, forfeit = self._game.parse(decision.move), self._names[seat], self.forfeits.get(seat)
        had_failed = forfeit is not None and index >= forfeit.index
        if had_failed != (fault is not None):
            self._parted.add(seat)
        if seat in self._parted:
            self.replayed.left_out[name] += 1
        elif had_failed:
            self.replayed.substituted += 1
            if str(move) != str(stored):
                self._add(f"decision {index} of the substitute for {name} (seat {seat})", stored, move, is_alarm=True)
        elif name not in self._again.bots:
            self.replayed.left_out[name] += 1
        else:
            self.replayed.decisions[name] += 1
            if str(move) != str(stored):
                self.replayed.differing[name] += 1
                self._add(f"decision {index} of {name} (seat {seat})", stored, move, is_alarm=self._again.bots[name].is_bound)
        return stored

    def compare_faults(self, result: MatchResult, stored: Sequence[SeatRecord], players: Sequence[Player]) -> None:
        """Compare the faults of the bots that were asked; the kind and the decision must be the same."""
        for number, (seat, raw) in enumerate(zip(result.seats, stored, strict=False)):
            if seat.bot not in self._again.bots:
                continue
            now = None if seat.fault is None else (seat.fault.kind.value, seat.fault.index)
            then = None if raw.fault is None else (raw.fault, raw.fault_index)
            if now is not None or then is not None:
                self.replayed.faults[seat.bot] += 1
            if now != then:
                is_late = seat.fault is not None and seat.fault.kind in _TIMEOUTS and players[number].is_over_wall
                is_timeout = not _TIMEOUTS.isdisjoint({*(now or ()), *(then or ())})
                is_about_time = is_late or (self._again.clock.mode is not ClockMode.FUEL and is_timeout)
                is_alarm = self._again.bots[seat.bot].is_bound and not is_about_time
                self.replayed.differing[seat.bot] += 1
                detail = "" if seat.fault is None else f": {seat.fault.detail}"
                self._add(f"fault of {seat.bot} (seat {number})", _fault_text(then), f"{_fault_text(now)}{detail}", is_alarm=is_alarm)

    def _add(self, what: str, stored: object, found: object, *, is_alarm: bool) -> None:
        alarms, reported = self.replayed.alarms, self.replayed.reported
        if len(alarms) + len(reported) < _MOST or (is_alarm and not alarms):
            texts = quote(str(stored), _LONGEST), quote(str(found), _LONGEST)
            (alarms if is_alarm else reported).append(Disagreement(self._again.tournament, self._match, what, *texts))


def _fault_text(fault: tuple[object, object] | None) -> str:
    return "none" if fault is None else f"{fault[0]} at decision {fault[1]}"
