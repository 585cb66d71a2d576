"""The effect of a ladder's orders (docs/hosting-a-ladder.md): who plays from which round on, and which results count.

An order takes effect from its round on; before it, the order changes nothing. The ``detail`` of an order is JSON: ``Leaving``, ``Pacing``,
or ``{}`` for the other kinds.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated, Final, TypeVar

import msgspec

from engine.core.errors import InputError
from engine.records import decode
from engine.text import plain
from leaderboard.records import SCHEDULING, WAITING, Order, OrderKind

SLOWEST: Final = 1024
"""The slowest pace: a bot plays in one round out of this many."""
SLOW_RULE: Final = "the rule 'slow'"
BENCH_RULE: Final = "the rule 'bench'"
"""The giver of orders that follow from the ladder's own rules."""


class DamagedOrderError(InputError):
    """A stored order can't be read, because the database was changed."""

    def __init__(self, order: Order, why: object) -> None:
        super().__init__(f"order {order.number} is damaged ({plain(str(why))}); 'arena verify' lists what was changed")


class Detail(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The content of an order besides its bot."""


class Leaving(Detail, frozen=True):
    """Whether the results of the bot that leaves still count."""

    counts: bool


class Pacing(Detail, frozen=True, omit_defaults=True):
    """The bot plays in one round out of ``every``: in the last of them, or, if it has just joined, ``at_once``, in the first."""

    every: Annotated[int, msgspec.Meta(ge=1, le=SLOWEST)]
    at_once: bool = False


class Extending(Detail, frozen=True):
    """The time in UTC, such as ``2026-11-23T18:00:00Z``, before which submissions to a season's stage have to arrive."""

    freeze: str


DetailT = TypeVar("DetailT", bound=Detail)


def detail_of(order: Order, kind: type[DetailT]) -> DetailT:
    """Return the detail of an order. Raises DamagedOrderError."""
    try:
        return decode(order.detail, kind)
    except (ValueError, RecursionError) as error:
        raise DamagedOrderError(order, error) from None


def make_order(kind: OrderKind, bot: str | None, detail: Detail | None, why: str, by: str, *, after: int = 0, held: int = WAITING) -> Order:
    """Return a new order without a number; the store assigns it."""
    text = "{}" if detail is None else msgspec.json.encode(detail).decode()
    return Order(0, kind, bot, text, why, by, f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}", after, held)


class Orders:
    """The orders of a ladder that hold from some round on. Raises DamagedOrderError."""

    def __init__(self, orders: Iterable[Order] = ()) -> None:
        held = sorted((each for each in orders if each.round != WAITING), key=lambda each: (each.round, each.number))
        if unknown := [each for each in held if each.kind not in frozenset(OrderKind)]:
            raise DamagedOrderError(unknown[0], f"there is no order '{unknown[0].kind}'")
        self._left: dict[str, int] = {}
        """The round from which on a bot no longer plays."""
        self._paces: dict[str, list[tuple[int, int]]] = {}
        self._counting: dict[str, bool] = {}
        """Whether the results of bots that have left count, by the last order about each."""
        self.end: int | None = None
        """The round before which the ladder ends by order; None without such an order."""
        self.is_paused = False
        self.change_schedule = any(each.kind in SCHEDULING for each in held)
        """Whether orders change which matches are played."""
        for order in held:
            self._hold(order)

    def _hold(self, order: Order) -> None:
        match order.kind:
            case OrderKind.LEAVE if order.bot is not None:
                self._left.setdefault(order.bot, order.round)
                self._counting[order.bot] = detail_of(order, Leaving).counts
            case OrderKind.PACE if order.bot is not None:
                pace = detail_of(order, Pacing)
                since = order.round - (pace.every - 1 if pace.at_once else 0)
                self._paces.setdefault(order.bot, []).append((since, pace.every))
            case OrderKind.PAUSE | OrderKind.RESUME:
                self.is_paused = order.kind == OrderKind.PAUSE
            case OrderKind.EXTEND:
                pass  # it holds at once, and for submissions alone
            case OrderKind.END:
                self.end = order.round if self.end is None else min(self.end, order.round)
            case _:
                raise DamagedOrderError(order, f"{order.kind} has no bot")

    def is_out(self, bot: str, number: int) -> bool:
        """Return whether a bot has left before that round."""
        return bot in self._left and self._left[bot] <= number

    def is_over(self, number: int) -> bool:
        """Return whether the ladder ends before that round."""
        return self.end is not None and self.end <= number

    def every(self, bot: str, number: int) -> int:
        """Return a bot's pace in a round: 5 if it plays in one round out of five."""
        return self._pace(bot, number)[1]

    def plays(self, bot: str, number: int) -> bool:
        """Return whether a bot plays in that round: at a pace of N, it plays in the last of each N rounds since the order."""
        since, every = self._pace(bot, number)
        return (number - since + 1) % every == 0

    def _pace(self, bot: str, number: int) -> tuple[int, int]:
        paces = [pace for pace in self._paces.get(bot, ()) if pace[0] <= number]
        return paces[-1] if paces else (0, 1)

    @property
    def gone(self) -> frozenset[str]:
        """The bots that have left, as of the last order."""
        return frozenset(self._left)

    @property
    def uncounted(self) -> frozenset[str]:
        """The bots whose results don't count."""
        return frozenset(bot for bot, counts in self._counting.items() if not counts)
