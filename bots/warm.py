"""Plays a short match of each game when it is imported: what a zygote has run already, the bots it forks run faster.

Python specialises code as it runs, and a forked process inherits that. Nothing of these matches is kept but the warmth.
"""

from __future__ import annotations

from random import Random
from typing import Final

from bots.loading import BotVersion
from bots.protocol import Clock, ClockSpec
from bots.sdk import Session
from bots.wire import PROTOCOL, Decide, FromBot, Match, ToBot, options_told, read_to_bot, told, write
from engine.core import OptionValue
from engine.following import Chronicle
from engine.games import find_game

_GAMES: Final[tuple[tuple[str, dict[str, OptionValue], int], ...]] = (
    ("tongiaki", {}, 2),
    ("tongiaki", {}, 4),
    ("sunda", {"level": 5}, 2),
    ("sunda", {"level": 5, "mode": "simultaneous"}, 2),
)
_BOT: Final = BotVersion("warm", "", "bots.reference.random", "Random")


class _Recorded:
    """Messages as a host sent them, in place of the host."""

    def __init__(self, lines: list[bytes]) -> None:
        self._lines = iter(lines)

    def read(self) -> ToBot | None:
        """The next message."""
        line = next(self._lines, None)
        return None if line is None else read_to_bot(line)

    def write(self, message: FromBot) -> None:
        """As much work as sending it."""
        write(message)


def warm() -> None:
    """Play, as a bot does, what a host might have told."""
    for name, options, players in _GAMES:
        Session(_BOT, _Recorded(_messages(name, options, players))).run()


def _messages(name: str, options: dict[str, OptionValue], players: int) -> list[bytes]:
    """All that a host tells seat 0 in a random match."""
    game = find_game(name, options)
    rng = Random(1)
    state = game.new(players, 1)
    chronicle = Chronicle(state)
    spec = ClockSpec()
    match = Match(
        protocol=PROTOCOL, game=name, options=options_told(dict(game.options)), players=players, seat=0, seed=1, clock=spec,
        opening=chronicle.opening,
    )  # fmt: skip
    lines = [write(match)]
    since = 0
    while (actor := state.actor) is not None:
        if actor == 0 and state.count_moves() > 1:
            lines.append(write(Decide(token="0" * 16, news=told(chronicle.news(0, since)), clock=Clock())))
            since = len(chronicle)
        move = state.random_move(rng)
        state.play(move)
        chronicle.record(actor, move, state)
    return lines


warm()
