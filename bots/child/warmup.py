"""Plays a match of each game when it is imported, so that the bots a zygote forks afterwards run faster.

Python specialises code as it runs, and a forked process inherits that. Every page that a fork writes to is copied at its first touch:
`rehearse` brings that about in a process that still waits for its bot.
"""

from __future__ import annotations

from random import Random
from typing import Final

from bots.child.loop import Session
from bots.loader.codec import pack, unpack
from bots.loader.loading import BotVersion
from bots.messages import PROTOCOL, Decide, FromBot, Match, ToBot, encode_news, encode_options, read_to_bot, write
from bots.protocol import Clock, ClockSpec
from engine.core import OptionValue
from engine.registry import find_game
from engine.replay.observer import Chronicle

_GAMES: Final[tuple[tuple[str, dict[str, OptionValue], int], ...]] = (
    ("tongiaki", {}, 2),
    ("tongiaki", {}, 4),
    ("sunda", {"level": 5}, 2),
    ("sunda", {"level": 5, "mode": "simultaneous"}, 2),
)
_REHEARSED: Final = 6
"""Messages of each match in a rehearsal: enough to touch what a whole match touches, few enough to take a millisecond or two."""
_BOT: Final = BotVersion("warm", "", "bots.reference.random", "Random")


class _Recorded:
    """A connection that replays messages of a host."""

    def __init__(self, lines: list[bytes]) -> None:
        self._lines = iter(lines)

    def read(self) -> ToBot | None:
        """Return the next message, None at the end."""
        line = next(self._lines, None)
        return None if line is None else read_to_bot(line)

    def write(self, message: FromBot) -> None:
        """Encode the message, which is as much work as sending it."""
        write(message)


def _play(messages: list[bytes]) -> None:
    """Play a match by a host's messages, as a bot does."""
    Session(unpack(pack(_BOT)), _Recorded(messages)).run()


def _messages(name: str, options: dict[str, OptionValue], players: int) -> list[bytes]:
    """Return all messages of a host to seat 0 in a random match."""
    game = find_game(name, options)
    rng = Random(1)
    state = game.new(players, 1)
    chronicle = Chronicle(state)
    spec = ClockSpec()
    match = Match(
        protocol=PROTOCOL, game=name, options=encode_options(dict(game.options)), players=players, seat=0, seed=1, clock=spec,
        opening=chronicle.opening(0),
    )  # fmt: skip
    lines = [write(match)]
    since = 0
    while (actor := state.actor) is not None:
        if actor == 0 and state.count_moves() > 1:
            lines.append(write(Decide(token="0" * 16, news=encode_news(chronicle.news(0, since)), clock=Clock())))
            since = len(chronicle)
        move = state.random_move(rng)
        state.play(move)
        chronicle.record(actor, move, state)
    return lines


_TOLD: Final = [_messages(name, options, players) for name, options, players in _GAMES]
for _messages_of_one in _TOLD:
    _play(_messages_of_one)


def rehearse(_payload: bytes = b"") -> None:
    """Play the beginning of each of those matches once more."""
    for messages in _TOLD:
        _play(messages[:_REHEARSED])
