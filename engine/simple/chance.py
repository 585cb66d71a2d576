"""What the seed decides during one move, and the events that report it."""

from __future__ import annotations

from hashlib import blake2b
from random import Random
from typing import Any, Final, final

from engine.core import PositionError

ROLL: Final = "roll"
"""The first word of a die's event in a replay."""
_TAKEN: Final = frozenset(["", "chose", "known"])  # engine.core.observer adds events that begin so


@final
class Chance:
    """Dice, shuffled cards and announcements of one move; all of it follows from the match's seed and the number of the move."""

    __slots__ = ("_drawn", "_players", "_pool", "_rng", "_seed", "_turn", "events", "private")

    def __init__(self, seed: int | None, turn: int, players: int) -> None:
        self._seed = seed
        self._turn = turn
        self._players = players
        self._drawn = 0
        self._pool = 0  # an integer as good as any below its bound, from which numbers are divided off
        self._rng: Random | None = None
        self.events: list[str] = []
        self.private: dict[int, list[str]] = {}

    def roll(self, sides: int = 6) -> int:
        """Roll a die in the open: return 1 to ``sides``. Every seat gets the event ``roll N``, and the replay has it."""
        number = self._below(sides) + 1
        self.events.append(f"{ROLL} {number}")
        return number

    def shuffle(self, items: list[Any]) -> None:
        """Shuffle the list in place, without an event."""
        self.rng.shuffle(items)

    @property
    def rng(self) -> Random:
        """A generator for other chance, without events. Raises PositionError in a position without a seed."""
        if self._rng is None:
            self._rng = Random(self._below(2**64))
        return self._rng

    def tell(self, event: str, *seats: int) -> None:
        """Announce an event in one line: to these seats, or to everybody if none is given."""
        if not event.isprintable() or event.split(" ", 1)[0] in _TAKEN:
            raise ValueError(
                f"{event!r:.60} can't be announced: an event is one printable line that does not begin with 'known' or 'chose'"
            )
        if not seats:
            self.events.append(event)
        for seat in seats:
            if not 0 <= seat < self._players:
                raise ValueError(f"there is no seat {seat} to tell {event!r:.60}")
            self.private.setdefault(seat, []).append(event)

    def _below(self, count: int) -> int:
        """Return 0 to ``count - 1``, uniformly up to a bias of one in 2**64."""
        if self._pool < count << 64:
            if self._seed is None:
                raise PositionError("this position knows no seed, so nothing can be drawn in it: take view.sample(rng)")
            self._drawn += 1
            self._pool = int.from_bytes(blake2b(f"{self._seed} {self._turn} {self._drawn}".encode()).digest(), "big")
        self._pool, number = divmod(self._pool, count)
        return number
