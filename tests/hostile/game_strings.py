"""Names of games as an attacker writes them: every game of OpenSpiel with parameters of absurd sizes, games within games, and garbage."""

from __future__ import annotations

from random import Random
from typing import Any

KILLERS = (
    "universal_poker(numSuits=200,numRanks=200)",
    "universal_poker(numSuits=5)",
    "y(board_size=1000)",
    "havannah(board_size=1500)",
    "hex(board_size=300)",
    "normal_form_extensive_game(game=leduc_poker())",
    "nim(pile_sizes=1000000;1000000;1000000)",
    "cliff_walking(height=2000000000,width=2000000000)",
)
"""Games that ended a process, held it for half a minute, or took gigabytes."""
NUMBERS = (0, -1, 1, 2, 3, 5, 14, 60, 200, 1000, 65_536, 1_000_000, 2_000_000_000, 2**31, 10**30)
TEXTS = ("x", "1000000;1000000;1000000", "/etc/passwd", "9" * 300, "()", "a(b=c)", "\u202e")
DEEPEST = 3


def game_string(random: Random, depth: int = 0) -> str:
    """Return a game with some of its parameters changed."""
    if depth == 0 and random.random() < 0.1:
        return random.choice(KILLERS)
    import pyspiel  # it comes with the extra dev

    kind: Any = random.choice(pyspiel.registered_games())
    given = []
    for key, default in kind.parameter_specification.items():
        if default == {} and depth < DEEPEST:
            given.append(f"{key}={game_string(random, depth + 1)}")
        elif random.random() < 0.5:
            given.append(f"{key}={_value(random, default)}")
    return f"{kind.short_name}({','.join(given)})"


def _value(random: Random, default: object) -> str:
    if isinstance(default, bool) or random.random() < 0.05:
        return random.choice(("True", "False", "", "None"))
    if isinstance(default, int):
        return str(random.choice(NUMBERS))
    if isinstance(default, float):
        return random.choice(("0.0", "-1.0", "1e300", "nan", "inf"))
    return random.choice(TEXTS)
