"""The game engine: rules, states, moves and replays. Authors of games and bots import everything that they need from this module.

A game creates states, moves are played on a state, and a view is what one seat may know of a state::

    >>> from random import Random
    >>> from engine import find_game
    >>> game = find_game("tongiaki")
    >>> state = game.new(players=2, seed=7)
    >>> state.actor, len(state.legal_moves)
    (0, 6)
    >>> state.play(game.parse("place 2"))
    >>> view = state.view(seat=1)
    >>> state.play(view.legal_moves.random(Random(1)))

``playout`` plays the rest of the game at random and returns the outcome; pass a copy to keep the state::

    >>> from engine import playout
    >>> outcome = playout(state.copy(), Random(2))
    >>> sorted(outcome.ranks)
    [1, 2]

The ``repr`` of a game, state, view, move or outcome is an expression that recreates it, using the names in this module::

    >>> state.legal_moves[0]
    find_game('tongiaki').parse('place 0')
    >>> find_game("sunda", {"level": 5}).options["mode"]
    'turns'
    >>> state.view(0) == eval(repr(state.view(0)))
    True

Invalid input raises an ``EngineError`` whose message says why::

    >>> game.parse("place two")
    Traceback (most recent call last):
    engine.core.errors.InvalidMoveError: ...

The rest is described in docs/adding-a-bot.md. Anything that is not exported here may change at any time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.build_info import choose

FORM: Final = choose()
"""Whether the engine runs compiled or as plain Python, and why."""

# The form of the engine must be chosen before the rest is imported.
from engine.core import (  # noqa: E402
    ChanceOutcome,
    EngineError,
    Game,
    IllegalMoveError,
    InvalidMoveError,
    LegalMoves,
    Move,
    OptionsError,
    OptionValue,
    Outcome,
    PositionError,
    ReadOnlyError,
    State,
    View,
    World,
    playout,
    shared_ranks,
    worlds_after,
)
from engine.core.chance import perft  # noqa: E402

if TYPE_CHECKING:
    from engine.core.observer import Chronicle, News
    from engine.plugin import GamePlugin
    from engine.records import Chance, Decision, Forfeit, Replay
    from engine.registry import find_game, game_names
    from engine.replay.format import Recorder, ReplayError, read_replay, write_replay
    from engine.replay.verifier import DisagreementError, state_at, verify_replay, walk

__all__ = [
    "FORM",
    "Chance",
    "ChanceOutcome",
    "Chronicle",
    "Decision",
    "DisagreementError",
    "EngineError",
    "Forfeit",
    "Game",
    "GamePlugin",
    "IllegalMoveError",
    "InvalidMoveError",
    "LegalMoves",
    "Move",
    "News",
    "OptionValue",
    "OptionsError",
    "Outcome",
    "PositionError",
    "ReadOnlyError",
    "Recorder",
    "Replay",
    "ReplayError",
    "State",
    "View",
    "World",
    "find_game",
    "game_names",
    "perft",
    "playout",
    "read_replay",
    "shared_ranks",
    "state_at",
    "verify_replay",
    "walk",
    "worlds_after",
    "write_replay",
]

_LATER: Final = {
    "engine.records": ("Chance", "Decision", "Forfeit", "Replay"),
    "engine.plugin": ("GamePlugin",),
    "engine.registry": ("find_game", "game_names"),
    "engine.replay.format": ("Recorder", "ReplayError", "read_replay", "write_replay"),
    "engine.core.observer": ("Chronicle", "News"),
    "engine.replay.verifier": ("DisagreementError", "state_at", "verify_replay", "walk"),
}
"""The names that are imported on first use, because their modules import this package."""

if not TYPE_CHECKING:  # so that a type checker knows these names and no others

    def __getattr__(name: str) -> object:
        from importlib import import_module  # noqa: PLC0415  # seldom needed

        for module, names in _LATER.items():
            if name in names:
                value = globals()[name] = getattr(import_module(module), name)
                return value
        raise AttributeError(f"module 'engine' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
