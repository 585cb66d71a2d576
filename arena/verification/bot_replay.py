"""Plays one stored match again with its bots: each bot decides anew, but the stored moves are played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from arena.play.executors.base import ATTEMPTS
from arena.play.match import play_match
from bots.errors import BotFaultError, HostFaultError, SandboxError
from bots.host.player import Player
from bots.host.player_pool import PlayerPool
from bots.loader.version import BotVersion
from bots.protocol import Clock, ClockMode, ClockSpec, MatchEnd, MatchInfo
from bots.runtime import Runtime
from bots.sandbox.levels import Level
from engine.core import Game, Move, State, View
from engine.core.observer import Chronicle
from engine.records import Fault, FaultKind, Forfeit, MatchResult, Replay, Ticket
from engine.text import quote
from leaderboard.records.evidence import SeatRecord

_MOST: Final = 5
"""The most differences of a match that are listed; all are counted."""
_LONGEST: Final = 160
"""The most characters of a difference that are shown."""
_TIMEOUTS: Final = frozenset({FaultKind.INIT_TIMEOUT, FaultKind.MOVE_TIMEOUT})


@dataclass(frozen=True, slots=True)
class BotAgain:
    """A bot that can be asked again. A different answer is an alarm only if the bot ``is_bound`` to repeat its answers."""

    version: BotVersion
    is_bound: bool


@dataclass(frozen=True, slots=True)
class BotsAgain:
    """The bots that are asked again, by name, and how: with this clock, level of isolation and runtime."""

    bots: Mapping[str, BotAgain]
    clock: ClockSpec
    level: Level
    runtime: Runtime


@dataclass(frozen=True, slots=True)
class Difference:
    """A value stored for a bot, or for the substitute of a failed one, that differs when the match is replayed."""

    field: str
    stored: str
    found: str
    is_alarm: bool


@dataclass(slots=True)
class Replayed:
    """The result of asking the bots of one or more matches again.

    By bot: the numbers of compared ``decisions`` and ``faults``, how many of both are ``differing``, and the decisions ``left_out`` because
    the bot was not asked or had failed at another place. ``substituted`` counts decisions of substitutes, all compared. ``differences`` has
    the first of each match. ``failure`` says why the machine could not play the match.
    """

    decisions: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    differing: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    substituted: int = 0
    differences: list[Difference] = field(default_factory=list)
    failure: str = ""


def replay_bots(again: BotsAgain, game: Game, ticket: Ticket, stored: Sequence[SeatRecord], replay: Replay, pool: PlayerPool) -> Replayed:
    """Ask the bots of a match again and compare; ``replay`` must be a playable replay of this ticket."""
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
    """Replaces a bot that can't be asked. It fails at the same decision as that bot, where the substitute then takes over."""

    is_timed = False

    def __init__(self, forfeit: Forfeit | None) -> None:
        self._forfeit = forfeit
        self._chronicle: Chronicle | None = None

    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        self._chronicle = chronicle

    def choose(self, view: View[State], clock: Clock) -> Move:
        assert self._chronicle is not None
        if self._forfeit is not None and len(self._chronicle) >= self._forfeit.index:
            raise BotFaultError(FaultKind.CRASH, "as it did")
        return view.legal_moves[0]

    def finish(self, end: MatchEnd) -> str | None:
        return None


class _Referee:
    """Compares each decision with the stored one, and has the stored one played."""

    def __init__(self, again: BotsAgain, game: Game, ticket: Ticket, replay: Replay) -> None:
        self._again = again
        self._game = game
        self._names = ticket.seats
        self._decisions = replay.decisions
        self.forfeits: Final = {forfeit.seat: forfeit for forfeit in replay.forfeits}
        self._parted: set[int] = set()
        self.replayed: Final = Replayed()

    def settle(self, index: int, seat: int, move: Move, fault: Fault | None) -> Move:
        """Return the stored move. Decisions are not compared from the one at which a bot failed only now or only in the stored match."""
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
        """Compare the faults of the bots that were asked: kind and decision must be the same."""
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
        if len(self.replayed.differences) < _MOST or (is_alarm and not any(each.is_alarm for each in self.replayed.differences)):
            self.replayed.differences.append(Difference(what, quote(str(stored), _LONGEST), quote(str(found), _LONGEST), is_alarm))


def _fault_text(fault: tuple[object, object] | None) -> str:
    return "none" if fault is None else f"{fault[0]} at decision {fault[1]}"
