"""The battery as tests of a game's own repository, in one line of a test module::

    from engine.conformance.pytest import conformance

    test_rules = conformance("my-game")

which makes a test of each law. The game has to be installed; ``pip install -e .`` will do.
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
    """Return a test that pytest runs once for each law, over random games of the game of that name.

    What is played follows from ``options`` and ``players`` as in ``arena game check``: by default the samples of the game's plug-in, or
    each number of players. ``games`` are played at each table, of at most ``longest`` decisions. ``without`` names laws to leave out.
    """
    unknown = set(without) - {law.name for law in LAWS}
    if unknown:
        raise ValueError(f"there is no law '{min(unknown)}' to leave out")

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
