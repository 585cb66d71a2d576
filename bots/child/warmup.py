"""Prepares the process that forks bots: it learns its games, and plays matches of them, so that the bots forked afterwards run faster.

Python specialises code as it runs, and a forked process inherits that. Every page that a fork writes to is copied on first use: `rehearse`
causes these copies while a process still waits for its bot. Modules that a game imports when it is made or played are loaded here, since a
locked-down process can't load them.
"""

from __future__ import annotations

from importlib import import_module
from random import Random
from time import monotonic
from typing import Final

import msgspec

from bots.child.loop import Session
from bots.loader.in_memory import answer_for_files
from bots.loader.suggestions import allow_packages
from bots.loader.version import BotVersion, pack, unpack
from bots.messages import (
    PROTOCOL,
    Decide,
    Failure,
    FromBot,
    Match,
    OptionText,
    ToBot,
    decode_options,
    encode_news,
    encode_options,
    read_to_bot,
    write,
)
from bots.protocol import Clock, ClockSpec
from engine.core import Game
from engine.core.observer import Chronicle
from engine.plugin import load
from engine.registry import Registration, add_game, find_game, find_plugin

_REHEARSED: Final = 6
"""The number of messages of each match in a rehearsal: enough to touch the memory that a whole match touches, in a millisecond or two."""
_SECONDS: Final = 1.0
"""The most seconds for recording a match; only the beginning of a longer match is used."""
_BOT: Final = BotVersion("warm", "", "bots.reference.random", "Random")


class WarmMatch(msgspec.Struct, frozen=True):
    """A match to play beforehand."""

    game: str
    options: dict[str, OptionText]
    players: int


class Preparation(msgspec.Struct, frozen=True):
    """The environment of a host's bots: the registrations of their games, matches to play, and the packages that bots may import."""

    registrations: tuple[Registration, ...]
    matches: tuple[WarmMatch, ...]
    packages: tuple[str, ...] = ()


class _Recorded:
    """A connection that replays messages of a host."""

    def __init__(self, lines: list[bytes]) -> None:
        self._lines = iter(lines)

    def read(self) -> ToBot | None:
        """Return the next message, None at the end."""
        line = next(self._lines, None)
        return None if line is None else read_to_bot(line)

    def write(self, message: FromBot) -> None:
        """Encode the message, to do the work of sending it. Raises RuntimeError for a failure, which can't be the bot's fault."""
        write(message)
        if isinstance(message, Failure):
            raise RuntimeError(message.detail)


def _play(messages: list[bytes]) -> None:
    """Play a match by a host's messages, as a bot does."""
    Session(unpack(pack(_BOT)), _Recorded(messages)).run()


def _messages(game: Game, players: int) -> list[bytes]:
    """Return the messages of a host to seat 0 in a random match."""
    rng = Random(1)
    state = game.new(players, 1)
    chronicle = Chronicle(state)
    spec = ClockSpec()
    match = Match(
        protocol=PROTOCOL, game=game.name, options=encode_options(dict(game.options)), players=players, seat=0, seed=1, clock=spec,
        opening=chronicle.opening(0),
    )  # fmt: skip
    lines = [write(match)]
    since = 0
    late = monotonic() + _SECONDS
    while (actor := state.actor) is not None and monotonic() < late:
        if actor == 0 and state.count_moves() > 1:
            lines.append(write(Decide(token="0" * 16, news=encode_news(chronicle.news(0, since)), clock=Clock())))
            since = len(chronicle)
        move = state.random_move(rng)
        state.play(move)
        chronicle.record(actor, move, state)
    return lines


_PLAYED: Final[list[tuple[str, list[bytes]]]] = []
"""The game of each match that was played, and its messages."""


def prepare(message: bytes) -> None:
    """Make the games of a `Preparation`, and play its matches. Raises whatever a game raises."""
    preparation = msgspec.json.decode(message, type=Preparation)
    answer_for_files()
    allow_packages(preparation.packages)
    for registration in preparation.registrations:
        add_game(registration)
        import_module(registration.target.partition(":")[0])  # the registry would report less of an exception
    for match in preparation.matches:
        plugin = find_plugin(match.game.partition(":")[0])
        load(plugin.heuristic)  # for bots that search
        value = load(plugin.value)
        if value is not None:
            value.prepare()  # its weights are in a file, which a locked-down process can't read
        game = find_game(match.game, decode_options(match.options))
        _PLAYED.append((game.name, _messages(game, match.players)))
        _play(_PLAYED[-1][1])


def beginnings(topic: bytes = b"") -> list[list[bytes]]:
    """Return the first messages of the last match of the game ``topic``, or of every match if there is none."""
    played = [messages for name, messages in _PLAYED if name.encode() == topic][-1:] or [messages for _, messages in _PLAYED]
    return [messages[:_REHEARSED] for messages in played]


def rehearse(topic: bytes = b"") -> None:
    """Play the beginning of a match of the game ``topic`` again, without touching the memory of other games."""
    for messages in beginnings(topic):
        _play(messages)
