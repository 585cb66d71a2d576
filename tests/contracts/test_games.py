"""Every registered game keeps the laws of games: at one of its samples always, and at more tables where slow tests are run."""

from __future__ import annotations

import pytest

from engine.conformance import tables_of
from engine.conformance.pytest import conformance
from engine.core import OptionValue
from engine.registry import find_game, single_games

SINGLE = single_games()
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
    *_others, _sample = tables_of(_name)
    globals()[f"test_{_name}"] = conformance(_name, _sample.options, _sample.players, games=1)
    for _number, _table in enumerate(_others):
        globals()[f"test_{_name}_at_sample_{_number}"] = pytest.mark.slow(conformance(_name, _table.options, _table.players, games=1))
    _facts = find_game(_name)
    for _players in range(_facts.min_players, _facts.max_players + 1):
        globals()[f"test_{_name}_for_{_players}"] = pytest.mark.slow(conformance(_name, players=_players, games=1, seed=100))
for _number, _options in enumerate(OPTIONS):
    globals()[f"test_sunda_with_options_{_number}"] = pytest.mark.slow(conformance("sunda", _options, games=1, seed=200))
