"""On import, this module registers every installed game with Gymnasium, as ``TileArena/Tongiaki-v0`` and so on.

In ``gymnasium.make("arena.environments.registration:TileArena/Tongiaki-v0", seat=None)``, the part before the colon makes Gymnasium
import this module. Without it, a program must import the module first, because Gymnasium 1.0 and later ignore entry points.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, Final

import gymnasium

from arena.environments import gym, vector
from arena.environments.arguments import read_opponents
from arena.environments.game_adapter import VERSION
from engine.registry import find_game, single_games

if TYPE_CHECKING:
    from gymnasium.vector import VectorEnv

    from arena.environments.gym_env import SeatEnv

NAMESPACE: Final = "TileArena"

_OURS: Final = frozenset(
    name
    for name, parameter in (*signature(gym).parameters.items(), *signature(vector).parameters.items())
    if parameter.kind is Parameter.KEYWORD_ONLY
)
"""The keyword arguments of environments; all other keyword arguments are options of games."""


def env_id(game: str) -> str:
    """Return the id under which a game is registered."""
    words = re.findall(r"[A-Za-z0-9]+", game)
    return f"{NAMESPACE}/{''.join(word[0].upper() + word[1:] for word in words)}-v{VERSION}"


def make(game: str, opponents: Sequence[str] | None = None, **options: Any) -> SeatEnv:
    """Return an environment for the game (see ``arena.environments.gym``), by default with as few opponents as possible, all ``random``."""
    if opponents is None:
        rules = {name: value for name, value in options.items() if name not in _OURS}
        opponents = ["random"] * (find_game(game, rules).min_players - 1)
    return gym(game, opponents=opponents, **options)


def make_vec(game: str, num_envs: int = 1, players: int | None = None, **options: Any) -> VectorEnv[Any, Any, Any]:
    """Return a vector environment (see ``arena.environments.vector``), by default with as few players as the game allows."""
    if players is None:
        rules = {name: value for name, value in options.items() if name not in _OURS}
        opponents = options.get("opponents")
        players = find_game(game, rules).min_players if opponents is None else len(read_opponents(opponents)) + 1
    return vector(game, players, num_envs, **options)


def register() -> None:
    """Register all games not registered yet, except families such as OpenSpiel; for their games, use ``arena.environments.gym``."""
    for game in single_games():
        if env_id(game) not in gymnasium.registry:
            here = "arena.environments.registration"
            gymnasium.register(env_id(game), entry_point=f"{here}:make", vector_entry_point=f"{here}:make_vec", kwargs={"game": game})


register()
