"""Asks a bot for one decision of a recorded match, after asking it for the earlier decisions of the same seat (``ask_again``)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NoReturn

from arena.play.match import play_match
from bots.clock import Timekeeper, running_time
from bots.errors import BotFaultError
from bots.host.player_pool import Player
from bots.protocol import Clock, ClockSpec, MatchEnd, MatchInfo
from engine.core import Move, State, View
from engine.core.errors import InputError
from engine.core.observer import Chronicle
from engine.records import FaultKind, Replay, Ticket
from engine.replay.verifier import game_of


class NoDecisionError(InputError):
    """No bot was asked for the given decision of the match; the message says why."""


@dataclass(frozen=True, slots=True)
class BotAnswer:
    """What a bot answered at one decision.

    If the bot failed, ``move`` is None, ``kind`` and ``detail`` describe the fault, and ``index`` is the decision at which it happened.
    ``asked`` is the number of earlier decisions that the bot was asked for; ``different`` lists its moves that differed from the recorded
    ones, by index. ``seconds`` and ``cpu_seconds`` are the times that the answer took.
    """

    index: int
    move: Move | None
    asked: int
    different: tuple[tuple[int, str], ...]
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    kind: FaultKind | None = None
    detail: str = ""
    traceback: str = ""
    log: str = ""


class _AnsweredError(Exception):
    """The bot has answered, so the match need not continue."""


class _Recorded(Player):
    """Plays the moves of a replay."""

    is_timed = False

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self._parse: Callable[[str], Move] = game_of(replay).parse
        self._chronicle: Chronicle | None = None

    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        self._chronicle = chronicle

    @property
    def index(self) -> int:
        """The number of decisions so far."""
        assert self._chronicle is not None
        return len(self._chronicle)

    def choose(self, view: View[State], clock: Clock) -> Move:
        return self._parse(self._replay.decisions[self.index].move)

    def finish(self, end: MatchEnd) -> None:
        """Do nothing: the match is abandoned before its end."""


class _ReplayedSeat(_Recorded):
    """Asks a bot for the seat's decisions, up to the decision in question, but plays the recorded moves."""

    def __init__(self, replay: Replay, at: int, bot: Player, clock: ClockSpec, seed: int | None, *, alone: bool) -> None:
        super().__init__(replay)
        forfeits = [forfeit.index for forfeit in replay.forfeits if forfeit.seat == replay.decisions[at].seat]
        self._before = 0 if alone else min([at, *forfeits])
        self._at = at
        self._bot = bot
        self._clock = clock
        self._seed = seed
        self._keeper = Timekeeper(clock)
        self.answer = BotAnswer(0, None, 0, ())

    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        super().start(info, chronicle)
        try:
            self._bot.start(replace(info, clock=self._clock, seed=info.seed if self._seed is None else self._seed), chronicle)
        except BotFaultError as error:
            self._end(error)
        self._bot.rest()

    def choose(self, view: View[State], clock: Clock) -> Move:
        recorded = super().choose(view, clock)
        if self.index >= self._before and self.index != self._at:
            return recorded
        clock = self._keeper.for_decision()
        began, cpu, fuel = running_time(), self._bot.cpu_seconds(), self._bot.fuel()
        try:
            move = self._bot.choose(view, clock)
        except BotFaultError as error:
            self._end(error)
        seconds, used = running_time() - began, self._bot.cpu_seconds() - cpu
        with suppress(BotFaultError):  # the bot may be slower now than in the match
            self._keeper.charge(clock, seconds, used, self._bot.fuel() - fuel)
        if self.index == self._at:
            self.answer = replace(self.answer, index=self._at, move=move, seconds=seconds, cpu_seconds=used)
            raise _AnsweredError
        mine = str(move)
        more = () if mine == str(recorded) else ((self.index, mine),)
        self.answer = replace(self.answer, asked=self.answer.asked + 1, different=(*self.answer.different, *more))
        return recorded

    def _end(self, error: BotFaultError) -> NoReturn:
        self.answer = replace(self.answer, index=self.index, kind=error.kind, detail=error.detail, traceback=error.traceback)
        raise _AnsweredError

    def rest(self) -> None:
        self._bot.rest()

    def stop(self) -> None:
        self._bot.stop()

    def close(self) -> None:
        self._bot.close()


def check_decision(replay: Replay, at: int) -> None:
    """Raise NoDecisionError unless a bot was asked for decision ``at``, counted from 0."""
    decisions = len(replay.decisions)
    if at >= decisions:
        raise NoDecisionError(f"the match has {decisions} decisions, so bots can be asked in positions 0 to {decisions - 1}")
    if replay.decisions[at].legal == 1:
        choices = [index for index, decision in enumerate(replay.decisions) if decision.legal > 1]
        nearest = min(choices, key=lambda index: abs(index - at), default=None)
        hint = "" if nearest is None else f"; the nearest position in which a bot was asked is {nearest}"
        raise NoDecisionError(f"decision {at + 1} had only one legal move, so no bot was asked for it{hint}")


def ask_again(
    replay: Replay, at: int, bot: Player, ticket: Ticket, clock: ClockSpec, *, seed: int | None = None, alone: bool = False
) -> BotAnswer:
    """Ask a bot for decision ``at`` of a valid replay, in the place of the seat that made it, under ``clock``; return the bot's answer.

    Unless ``alone`` is set, the bot is also asked for the seat's earlier decisions, but the recorded moves are played. The bot's seed is
    derived from the ticket unless ``seed`` is given. Raises NoDecisionError, and HostFaultError if the machine fails.
    """
    check_decision(replay, at)
    replayed = _ReplayedSeat(replay, at, bot, clock, seed, alone=alone)
    players = [replayed if seat == replay.decisions[at].seat else _Recorded(replay) for seat in range(replay.players)]
    with suppress(_AnsweredError):
        play_match(game_of(replay), ticket, players)
    return replace(replayed.answer, log=bot.trace().log)
