"""Prepares the process that forks bots: it registers games and plays matches of them, so that bots forked later run faster.

Python specialises code while it runs, and forked processes inherit the specialised code. The matches also load the modules that a game
imports when it is created or played, which a locked-down process could not load.
"""

from __future__ import annotations

from importlib import import_module
from random import Random
from time import monotonic
from typing import Final

import msgspec

from bots.loader.in_memory import answer_for_files
from bots.loader.suggestions import allow_packages
from bots.messages import OptionText, decode_options
from engine.core import Game
from engine.plugin import load
from engine.registry import Registration, add_game, find_game, find_plugin

_SECONDS: Final = 1.0
"""The most seconds spent on playing one match."""


class Preparation(msgspec.Struct, frozen=True):
    """What to prepare for a host's bots: the registrations of their games, and the packages that bots may import.

    ``game`` names the game to be played (empty if not known yet); ``players`` is the smallest number of players in this game.
    """

    registrations: tuple[Registration, ...]
    packages: tuple[str, ...] = ()
    game: str = ""
    options: dict[str, OptionText] = {}
    players: int = 0


def _play(game: Game, players: int) -> None:
    """Play a random match for at most ``_SECONDS``."""
    rng, state, late = Random(1), game.new(players, 1), monotonic() + _SECONDS
    while (actor := state.actor) is not None and monotonic() < late:
        list(state.view(actor).legal_moves)
        state.play(state.random_move(rng))


def prepare(message: bytes) -> None:
    """Register the games of a `Preparation` (``message``, in JSON) and play sample matches of them. Raises whatever a game raises."""
    preparation = msgspec.json.decode(message, type=Preparation)
    answer_for_files()
    allow_packages(preparation.packages)
    for registration in preparation.registrations:
        add_game(registration)
        import_module(registration.target.partition(":")[0])  # the registry would hide the details of an exception
    names = {each.name for each in preparation.registrations} | {preparation.game.partition(":")[0]} - {""}
    for name in sorted(names):
        plugin = find_plugin(name)
        load(plugin.heuristic)  # for bots that search
        value = load(plugin.value)
        if value is not None:
            value.prepare()  # its weights are in a file, which a locked-down process can't read
        for options, players in () if plugin.is_family else plugin.samples:
            _play(find_game(name, dict(options)), players)
    if preparation.game:
        _play(find_game(preparation.game, decode_options(preparation.options)), preparation.players)
