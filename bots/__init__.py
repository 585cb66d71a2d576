"""The API for contestants: the interface of bots, the information they receive, and the reference bots.

A bot is any class with a method ``choose``; it needs no base class. It may also have the methods ``start``, called once before the first
decision, and ``finish``, called when the match is over:

>>> import random
>>> from bots import Clock, MatchInfo, Move, State, View
>>> class AnyMove:
...     def start(self, info: MatchInfo) -> None:
...         self.rng = random.Random(info.seed)
...
...     def choose(self, view: View[State], clock: Clock) -> Move:
...         return view.legal_moves.random(self.rng)

`load_bot` creates a bot in this process, to play or train against:

>>> from bots import load_bot
>>> from engine.registry import find_game
>>> state = find_game("tongiaki").new(2, 7)
>>> greedy = load_bot("greedy", MatchInfo(state.game, players=2, seat=0, seed=1))
>>> move = greedy.choose(state.view(0), Clock())
>>> move in state.legal_moves
True

`evaluate` returns each seat's expected points, as estimated by the reference bot ``expert``:

>>> from bots import evaluate
>>> [round(points, 1) for points in evaluate(state.view(0))]
[22.5, 22.5]

The names in ``__all__`` are public and stable; everything else in this package may change. Each name is imported when it is first used, so
that bot processes and the sandbox load no more than they need.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bots.errors import BotError
    from bots.loader.loading import load_bot
    from bots.loader.reference_bots import REFERENCE_BOTS
    from bots.protocol import Bot, Clock, ClockMode, ClockSpec, MatchEnd, MatchInfo
    from bots.values import evaluate
    from engine.core import Game, Move, State, View
    from engine.core.observer import News

__all__ = [
    "REFERENCE_BOTS",
    "Bot",
    "BotError",
    "Clock",
    "ClockMode",
    "ClockSpec",
    "Game",
    "MatchEnd",
    "MatchInfo",
    "Move",
    "News",
    "State",
    "View",
    "evaluate",
    "load_bot",
]

if not TYPE_CHECKING:
    _MODULES = {
        "bots.values": ("evaluate",),
        "bots.loader.loading": ("REFERENCE_BOTS", "BotError", "load_bot"),
        "bots.protocol": ("Bot", "Clock", "ClockMode", "ClockSpec", "MatchEnd", "MatchInfo"),
        "engine.core": ("Game", "Move", "State", "View"),
        "engine.core.observer": ("News",),
    }

    def __getattr__(name: str) -> object:
        for module, names in _MODULES.items():
            if name in names:
                value = globals()[name] = getattr(import_module(module), name)
                return value
        raise AttributeError(f"module 'bots' has no attribute '{name}'")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
