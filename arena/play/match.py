"""Plays one match: requests moves from bots, checks their answers, and replaces bots that fail."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from functools import partial
from random import Random
from typing import Final, TypeAlias

from arena.play.executors.base import ATTEMPTS, NO_LIMIT, Job, Played
from arena.spec.secret import derive_id, derive_seed
from bots.clock import Timekeeper, run_delay_of_this_thread, running_time
from bots.errors import BotFaultError, HostFaultError, SandboxError
from bots.host.player_pool import Player, PlayerPool
from bots.protocol import ClockSpec, MatchEnd, MatchInfo
from engine.core import Game, Move, Score, State
from engine.core.observer import Chronicle
from engine.records import Fault, FaultKind, MatchResult, SeatResult, Ticket, VoidMatch, pack_replay
from engine.replay.format import Recorder, write_replay
from engine.text import one_line

Settle: TypeAlias = Callable[[int, int, Move, Fault | None], Move]
"""A function that returns the move to play. It gets the decision's number, the seat, the move decided on, and the seat's fault, if any."""


_TOLERATED: Final = 0.05
"""CPU seconds that a bot may use between its answer and the moment when it is frozen, without being charged for them."""
_NOTICED: Final = 0.05
"""After this many idle seconds, the part spent waiting for a processor is queried; the query itself takes time."""


class _Seat:
    """One seat during a match: its bot, or the substitute after a fault, and the time it has used."""

    def __init__(self, name: str, player: Player, ticket: Ticket, number: int, clock: ClockSpec) -> None:
        self.name = name
        self.player = player
        self.keeper = Timekeeper(clock if player.is_timed else NO_LIMIT)
        self.seed = derive_seed(ticket.key or ticket.id, "bot", number)
        self.substitute = Random(derive_seed(ticket.key or ticket.id, "substitute", number))
        self.fault: Fault | None = None
        self.traceback = ""
        self.is_recorded = False
        self.decisions = 0
        self.seconds = 0.0
        self.cpu_seconds = 0.0
        self.waited = 0.0
        """Seconds in which the bot waited for a processor."""
        self.starved = self._starved()
        self.idle = 0.0
        """Idle seconds since the last query of how many of them were spent waiting for a processor."""
        self.forgiven = 0.0

    def fail(self, kind: FaultKind, index: int, detail: str, traceback: str = "") -> None:
        self.fault = Fault(kind, index, one_line(detail))
        self.traceback = traceback

    def _starved(self) -> float:
        return self.player.starved_seconds() + run_delay_of_this_thread()

    def split(self, idle: float) -> tuple[float, float]:
        """Return for how many of the idle seconds the bot slept, and for how many the bot or this thread waited for a processor.

        Short idle times are added up until they are worth a query; until then both numbers are 0.
        """
        self.idle += idle
        if self.idle < _NOTICED:
            return 0.0, 0.0
        before, self.starved = self.starved, self._starved()
        delay = max(0.0, min(self.idle, self.starved - before))
        slept, self.idle = self.idle - delay, 0.0
        self.waited += delay
        return slept, delay

    def result(self, score: Score, rank: int) -> SeatResult:
        trace = self.player.trace()
        return SeatResult(
            bot=self.name,
            score=score,
            rank=rank,
            fault=self.fault,
            decisions=self.decisions,
            seconds=self.seconds,
            cpu_seconds=self.cpu_seconds,
            charged_seconds=max(0.0, self.seconds - self.waited),
            peak_memory=trace.peak_memory,
            log=trace.log,
            messages=trace.messages if self.fault is not None else (),
            traceback=self.traceback,
        )


def make_ticket(game: Game, names: Sequence[str], *, seed: int) -> Ticket:
    """Return the ticket of a match outside a tournament. ``names`` are the bots' names in seat order, all different.

    The same game, names and seed give the same ticket, and therefore the same deck and the same seeds for bots.
    """
    seats = tuple(names)
    return Ticket(derive_id("match", game.name, dict(game.options), seed, seats), seats, 0, 0, seats, seed)


class Match:
    """A match in progress, which must always be closed.

    ``decide`` returns the move of the seat to move, ``play`` plays a move, and ``finish`` returns the result once the game is over.
    ``players`` are in seat order. A bot that fails is replaced by a substitute that plays at random, seeded by the ticket.
    """

    def __init__(self, game: Game, ticket: Ticket, players: Sequence[Player], clock: ClockSpec = NO_LIMIT) -> None:
        self.ticket: Final = ticket
        self.state: Final = game.new(len(players), ticket.seed)
        self.chronicle: Final = Chronicle(self.state)
        self._began = running_time()
        self._clock = clock
        self._recorder = Recorder(game, ticket.seed, ticket.seats)
        self._seats = [_Seat(name, player, ticket, at, clock) for at, (name, player) in enumerate(zip(ticket.seats, players, strict=True))]
        for seat in self._seats:
            seat.player.grace = partial(self._give_back, seat)

    @property
    def faults(self) -> dict[int, Fault]:
        """The fault of each seat that has failed, by the number of the seat."""
        return {number: seat.fault for number, seat in enumerate(self._seats) if seat.fault is not None}

    def start(self) -> None:
        """Start the players of all seats that have not failed."""
        for number, seat in enumerate(self._seats):
            if seat.fault is None:
                self._start(number, seat)

    def fail(self, number: int, fault: Fault) -> None:
        """Record the fault of seat ``number``, so that the substitute plays for it from now on. Ignored if the seat has failed before."""
        seat = self._seats[number]
        if seat.fault is None:
            seat.fault = fault
            seat.player.close()

    def decide(self) -> tuple[Move, Fault | None]:
        """Return the move of the seat to move, and the seat's fault if it has failed. A bot with only one legal move is not asked."""
        state, actor = self.state, self.state.actor
        assert actor is not None, "the game is over"
        seat, legal = self._seats[actor], state.count_moves()
        if legal == 1:
            return state.list_moves()[0], seat.fault
        move = self._ask(seat, actor, legal) if seat.fault is None else None
        return state.random_move(seat.substitute) if move is None else move, seat.fault

    def play(self, move: Move) -> None:
        """Play a legal move."""
        state, actor = self.state, self.state.actor
        assert actor is not None, "the game is over"
        seat, legal = self._seats[actor], state.count_moves()
        if seat.fault is not None and not seat.is_recorded:
            self._recorder.forfeit(actor, seat.fault.kind.value)
            seat.is_recorded = True
        state.play(move)
        if state.actor != actor:
            seat.player.rest()
        self._recorder.record(actor, move, legal, state)
        self.chronicle.record(actor, move, state)

    def finish(self) -> MatchResult:
        """Tell the players how the match ended, close them, and return the result."""
        replay = self._recorder.finish(self.state)
        end = MatchEnd(replay.scores, replay.ranks, replay.end)
        notes = [seat.player.finish(end) for seat in self._seats if seat.fault is None]
        for seat in self._seats:
            seat.player.stop()
        packed = pack_replay(write_replay(replay))  # meanwhile, the bots' processes end
        self.close()
        return MatchResult(
            ticket=self.ticket,
            seats=tuple(seat.result(score, rank) for seat, score, rank in zip(self._seats, replay.scores, replay.ranks, strict=True)),
            end=replay.end,
            decisions=len(replay.decisions),
            seconds=running_time() - self._began,
            replay=packed,
            notes=tuple(one_line(note) for note in notes if note is not None),
        )

    def close(self) -> None:
        """Close all players; may be called more than once."""
        for seat in self._seats:
            seat.player.stop()
        for seat in self._seats:
            seat.player.close()
            seat.player.grace = Player.grace  # without this cycle, the position need not wait for the garbage collector

    def _give_back(self, victim: _Seat) -> float:
        """Return the CPU seconds that other bots, which should have been idle, used while ``victim`` was deciding.

        A bot that used CPU time forfeits at once, and ``victim`` is not charged for that time.
        """
        taken = 0.0
        for seat in self._seats:
            if seat is victim or seat.fault is not None or (overtime := seat.player.overtime()) <= _TOLERATED:
                continue
            taken += overtime
            seat.fail(FaultKind.MOVE_TIMEOUT, len(self.chronicle), f"it used {overtime:.2f} s of CPU time during another bot's turn")
            seat.player.close()
        victim.forgiven += taken
        return taken

    def _start(self, number: int, seat: _Seat) -> None:
        began, cpu, fuel = running_time(), seat.player.cpu_seconds(), seat.player.fuel()
        try:
            seat.player.start(MatchInfo(self.state.game, len(self._seats), number, seat.seed, self._clock), self.chronicle)
            used = seat.player.cpu_seconds() - cpu
            if seat.player.is_timed:
                seat.keeper.charge_start(used, seat.player.fuel() - fuel)
                slept, _ = seat.split(running_time() - began - seat.forgiven - used)
                seat.keeper.charge_idle(slept, FaultKind.INIT_TIMEOUT)
        except BotFaultError as error:
            seat.fail(error.kind, 0, error.detail, error.traceback)
            seat.player.close()
        seat.seconds += running_time() - began
        seat.cpu_seconds += seat.player.cpu_seconds() - cpu

    def _ask(self, seat: _Seat, actor: int, legal: int) -> Move | None:
        """Return the legal move that the seat's bot chooses in time, or None after a fault."""
        index = len(self.chronicle)
        view = self.chronicle.view(actor, self.state)
        clock = seat.keeper.for_decision()
        began, cpu, fuel = running_time(), seat.player.cpu_seconds(), seat.player.fuel()
        seat.forgiven = 0.0
        passed: float | None = None
        used: float | None = None
        try:
            move = seat.player.choose(view, clock)
            passed, used = running_time() - began, seat.player.cpu_seconds() - cpu
            if seat.player.is_timed:
                if clock.seconds is not None and passed > clock.seconds:
                    seat.player.grace()
                wall = passed - seat.forgiven
                slept, delayed = seat.split(wall - used)
                seat.keeper.charge(clock, wall, used, seat.player.fuel() - fuel, delayed)
                seat.keeper.charge_idle(slept, FaultKind.MOVE_TIMEOUT)
            if self.state.is_legal(move):
                return move
            seat.fail(FaultKind.ILLEGAL_MOVE, index, f"{one_line(f'<{move}>', 60)} is not among the {legal} legal moves")
        except BotFaultError as error:
            seat.fail(error.kind, index, error.detail, error.traceback)
        finally:
            seat.decisions += 1
            seat.seconds += running_time() - began if passed is None else passed
            seat.cpu_seconds += seat.player.cpu_seconds() - cpu if used is None else used
        seat.player.close()
        return None


def play_match(
    game: Game,
    ticket: Ticket,
    players: Sequence[Player],
    on_move: Callable[[State, Move], None] | None = None,
    *,
    clock: ClockSpec = NO_LIMIT,
    settle: Settle | None = None,
) -> MatchResult:
    """Play the match of a ticket to its end, whatever the bots do, and return the result. ``players`` are in seat order.

    A bot that fails is replaced by a substitute that plays at random, seeded by the ticket. If there is only one legal move, it is played
    without asking the bot. ``on_move`` is called after each move with the state and the move; ``settle`` may replace the move that was
    decided on.

    Errors of a player other than BotFaultError, such as HostFaultError, propagate. The players are always closed.
    """
    match = Match(game, ticket, players, clock)
    try:
        match.start()
        while (actor := match.state.actor) is not None:
            move, fault = match.decide()
            if settle is not None:
                move = settle(len(match.chronicle), actor, move, fault)
            match.play(move)
            if on_move is not None:
                on_move(match.state, move)
        return match.finish()
    finally:
        match.close()


def play_tickets(job: Job, tickets: Sequence[Ticket], pool: PlayerPool) -> list[Played]:
    """Play tickets one by one. If this machine makes a match fail, the match is tried up to ``ATTEMPTS`` times with the same seed."""
    game = job.make_game()
    with redirect_stdout(sys.stderr):  # standard output is for results
        return [_play_ticket(job, game, ticket, pool) for ticket in tickets]


def _play_ticket(job: Job, game: Game, ticket: Ticket, pool: PlayerPool) -> Played:
    reason = ""
    for _ in range(ATTEMPTS):
        players = [pool.seat(job.bots[name]) for name in ticket.seats]
        try:
            return replace(play_match(game, ticket, players, clock=job.clock), isolation=str(job.level))
        except (HostFaultError, SandboxError) as error:
            if isinstance(error.__context__, KeyboardInterrupt):  # a player that was interrupted could not be closed
                raise error.__context__ from None
            reason = str(error)
    return VoidMatch(ticket, reason)
