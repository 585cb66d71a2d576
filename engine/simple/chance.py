"""``Chance``: the dice and draws of one move, derived from the seed, and the events that report them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from random import Random
from typing import Any, Final, TypeVar, final

from engine.core import ChanceOutcome, PositionError
from engine.text import listed

ROLL: Final = "roll"
"""The first word of the event that reports a roll of a die."""
DRAW: Final = "draw"
"""The first word of a draw in the outcomes of ``State.chance``; draws are not reported as events."""
_TAKEN: Final = frozenset(["", "chose", "known"])  # engine.core.observer adds events that begin with these words

_T = TypeVar("_T")


class Chance:
    """The dice, draws and announcements of one move; the results are derived from the match's seed and the number of the move."""

    __slots__ = ("_drawn", "_players", "_pool", "_rng", "_seed", "_turn", "events", "private")

    def __init__(self, seed: int | None, turn: int, players: int) -> None:
        self._seed = seed
        self._turn = turn
        self._players = players
        self._drawn = 0
        self._pool = 0  # a random integer, from which draws are taken by division
        self._rng: Random | None = None
        self.events: list[str] = []
        self.private: dict[int, list[str]] = {}

    def roll(self, sides: int = 6) -> int:
        """Roll a die openly and return a number from 1 to ``sides``. All seats get the event ``roll N``, and the replay records it."""
        _check_die(sides)
        number = self._below(sides) + 1
        self.events.append(f"{ROLL} {number}")
        return number

    def draw(self, items: list[_T]) -> _T:
        """Remove an item drawn uniformly at random from the list, and return it. There is no event."""
        _check_list(items)
        if not items:
            raise ValueError("there is nothing to draw: the list is empty")
        return items.pop(self._below(len(items)))

    def shuffle(self, items: list[Any]) -> None:
        """Shuffle the list in place. There is no event."""
        _check_list(items)
        self.rng.shuffle(items)

    @property
    def rng(self) -> Random:
        """A generator for other random choices, whose outcomes can't be listed. Raises PositionError in a position without a seed."""
        if self._rng is None:
            self._rng = Random(self._below(2**64))
        return self._rng

    def tell(self, event: str, *seats: int) -> None:
        """Announce an event, a single line of text, to these seats, or to everybody if no seat is given."""
        if not event.isprintable() or event.split(" ", 1)[0] in _TAKEN:
            raise ValueError(
                f"{event!r:.60} can't be announced: an event must be one printable line that doesn't begin with 'known' or 'chose'"
            )
        if not seats:
            self.events.append(event)
        for seat in seats:
            if not 0 <= seat < self._players:
                raise ValueError(f"{event!r:.60} can't be announced to seat {seat}: there is no such seat")
            self.private.setdefault(seat, []).append(event)

    def _below(self, count: int) -> int:
        """Return a number from 0 to ``count - 1``, uniformly up to a bias of one in 2**64."""
        if self._pool < count << 64:
            if self._seed is None:
                raise PositionError("this position has no seed, so random events can't be generated from it; use view.sample(rng) instead")
            self._drawn += 1
            self._pool = int.from_bytes(blake2b(f"{self._seed} {self._turn} {self._drawn}".encode()).digest(), "big")
        self._pool, number = divmod(self._pool, count)
        return number


class OpenError(BaseException):
    """Raised by ``ToldChance`` to list the possible outcomes where none is given; a BaseException, so that rules don't catch it."""

    def __init__(self, outcomes: Sequence[ChanceOutcome]) -> None:
        super().__init__()
        self.outcomes = outcomes


@final
class ToldChance(Chance):
    """A ``Chance`` that begins with the outcomes in ``told``. After them, the seed decides; with ``asks``, OpenError is raised instead."""

    __slots__ = ("_asks", "_told")

    def __init__(self, told: Sequence[str], seed: int | None, turn: int, players: int, *, asks: bool = False) -> None:
        super().__init__(seed, turn, players)
        self._told = list(told)
        self._asks = asks

    def roll(self, sides: int = 6) -> int:
        """Roll a die openly."""
        _check_die(sides)
        if not self._is_told([ChanceOutcome(f"{ROLL} {number}", 1 / sides) for number in range(1, sides + 1)]):
            return super().roll(sides)
        self.events.append(self._told.pop(0))
        return int(self.events[-1].removeprefix(f"{ROLL} "))

    def draw(self, items: list[_T]) -> _T:
        """Remove one of the items from the list; equal items are one outcome, with a probability proportional to their number."""
        _check_list(items)
        kinds: dict[str, list[int]] = {}
        for index, text in enumerate(_texts(items)):
            kinds.setdefault(f"{DRAW} {text}", []).append(index)
        if len(kinds) == 1:
            return items.pop()
        if not items or not self._is_told([ChanceOutcome(event, len(alike) / len(items)) for event, alike in kinds.items()]):
            return super().draw(items)
        return items.pop(kinds[self._told.pop(0)][0])

    def shuffle(self, items: list[Any]) -> None:
        """Shuffle the list in place by drawing its items one by one; the item drawn first comes first."""
        _check_list(items)
        rest = items.copy()
        items.clear()
        while rest and (self._told or self._asks):
            items.append(self.draw(rest))
        if rest:
            super().shuffle(rest)
        items += rest

    @property
    def rng(self) -> Random:
        """A generator for other random choices. With ``asks``, raises PositionError, since their outcomes can't be listed."""
        if self._asks:
            raise PositionError("these rules draw with chance.rng, whose outcomes can't be listed; use roll, draw or shuffle instead")
        return super().rng

    def check_end(self) -> None:
        """Raise PositionError if an outcome in ``told`` was not used."""
        if self._told:
            raise PositionError(f"'{self._told[0]}' can't happen: the move has no further chance events")

    def _is_told(self, outcomes: Sequence[ChanceOutcome]) -> bool:
        """Return whether ``told`` contains the next outcome. Raises PositionError if this outcome is not among ``outcomes``."""
        if not self._told:
            if self._asks:
                raise OpenError(outcomes)
            return False
        if not any(self._told[0] == event for event, _ in outcomes):
            raise PositionError(f"'{self._told[0]}' can't happen; possible events: {listed([event for event, _ in outcomes])}")
        return True


def asked(happen: Callable[[], object]) -> Sequence[ChanceOutcome]:
    """Call ``happen`` and return the outcomes of the OpenError that it raises, or an empty tuple if it raises none."""
    try:
        happen()
    except OpenError as question:
        return question.outcomes
    return ()


def _check_die(sides: int) -> None:
    if not isinstance(sides, int) or sides < 1:
        raise ValueError(f"chance.roll needs a die of 1 or more sides, not of {sides!r:.60}")


def _check_list(items: list[Any]) -> None:
    if not isinstance(items, list):
        raise TypeError(f"chance.draw and chance.shuffle need a list, not {items!r:.60}")


def _texts(items: Sequence[object]) -> list[str]:
    """Return a text for each item; texts are equal if and only if the items are."""
    if all(isinstance(item, str) and item.isprintable() for item in items):
        return [str(item) for item in items]
    return [repr(item) for item in items]
