"""Prepares the process that forks bots: it learns its games, and plays matches of them, so that the bots forked afterwards run faster.

Python specialises code as it runs, and a forked process inherits that. Modules that a game imports when it is made or played are loaded
here, since a locked-down process can't load them.
"""

from __future__ import annotations

from importlib import import_module
from random import Random
from time import monotonic
from typing import Final

import msgspec

from bots.loader.in_memory import answer_for_files
from bots.loader.suggestions import allow_packages
from bots.messages import Decide, OptionText, decode_options, encode_news, read_to_bot, write
from bots.protocol import Clock
from engine.core import Game
from engine.core.observer import Chronicle, News, Observer
from engine.plugin import load
from engine.registry import Registration, add_game, find_game, find_plugin

_SECONDS: Final = 1.0
"""The most seconds for playing a match."""


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


def _play(game: Game, players: int) -> None:
    """Play a random match as a bot's process follows it, or its beginning, if it is a long one."""
    rng, state = Random(1), game.new(players, 1)
    chronicle = Chronicle(state)
    observer = Observer(game, players, 0, chronicle.opening(0))
    late = monotonic() + _SECONDS
    while (actor := state.actor) is not None and monotonic() < late:
        move = state.random_move(rng)
        state.play(move)
        chronicle.record(actor, move, state)
        message = read_to_bot(write(Decide(token="", news=encode_news(chronicle.news(0, len(chronicle) - 1)), clock=Clock())))
        assert isinstance(message, Decide)
        for item in message.news:
            observer.observe(News(item.seat, item.move, item.events))
        if state.actor == 0:
            list(observer.view().legal_moves)


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
        _play(find_game(match.game, decode_options(match.options)), match.players)
