"""The plug-in of a game whose rules are a class of positions."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import Any, TypeAlias

from engine.core import Game, OptionsError, OptionValue
from engine.plugin import GamePlugin, Part
from engine.simple.fields import copier
from engine.simple.game import SimpleGame
from engine.simple.position import Position

OptionRule: TypeAlias = tuple[Any, Container[Any]]
"""The default of an option, and what it may be: ``(7, range(3, 14))``, ``("long", ("long", "short"))``, ``(False, (False, True))``."""


def simple_game(
    rules: type[Position],
    name: str,
    *,
    title: str,
    players: tuple[int, int],
    rules_version: int = 1,
    options: Mapping[str, OptionRule] | None = None,
    **parts: Part,
) -> GamePlugin:
    """Return the plug-in of a game.

    ``name`` is that of the entry point, ``players`` are the least and the most seats. ``options`` has for each option its default and what
    it may be. ``parts`` are further fields of ``GamePlugin``, such as ``heuristic``; without a ``summary``, it is the first line of the
    docstring of the class. Raise ``rules_version`` whenever the same moves lead elsewhere than before.

    Raises TypeError for fields that can't be copied or written down, ValueError for other mistakes.
    """
    known = dict(options or {})
    copy = copier(rules)
    least, most = players
    if not 1 <= least <= most:
        raise ValueError(f"{name} is for {players!r} players; give the least and the most, from 1 up")
    for option, (default, allowed) in known.items():
        if default not in allowed:
            raise ValueError(f"the default of option '{option}' of {name} is {default!r}, which it may not be")

    def make(given: Mapping[str, OptionValue]) -> Game:
        for option in given:
            if option not in known:
                raise OptionsError(f"{name} has no option {option!r:.60}; it has {', '.join(known) or 'none'}")
        values = {option: _accepted(option, given.get(option, rule[0]), rule) for option, rule in known.items()}
        return SimpleGame(name, rules, copy, players, rules_version, values)

    parts.setdefault("summary", (rules.__doc__ or "").strip().partition("\n")[0])
    parts.setdefault("samples", tuple(({}, seats) for seats in sorted({least, most})))
    return GamePlugin(title=title, make=make, **parts)  # type: ignore[arg-type]  # fields of the record, by name


def _accepted(option: str, value: Any, rule: OptionRule) -> Any:
    default, allowed = rule
    if isinstance(default, float) and type(value) is int:
        value = float(value)
    if type(value) is not type(default) or value not in allowed:
        raise OptionsError(f"option '{option}' is {value!r:.60}; it may be {_said(allowed)}")
    return value


def _said(allowed: Container[Any]) -> str:
    if isinstance(allowed, range) and allowed.step == 1:
        return f"{allowed.start} to {allowed.stop - 1}"
    return ", ".join(map(str, allowed)) if isinstance(allowed, Sequence) else str(allowed)
