"""The effect of a ladder's orders (docs/orders.md): who plays from which round on, under which limits, and which results count.

An order takes effect from its round on; before it, the order changes nothing. The ``detail`` of an order is JSON: ``Leaving``, ``Pacing``,
``Replaying`` or, for limits, a ``[clock]`` table, and ``{}`` for the other kinds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Final, TypeVar

import msgspec

from arena.spec.limits import ClockTable
from bots.protocol import ClockSpec
from engine.core.errors import InputError
from engine.decoding import decode
from engine.text import plain
from leaderboard.records.stored import SCHEDULING, WAITING, Order, OrderKind

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


class Block(Detail, frozen=True):
    """A block: the bots that share its tables, by name, and the ids of its matches."""

    lineup: tuple[str, ...]
    matches: tuple[str, ...]


class Replaying(Detail, frozen=True):
    """The blocks that are played again, on new decks, and whose first matches no longer count."""

    blocks: tuple[Block, ...]


DetailT = TypeVar("DetailT", bound=Detail)


def detail_of(order: Order, kind: type[DetailT]) -> DetailT:
    """Return the detail of an order. Raises DamagedOrderError."""
    try:
        return decode(order.detail, kind)
    except (ValueError, RecursionError) as error:
        raise DamagedOrderError(order, error) from None


def clock_of(order: Order) -> ClockTable:
    """Return the table of limits that an order sets. Raises DamagedOrderError."""
    try:
        return ClockTable.model_validate_json(order.detail)
    except ValueError:
        raise DamagedOrderError(order, "its limits are not valid") from None


def make_order(
    kind: OrderKind, bot: str | None, detail: Detail | str | None, why: str, by: str, *, after: int = 0, held: int = WAITING
) -> Order:
    """Return a new order without a number; the store assigns it."""
    text = detail if isinstance(detail, str) else "{}" if detail is None else msgspec.json.encode(detail).decode()
    return Order(0, kind, bot, text, why, by, f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}", after, held)


class Orders:
    """The orders of a ladder that hold from some round on. Raises DamagedOrderError."""

    def __init__(self, orders: Iterable[Order] = ()) -> None:
        held = sorted((each for each in orders if each.round != WAITING), key=lambda each: (each.round, each.number))
        if unknown := [each for each in held if each.kind not in frozenset(OrderKind)]:
            raise DamagedOrderError(unknown[0], f"there is no order '{unknown[0].kind}'")
        self._moves: dict[str, list[tuple[int, bool, bool]]] = {}
        self._paces: dict[str, list[tuple[int, int]]] = {}
        self.paced: set[str] = set()
        """The bots whose pace the host has ordered, not the rule for slow bots."""
        self._replays: dict[int, list[tuple[int, Replaying]]] = {}
        self.end: int | None = None
        """The round before which the ladder ends by order; None without such an order."""
        self.is_paused = False
        self.clocks: dict[int, ClockSpec] = {}
        """The limits from a round on, where they differ from those of the file."""
        self.replaced: set[str] = set()
        """The ids of the matches that have been played again, or will be."""
        self.change_schedule = any(each.kind in SCHEDULING for each in held)
        """Whether orders change which matches are played."""
        for order in held:
            self._hold(order)
        for since, replays in self._replays.items():
            if not self.is_over(since):  # otherwise they are not played again, and the first results stay
                self.replaced.update(match for _, detail in replays for block in detail.blocks for match in block.matches)

    def _hold(self, order: Order) -> None:
        match order.kind:
            case OrderKind.LEAVE | OrderKind.ENTER if order.bot is not None:
                is_out = order.kind == OrderKind.LEAVE
                counts = not is_out or detail_of(order, Leaving).counts
                self._moves.setdefault(order.bot, []).append((order.round, is_out, counts))
            case OrderKind.PACE if order.bot is not None:
                pace = detail_of(order, Pacing)
                since = order.round - (pace.every - 1 if pace.at_once else 0)
                self._paces.setdefault(order.bot, []).append((since, pace.every))
                (self.paced.discard if order.by == SLOW_RULE else self.paced.add)(order.bot)
            case OrderKind.REPLAY:
                detail = detail_of(order, Replaying)
                self._replays.setdefault(order.round, []).append((order.number, detail))
            case OrderKind.LIMITS:
                self.clocks[order.round] = clock_of(order).limits
            case OrderKind.PAUSE | OrderKind.RESUME:
                self.is_paused = order.kind == OrderKind.PAUSE
            case OrderKind.END:
                self.end = order.round if self.end is None else min(self.end, order.round)
            case OrderKind.ANNOUNCE:
                pass
            case _:
                raise DamagedOrderError(order, f"{order.kind} has no bot")

    def is_out(self, bot: str, number: int) -> bool:
        """Return whether a bot has left before that round, and has not been entered again."""
        moves = [is_out for since, is_out, _ in self._moves.get(bot, ()) if since <= number]
        return bool(moves) and moves[-1]

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

    def replays(self, number: int) -> Sequence[tuple[int, Replaying]]:
        """Return the blocks that are played again in that round, by the number of the order."""
        return self._replays.get(number, ())

    @property
    def gone(self) -> frozenset[str]:
        """The bots that have left, as of the last order."""
        return frozenset(bot for bot, moves in self._moves.items() if moves[-1][1])

    @property
    def uncounted(self) -> frozenset[str]:
        """The bots whose results don't count."""
        return frozenset(bot for bot, moves in self._moves.items() if not moves[-1][2])

    @property
    def leave_out(self) -> bool:
        """Whether any results are excluded."""
        return bool(self.replaced or self.uncounted)

    def counts(self, match: str, bots: Iterable[str]) -> bool:
        """Return whether a result counts in ratings, standings and statistics."""
        return match not in self.replaced and self.uncounted.isdisjoint(bots)
