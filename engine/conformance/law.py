"""What a law is: a name, a sentence, and a check that raises ``LawError`` where a game breaks it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn, TypeAlias

if TYPE_CHECKING:
    from engine.conformance.trials import Trial

Check: TypeAlias = Callable[["Trial"], None]
CheckOfAll: TypeAlias = Callable[["Sequence[Trial]"], None]


class LawError(Exception):
    """Raised by a check where the law is broken; the sentence says how.

    The complaint shows the moves of ``trial``, or of the one that is being checked, up to decision ``at``, or to where it was last.
    """

    def __init__(self, sentence: str, *, trial: Trial | None = None, at: int | None = None) -> None:
        super().__init__(sentence)
        self.trial = trial
        self.at = at


class SkipError(Exception):
    """Raised by a check that has nothing to look at; the text says why."""


@dataclass(frozen=True, slots=True)
class Law:
    """One law: ``check`` looks at one random game at a time, or ``check_all`` at all of them together."""

    name: str
    sentence: str
    check: Check | None = None
    check_all: CheckOfAll | None = None


def law(name: str, sentence: str) -> Callable[[Check], Law]:
    """Make a law of a function that checks one random game."""
    return lambda check: Law(name, sentence, check=check)


def law_of_all(name: str, sentence: str) -> Callable[[CheckOfAll], Law]:
    """Make a law of a function that checks all random games together."""
    return lambda check: Law(name, sentence, check_all=check)


def broken(sentence: str) -> NoReturn:
    """Raise LawError."""
    raise LawError(sentence)
