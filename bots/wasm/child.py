"""The message loop of a WebAssembly module's process: it reads the host's messages and passes them to the module.

The process has a single thread, so only the host can stop a module that takes too long, by killing the process.
"""

from __future__ import annotations

import os
from typing import Final

import msgspec

from bots.child import warmup
from bots.child.loop import Pipes
from bots.clock import FINISH_FUEL, Timekeeper
from bots.errors import BotFaultError
from bots.messages import Answer, Decide, Failure, Finish, FromBot, Hello, Match, NewsItem, Ready, decode_options, read_to_bot
from bots.protocol import Clock, ClockMode
from bots.wasm.conversation import Conversation, understand
from bots.wasm.interface import link, linker
from engine.core import State, View
from engine.core.observer import News, Observer
from engine.registry import find_game
from engine.text import one_line

_MAX_DETAIL: Final = 400


class Order(msgspec.Struct, frozen=True):
    """What a module's process needs to start: the module as machine code, compiled on this machine, and its memory limit in bytes."""

    compiled: bytes
    memory: int


class _Knowledge:
    """What the seat knows, computed when the module first needs it."""

    def __init__(self, match: Match) -> None:
        game = find_game(match.game, decode_options(match.options))
        self._observer = Observer(game, match.players, match.seat, match.opening)
        self._news: list[NewsItem] = []

    def add(self, news: tuple[NewsItem, ...]) -> None:
        self._news += news

    def view(self) -> View[State]:
        for item in self._news:
            self._observer.observe(News(item.seat, item.move, item.events))
        self._news.clear()
        return self._observer.view()


def prepare(preparation: bytes) -> None:
    """Prepare the process that forks the processes of modules: load the games, and the functions that modules import."""
    warmup.prepare(preparation)
    linker()


def serve(payload: bytes) -> None:
    """Play one match with the module in ``payload``: read requests from fd 0, write answers to fd 1 and the module's log to fd 2."""
    order = msgspec.msgpack.decode(payload, type=Order)
    pipes = Pipes()
    line = pipes.read_line()
    match = None if line is None else read_to_bot(line)
    if line is None or not isinstance(match, Match):
        return
    try:
        knowledge = _Knowledge(match)
    except Exception as error:  # noqa: BLE001  # a game from another package may raise anything, and none of the bot's code has run yet
        pipes.write(Failure("game", one_line(f"{type(error).__name__}: {error}")[:_MAX_DETAIL]))
        return
    pipes.write(Ready())
    try:
        conversation = Conversation(link(order.compiled), memory=order.memory, log=_log)
    except MemoryError:
        pipes.write(Failure("memory", "it ran out of memory"))
        return
    _converse(conversation, pipes, line, match, knowledge)


def _converse(conversation: Conversation, pipes: Pipes, first: bytes, match: Match, knowledge: _Knowledge) -> None:
    """Pass messages to the module and its answers to the host, until either side ends the exchange."""
    line: bytes | None = first
    while line is not None:
        before = conversation.fuel
        try:
            answer = understand(_tell(conversation, line, match, knowledge))
        except BotFaultError as error:
            kind = error.kind.value
            answer = Failure(kind, error.detail[:_MAX_DETAIL], error.is_unloadable)  # type: ignore[arg-type]  # it is never a resignation
        except MemoryError:
            answer = Failure("memory", "it ran out of memory")
        pipes.write(_with_fuel(answer, conversation.fuel - before))
        if isinstance(answer, Failure):
            return
        line = pipes.read_line()


def _tell(conversation: Conversation, line: bytes, match: Match, knowledge: _Knowledge) -> bytes:
    message = read_to_bot(line)
    if isinstance(message, Match):
        return conversation.start(line, match.seed, Timekeeper(match.clock).for_start(), knowledge.view)
    if isinstance(message, Decide):
        knowledge.add(message.news)
        return conversation.tell(line, message.clock, knowledge.view)
    assert isinstance(message, Finish)
    return conversation.tell(line, Clock(fuel=FINISH_FUEL if match.clock.mode is ClockMode.FUEL else None), knowledge.view)


def _with_fuel(message: FromBot, fuel: int) -> FromBot:
    if isinstance(message, Hello | Answer | Failure):
        return msgspec.structs.replace(message, fuel=fuel)
    return message


def _log(text: bytes) -> None:
    while text:
        text = text[os.write(2, text) :]
