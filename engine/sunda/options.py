"""The options of Sunda to Sahul (RULES 4): ``read_options`` checks a mapping and returns ``SundaOptions``."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from enum import StrEnum
from typing import Final, final

from engine.core import OptionsError, OptionValue


class Mode(StrEnum):
    """Whether players take turns or choose simultaneously."""

    TURNS = "turns"
    SIMULTANEOUS = "simultaneous"


class Pots(StrEnum):
    """Whether all players share one pot or each player has a private one."""

    SHARED = "shared"
    PRIVATE = "private"


HIGHEST_LEVEL: Final = 5
LEVEL_NAMES: Final = ("beginner", "water rights", "tribes", "cooperation", "challenges", "resources")
DEFAULT_RESOURCES: Final = (1, 2, 3, 4, 5, 6)
KEYS: Final = ("level", "mode", "pots", "resources")


@final
class SundaOptions:
    """The options of a game (immutable); simultaneous play always has private pots."""

    __slots__ = ("key", "level", "mode", "pots", "resources")

    def __init__(self, level: int, mode: Mode, pots: Pots, resources: tuple[int, ...]) -> None:
        self.level: Final = level
        self.mode: Final = mode
        self.pots: Final = pots
        self.resources: Final = resources
        self.key: Final = hash((level, self.is_simultaneous, self.is_private, resources))
        """The part of a position's hash key that depends on the options."""

    @property
    def is_simultaneous(self) -> bool:
        """Whether the seats choose simultaneously, in ticks."""
        return self.mode is Mode.SIMULTANEOUS

    @property
    def is_private(self) -> bool:
        """Whether each seat has its own pot."""
        return self.pots is Pots.PRIVATE

    def written(self) -> dict[str, OptionValue]:
        """Return all options, in the order in which a replay lists them."""
        return {"level": self.level, "mode": self.mode.value, "pots": self.pots.value, "resources": self.resources}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SundaOptions):
            return NotImplemented
        return self.written() == other.written()

    def __hash__(self) -> int:
        return hash((self.level, self.mode, self.pots, self.resources))

    def __reduce__(self) -> tuple[type[SundaOptions], tuple[int, Mode, Pots, tuple[int, ...]]]:
        return SundaOptions, (self.level, self.mode, self.pots, self.resources)

    def __repr__(self) -> str:
        return f"SundaOptions(level={self.level}, mode={self.mode.value!r}, pots={self.pots.value!r}, resources={self.resources})"


def read_options(options: Mapping[str, object]) -> SundaOptions:
    """Return the options in a mapping, using the defaults for any that are missing.

    Raises OptionsError for an unknown key, a value out of range, or options that contradict each other; the message names the key.
    """
    for key in options:
        if key not in KEYS:
            near = get_close_matches(key, KEYS, n=1, cutoff=0.0)
            raise OptionsError(f"sunda has no option {key!r}; the nearest is {near[0]!r}" if near else f"sunda has no option {key!r}")
    mode = Mode(_word(options, "mode", tuple(Mode)))
    pots = Pots.PRIVATE if mode is Mode.SIMULTANEOUS else Pots.SHARED
    if "pots" in options:
        given = Pots(_word(options, "pots", tuple(Pots)))
        if mode is Mode.SIMULTANEOUS and given is Pots.SHARED:
            raise OptionsError("option 'pots': simultaneous play always has private pots, so it can't be 'shared'")
        pots = given
    return SundaOptions(_level(options), mode, pots, _resources(options))


def _level(options: Mapping[str, object]) -> int:
    level = options.get("level", 0)
    if not isinstance(level, int) or isinstance(level, bool) or not 0 <= level <= HIGHEST_LEVEL:
        raise OptionsError(f"option 'level' must be an integer from 0 to {HIGHEST_LEVEL}, not {level!r}")
    return level


def _word(options: Mapping[str, object], key: str, allowed: tuple[StrEnum, ...]) -> str:
    value = options.get(key, allowed[0].value)
    words = [word.value for word in allowed]
    if not isinstance(value, str) or value not in words:
        raise OptionsError(f"option {key!r} must be {' or '.join(repr(word) for word in words)}, not {value!r}")
    return value


def _resources(options: Mapping[str, object]) -> tuple[int, ...]:
    given = options.get("resources", DEFAULT_RESOURCES)
    values = tuple(given) if isinstance(given, (tuple, list)) else ()
    if len(values) != len(DEFAULT_RESOURCES) or any(not isinstance(v, int) or isinstance(v, bool) or v < 1 for v in values):
        raise OptionsError(f"option 'resources' must be six positive integers, not {given!r}")
    return values
