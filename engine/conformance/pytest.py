"""Runs the laws as pytest tests in a game's own repository, with one line in a test module::

    from engine.conformance.pytest import conformance

    test_rules = conformance("my-game")

This creates one test for each law. The game must be installed; ``pip install -e .`` is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import pytest

from engine.conformance.battery import LAWS, Battery, Status, tables_of
from engine.conformance.trials import LONGEST, Law
from engine.core import EngineError, OptionValue

__all__ = ["conformance"]


def conformance(
    name: str,
    options: Mapping[str, OptionValue] | None = None,
    players: int | None = None,
    *,
    games: int = 2,
    seed: int = 0,
    longest: int = LONGEST,
    without: Sequence[str] = (),
) -> Callable[[Law], None]:
    """Return a test that pytest runs once for each law, on random matches of the named game.

    Without ``options`` and ``players``, the plug-in's samples are played or, if there are none, the game with each number of players. Each
    of these is played ``games`` times, for up to ``longest`` decisions. ``without`` holds the names of laws to leave out.
    """
    unknown = set(without) - {law.name for law in LAWS}
    if unknown:
        raise ValueError(f"unknown law '{min(unknown)}' in 'without'")

    @cache
    def battery() -> Battery:
        return Battery(tables_of(name, options, players), games=games, seed=seed, longest=longest)

    @pytest.mark.parametrize("law", [pytest.param(law, id=law.name) for law in LAWS if law.name not in without])
    def test_law(law: Any) -> None:
        try:
            verdict = battery().verdict(law)
        except EngineError as error:
            pytest.fail(str(error), pytrace=False)
        if verdict.status is Status.SKIPPED:
            pytest.skip(verdict.reason)
        if verdict.status is Status.BROKEN:
            pytest.fail(str(verdict), pytrace=False)

    made: Callable[[Law], None] = test_law
    return made
