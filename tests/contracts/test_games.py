"""Every registered game keeps the laws of games: at its samples always, and at more tables where slow tests are run."""

from __future__ import annotations

import pytest

from engine.conformance.pytest import conformance
from engine.core import OptionValue
from engine.registry import find_game, find_plugin, game_names

SINGLE = [name for name in game_names() if not find_plugin(name).is_family]
"""Games by themselves; the members of families have tests of their own."""
OPTIONS: list[dict[str, OptionValue]] = [
    {"level": 0},
    {"level": 2, "pots": "private"},
    {"level": 3, "mode": "simultaneous", "pots": "private"},
    {"level": 4, "pots": "private"},
    {"level": 5, "mode": "simultaneous", "pots": "private"},
]
"""Options of Sunda to Sahul that together reach all of its rules."""

for _name in SINGLE:
    globals()[f"test_{_name}"] = conformance(_name, games=1)
    _facts = find_game(_name)
    for _players in range(_facts.min_players, _facts.max_players + 1):
        globals()[f"test_{_name}_for_{_players}"] = pytest.mark.slow(conformance(_name, players=_players, games=2, seed=100))
for _number, _options in enumerate(OPTIONS):
    globals()[f"test_sunda_with_options_{_number}"] = pytest.mark.slow(conformance("sunda", _options, games=1, seed=200))
