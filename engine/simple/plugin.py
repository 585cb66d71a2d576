"""``simple_game``: creates the plug-in of a game whose rules are one class."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from copy import copy
from typing import Any, Final, TypeAlias, TypeVar

import msgspec
from msgspec import inspect as kinds

from engine.core import Game, OptionsError, OptionValue
from engine.plugin import GamePlugin, Part
from engine.simple.game import SimpleGame
from engine.simple.position import Position

OptionRule: TypeAlias = tuple[Any, Container[Any]]
"""An option's default and allowed values: ``(7, range(3, 14))``, ``("long", ("long", "short"))``, ``(False, (False, True))``."""


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
    """Return the plug-in of the game whose rules are the class ``rules``.

    ``name`` is the name of the entry point. ``players`` are the smallest and the largest number of players. ``options`` maps each option to
    its default and its allowed values. ``parts`` are further fields of ``GamePlugin``, such as ``heuristic``; ``summary`` defaults to the
    first line of the class's docstring. Increase ``rules_version`` whenever the same moves no longer lead to the same positions.

    Raises TypeError or ValueError for a mistake, such as a field that can't be copied or written as text.
    """
    known = dict(options or {})
    copy = copier(rules)
    if not isinstance(players, tuple) or len(players) != 2 or not 1 <= players[0] <= players[1]:
        raise ValueError(f"players={players!r} of {name} must be a tuple of the smallest and the largest number of players, such as (2, 4)")
    if rules.hide is not Position.hide and rules.fill is Position.fill:
        raise TypeError(f"{rules.__name__} has 'hide' but no method 'fill', which must put random values in place of what 'hide' removes")
    for option, rule in known.items():
        if not isinstance(rule, tuple) or len(rule) != 2 or not isinstance(rule[1], Container):
            raise TypeError(f"option '{option}' of {name} is {rule!r:.60}; give its default and allowed values, such as (7, range(3, 14))")
        default, allowed = rule
        if default not in allowed:
            raise ValueError(f"the default of option '{option}' of {name} is {default!r}, which is not an allowed value")

    def make(given: Mapping[str, OptionValue]) -> Game:
        for option in given:
            if option not in known:
                raise OptionsError(f"{name} has no option {option!r:.60}; it has {', '.join(known) or 'none'}")
        values = {option: _accepted(option, given.get(option, rule[0]), rule) for option, rule in known.items()}
        return SimpleGame(name, rules, copy, players, rules_version, values)

    parts.setdefault("summary", (rules.__doc__ or "").strip().partition("\n")[0])
    parts.setdefault("samples", tuple(({}, seats) for seats in sorted(set(players))))
    return GamePlugin(title=title, make=make, **parts)  # type: ignore[arg-type]  # fields of the record, by name


def _accepted(option: str, value: Any, rule: OptionRule) -> Any:
    default, allowed = rule
    if isinstance(default, float) and type(value) is int:
        value = float(value)
    if type(value) is not type(default) or value not in allowed:
        raise OptionsError(f"option '{option}' is {value!r:.60}; it must be {_said(allowed)}")
    return value


def _said(allowed: Container[Any]) -> str:
    if isinstance(allowed, range) and allowed.step == 1:
        return f"{allowed.start} to {allowed.stop - 1}"
    return f"one of {', '.join(map(str, allowed))}" if isinstance(allowed, Sequence) else str(allowed)


_P = TypeVar("_P", bound=Position)
_SHARED: Final = (
    kinds.IntType,
    kinds.FloatType,
    kinds.StrType,
    kinds.BoolType,
    kinds.NoneType,
    kinds.BytesType,
    kinds.EnumType,
    kinds.LiteralType,
)
"""Immutable types; their values are shared between copies."""
_ATOMS: Final = frozenset([int, float, str, bool, type(None), bytes])
_KEYS: Final = (kinds.IntType, kinds.StrType, kinds.EnumType, kinds.LiteralType)


def copier(rules: type[_P]) -> Callable[[_P], _P]:
    """Return a function that copies positions of the class ``rules``.

    Raises TypeError for a class whose positions can't be written as text and read back unchanged.
    """
    _check_names(rules)
    info = kinds.type_info(rules)
    assert isinstance(info, kinds.StructType), "a position is a struct"
    mutable = [each.name for each in info.fields if _is_mutable(each.type, f"field '{each.name}' of {rules.__name__}", {rules})]

    def copied(position: _P) -> _P:
        other: _P = position.__copy__()  # type: ignore[attr-defined]  # every Struct has it
        for name in mutable:
            setattr(other, name, _copied(getattr(other, name)))
        return other

    return copied


def _check_names(rules: type[Position]) -> None:
    for owner in rules.__mro__[: rules.__mro__.index(Position)]:
        typed = getattr(owner, "__annotations__", {})
        if twice := typed.keys() & set(Position.__struct_fields__):
            raise TypeError(f"'{min(twice)}' is a field that every position has; give the field of {rules.__name__} a different name")
        for name, value in vars(owner).items():
            if isinstance(value, list | dict | set) and name not in typed and not name.startswith("__"):
                raise TypeError(f"'{name}' of {rules.__name__} has no type: write '{name}: {type(value).__name__}[...]' for a field")
    methods = {name for name, value in vars(Position).items() if callable(value) or isinstance(value, staticmethod)}
    for name in sorted(methods & set(rules.__struct_fields__)):
        raise TypeError(f"field '{name}' of {rules.__name__} has the name of a method; give it a different name")


def _is_mutable(kind: kinds.Type, where: str, seen: set[type]) -> bool:
    """Return whether values of that type must be copied. Raises TypeError if they can't be written as text and read back."""
    match kind:
        case _ if isinstance(kind, _SHARED):
            return False
        case kinds.ListType(item_type=item):
            _is_mutable(item, where, seen)
            return True
        case kinds.VarTupleType(item_type=item):
            return _is_mutable(item, where, seen)
        case kinds.DictType(key_type=key, value_type=value):
            if not isinstance(key, _KEYS):
                raise TypeError(f"{where} is a dict whose keys are neither strings nor integers, so it can't be written as text")
            _is_mutable(value, where, seen)
            return True
        case kinds.TupleType(item_types=several) | kinds.UnionType(types=several):
            return True in [_is_mutable(each, where, seen) for each in several]
        case kinds.StructType(cls=cls, fields=fields):
            if cls not in seen:
                for field in fields:
                    _is_mutable(field.type, f"field '{field.name}' of {cls.__name__}", seen | {cls})
            return True
        case kinds.SetType() | kinds.FrozenSetType():
            raise TypeError(f"{where} is a set, whose order differs from process to process; use a list or a dict")
        case kinds.AnyType():
            raise TypeError(f"{where} has no element type: write list[int] instead of list, tuple[int, ...] instead of tuple")
        case kinds.DataclassType(cls=cls):
            raise TypeError(f"{where} is a dataclass: make {cls.__name__} a struct instead, as in class {cls.__name__}(msgspec.Struct)")
        case _:
            raise TypeError(f"{where} can't be written and read back; use numbers, strings, lists, tuples, dicts and structs")


def _copied(value: Any) -> Any:
    if isinstance(value, list):
        return [each if type(each) in _ATOMS else _copied(each) for each in value]
    if isinstance(value, tuple):
        return tuple([_copied(each) for each in value])
    if isinstance(value, dict):
        return {key: _copied(each) for key, each in value.items()}
    if isinstance(value, msgspec.Struct):
        other = copy(value)
        for name in value.__struct_fields__:
            msgspec.structs.force_setattr(other, name, _copied(getattr(value, name)))
        return other
    return value
