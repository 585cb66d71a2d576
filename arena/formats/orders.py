"""The effects of a ladder's orders (docs/hosting-a-ladder.md): who plays in which rounds, and which results count.

An order takes effect in its round, and changes nothing in earlier rounds. The ``detail`` of an order is JSON: ``Leaving``, ``Pacing``,
``Extending``, or ``{}`` for the other kinds.
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
"""The slowest possible pace; at this pace, a bot plays in one of every 1024 rounds."""
SLOW_RULE: Final = "the rule 'slow'"
BENCH_RULE: Final = "the rule 'bench'"
"""What ``Order.by`` says if an order follows from the rule ``slow`` or ``bench`` in a ladder's file, and not from a person."""


class DamagedOrderError(InputError):
    """A stored order can't be read because the database was changed."""

    def __init__(self, order: Order, why: object) -> None:
        super().__init__(f"order {order.number} is damaged ({plain(str(why))}); 'arena verify' lists what was changed")


class Detail(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The base class of the details of an order."""


class Leaving(Detail, frozen=True):
    """The bot leaves. ``counts`` is whether its results still count."""

    counts: bool


class Pacing(Detail, frozen=True, omit_defaults=True):
    """The bot plays in one of every ``every`` rounds: the last of them or, with ``at_once`` (for bots that have just joined), the first."""

    every: Annotated[int, msgspec.Meta(ge=1, le=SLOWEST)]
    at_once: bool = False


class Extending(Detail, frozen=True):
    """The submission deadline of a season's stage is moved to this time in UTC, such as ``2026-11-23T18:00:00Z``."""

    freeze: str


DetailT = TypeVar("DetailT", bound=Detail)


def detail_of(order: Order, kind: type[DetailT]) -> DetailT:
    """Return the detail of an order. Raises DamagedOrderError."""
    try:
        return decode(order.detail, kind)
    except (ValueError, RecursionError) as error:
        raise DamagedOrderError(order, error) from None


def make_order(kind: OrderKind, bot: str | None, detail: Detail | None, why: str, by: str, *, after: int = 0, held: int = WAITING) -> Order:
    """Return a new order, which the store will number. ``after`` and ``held`` become ``Order.after`` and ``Order.round``."""
    text = "{}" if detail is None else msgspec.json.encode(detail).decode()
    return Order(0, kind, bot, text, why, by, f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}", after, held)


class Orders:
    """The effects of a ladder's orders; orders that still wait for a run have none. Raises DamagedOrderError."""

    def __init__(self, orders: Iterable[Order] = ()) -> None:
        held = sorted((each for each in orders if each.round != WAITING), key=lambda each: (each.round, each.number))
        if unknown := [each for each in held if each.kind not in frozenset(OrderKind)]:
            raise DamagedOrderError(unknown[0], f"unknown kind '{unknown[0].kind}'")
        self._left: dict[str, int] = {}
        """The first round in which a bot no longer plays, by bot."""
        self._paces: dict[str, list[tuple[int, int]]] = {}
        self._counting: dict[str, bool] = {}
        """For each bot that has left, whether its results count, according to the last order about it."""
        self.end: int | None = None
        """The round before which the ladder ends, or None if no order ends it."""
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
                pass  # takes effect at once, and only for submissions
            case OrderKind.END:
                self.end = order.round if self.end is None else min(self.end, order.round)
            case _:
                raise DamagedOrderError(order, f"{order.kind} has no bot")

    def is_out(self, bot: str, number: int) -> bool:
        """Return whether a bot has left before round ``number``."""
        return bot in self._left and self._left[bot] <= number

    def is_over(self, number: int) -> bool:
        """Return whether the ladder ends before round ``number``."""
        return self.end is not None and self.end <= number

    def every(self, bot: str, number: int) -> int:
        """Return a bot's pace in a round; for example, 5 means that it plays in one of every five rounds."""
        return self._pace(bot, number)[1]

    def plays(self, bot: str, number: int) -> bool:
        """Return whether a bot plays in round ``number``. At a pace of N, it plays in the last of every N rounds since the order."""
        since, every = self._pace(bot, number)
        return (number - since + 1) % every == 0

    def _pace(self, bot: str, number: int) -> tuple[int, int]:
        paces = [pace for pace in self._paces.get(bot, ()) if pace[0] <= number]
        return paces[-1] if paces else (0, 1)

    @property
    def gone(self) -> frozenset[str]:
        """The bots that have left or will leave in a later round."""
        return frozenset(self._left)

    @property
    def uncounted(self) -> frozenset[str]:
        """The bots whose results don't count."""
        return frozenset(bot for bot, counts in self._counting.items() if not counts)
