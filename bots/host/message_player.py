"""A player that exchanges messages with its bot. It creates the host's messages and checks the answers; subclasses transport both."""

from __future__ import annotations

import secrets
from abc import abstractmethod
from collections import deque
from typing import Final, TypeVar

from msgspec import UNSET

from bots.child.invoke import short_repr
from bots.clock import FINISH_FUEL, Timekeeper, check_nodes
from bots.errors import BotFaultError
from bots.host.player_pool import Player
from bots.loader.tracebacks import clean_traceback
from bots.loader.version import BotVersion, params_of
from bots.messages import (
    OF_THE_LOOP,
    PROTOCOL,
    Answer,
    Bye,
    Decide,
    Failure,
    Finish,
    FromBot,
    Hello,
    Match,
    ToBot,
    encode_news,
    encode_options,
)
from bots.protocol import Clock, ClockMode, ClockSpec, MatchEnd, MatchInfo
from engine.core import EngineError, Move, State, View
from engine.core.observer import Chronicle
from engine.records import FaultKind

T = TypeVar("T", bound=FromBot)

FINISH_SECONDS: Final = 2.0
"""The limit for answering `finish` with `bye`, in seconds."""
_MESSAGES_KEPT: Final = 12
_MESSAGE_KEPT: Final = 500
_TOKENS: Final = 64
_TOKEN: Final = 16
"""The number of hexadecimal digits of a token."""


class MessagePlayer(Player):
    """Implements the host's side of version 1 of the protocol, and turns wrong answers into faults."""

    def __init__(self, version: BotVersion) -> None:
        self._version = version
        self._chronicle: Chronicle | None = None
        self._news_sent = 0
        self._asked = 0
        self._seat = 0
        self._fuel = 0
        self._limits = ClockSpec()
        self._wants: frozenset[str] = frozenset()
        self._messages: deque[tuple[str, bytes]] = deque(maxlen=_MESSAGES_KEPT)
        self._tokens = ""
        """Tokens of future decisions, drawn together: a system call for each would take longer than the rest of the exchange."""

    @abstractmethod
    def _ask(self, message: ToBot, wanted: type[T], clock: Clock, late: FaultKind) -> T:
        """Send a message and return the expected reply. Raises BotFaultError after closing the bot."""

    def fuel(self) -> int:
        """Return how many units of fuel the bot has used so far."""
        return self._fuel

    def _greet(self, info: MatchInfo, chronicle: Chronicle) -> None:
        self._chronicle = chronicle
        self._seat = info.seat
        self._limits = info.clock
        is_told = bool(self._version.command or self._version.wasm)  # a Python class is given them in its process
        message = Match(
            protocol=PROTOCOL,
            game=info.game.name,
            options=encode_options(dict(info.game.options)),
            players=info.players,
            seat=info.seat,
            seed=info.seed,
            clock=info.clock,
            opening=chronicle.opening(info.seat),
            params=(params_of(self._version) if is_told else {}) or UNSET,
        )
        hello = self._ask(message, Hello, Timekeeper(info.clock).for_start(), FaultKind.INIT_TIMEOUT)
        if hello.protocol != PROTOCOL:
            raise self._fault(FaultKind.PROTOCOL_ERROR, f"it uses version {hello.protocol} of the protocol, but this host uses {PROTOCOL}")
        self._wants = frozenset(hello.wants)

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Send the bot the news, ask for a decision, and return its move. Raises BotFaultError."""
        chronicle = self._chronicle
        assert chronicle is not None
        news = encode_news(chronicle.news(self._seat, self._news_sent))
        self._news_sent = len(chronicle)
        token = self._token()
        legal = [str(move) for move in view.legal_moves] if "legal" in self._wants else None
        position = view.position.text if "position" in self._wants else None
        message = Decide(token=token, news=news, clock=clock, legal=legal, position=position)
        answer = self._ask(message, Answer, clock, FaultKind.MOVE_TIMEOUT)
        if answer.token != token:
            raise self._fault(
                FaultKind.PROTOCOL_ERROR, "its answer has the wrong token: send one answer to each request, with the token of that request"
            )
        try:
            check_nodes(clock, answer.nodes)
        except BotFaultError:
            self.close()
            raise
        try:
            return view.game.parse(answer.move)
        except EngineError as error:
            raise self._fault(FaultKind.ILLEGAL_MOVE, f"it answered {short_repr(answer.move)}: {error}") from None

    def _token(self) -> str:
        """Return the token of the next decision. A WebAssembly module can't answer too early, so its tokens are the same in every run."""
        self._asked += 1
        if self._version.wasm:
            return f"{self._asked:016x}"
        at = (self._asked - 1) % _TOKENS * _TOKEN
        if not at:
            self._tokens = secrets.token_hex(_TOKENS * _TOKEN // 2)
        return self._tokens[at : at + _TOKEN]

    def finish(self, end: MatchEnd) -> str | None:
        """Tell the bot that the match is over, if it asked for that message. Return a note for its author, or None."""
        if "finish" not in self._wants:
            return None
        limits = self._limits
        clock = Clock(seconds=FINISH_SECONDS, stop=FINISH_SECONDS)
        if limits.mode is ClockMode.FUEL:
            clock = Clock(stop=limits.wall, fuel=FINISH_FUEL)
        try:
            return self._ask(Finish(end.scores, end.ranks, end.end), Bye, clock, FaultKind.MOVE_TIMEOUT).note
        except BotFaultError as error:
            return f"{self._version.name}: after the match, {error.detail}"

    def _keep(self, direction: str, message: bytes) -> None:
        self._messages.append((direction, message[:_MESSAGE_KEPT]))

    def _kept(self) -> tuple[str, ...]:
        return tuple(direction + message.decode(errors="replace").rstrip("\n") for direction, message in self._messages)

    def _wanted(self, message: FromBot, wanted: type[T]) -> T:
        """Return the message. Raises BotFaultError if it is not of the expected type."""
        if self._version.wasm and isinstance(message, Hello | Answer | Failure) and isinstance(message.fuel, int):
            self._fuel += message.fuel  # reported by this program's own loop
        if isinstance(message, wanted):
            return message
        if isinstance(message, Failure) and message.kind != "game" and (self._version.wasm or message.kind not in OF_THE_LOOP):
            fault = self._fault(FaultKind(message.kind), message.detail, is_unloadable=message.unloadable)
            fault.traceback = clean_traceback(message.traceback)
            raise fault
        raise self._fault(FaultKind.PROTOCOL_ERROR, f"it sent '{type(message).__name__.lower()}' instead of '{wanted.__name__.lower()}'")

    def _fault(self, kind: FaultKind, detail: str, *, is_unloadable: bool = False) -> BotFaultError:
        return self._closed(BotFaultError(kind, detail, is_unloadable=is_unloadable))

    def _closed(self, fault: BotFaultError) -> BotFaultError:
        self.close()
        self.is_over_wall = fault.is_over_wall
        return fault
