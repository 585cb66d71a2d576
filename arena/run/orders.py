"""Gives orders to a ladder (docs/hosting-a-ladder.md). Each is checked against earlier orders and stored in one transaction.

``Orders`` in ``arena.formats.orders`` computes their effect.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from arena.formats.orders import Detail, Extending, Leaving, Orders, Pacing, detail_of, make_order
from arena.spec.lineups import fill_table
from arena.spec.spec import Spec
from arena.spec.tables import LadderPlan
from arena.tournament import stored_spec
from bots.loader.suggestions import did_you_mean
from engine.core.errors import InputError
from leaderboard.records import WAITING, Order, OrderKind
from leaderboard.storage.store import Store, StoredTournament

LONGEST_REASON: Final = 300
AWAITED: Final = 3.0
"""How long to wait, in seconds, for the run to apply an order."""
_POLL: Final = 0.1


class OrderError(InputError):
    """The order can't be given; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Reason:
    """The reason for an order, its giver, and the round, counted from 1, from which it takes effect (0: as soon as possible)."""

    why: str
    by: str = "the host"
    from_round: int = 0


@dataclass(frozen=True, slots=True)
class GivenOrder:
    """A stored order. ``is_new`` is False if the same order had been given before and is still in effect."""

    order: Order
    is_new: bool


def leave(store: Store, ladder: StoredTournament, bot: str, reason: Reason, *, counts: bool = True) -> GivenOrder:
    """Take a bot out of the ladder; ``counts`` is whether its results still count. Raises OrderError."""

    def check(state: _State) -> Order | None:
        state.check_bot(bot)
        before = state.last(bot, OrderKind.LEAVE)
        is_same = before is not None and detail_of(before, Leaving).counts == counts
        if (given := state.find_same(before, reason, is_same=is_same)) is None:
            state.check_enough(without=bot)
        return given

    return _give(store, ladder, OrderKind.LEAVE, bot, Leaving(counts), reason, check)


def pause(store: Store, ladder: StoredTournament, reason: Reason) -> GivenOrder:
    """Begin no more rounds until the ladder is resumed. Raises OrderError."""

    def check(state: _State) -> Order | None:
        before = state.last(None, OrderKind.PAUSE, OrderKind.RESUME)
        return before if before is not None and before.kind == OrderKind.PAUSE else None

    return _give(store, ladder, OrderKind.PAUSE, None, None, reason, check)


def resume(store: Store, ladder: StoredTournament, reason: Reason) -> GivenOrder:
    """Resume a paused ladder. Raises OrderError."""

    def check(state: _State) -> Order | None:
        before = state.last(None, OrderKind.PAUSE, OrderKind.RESUME)
        if before is None:
            raise OrderError(f"the ladder '{state.name}' has not been paused")
        return before if before.kind == OrderKind.RESUME else None

    return _give(store, ladder, OrderKind.RESUME, None, None, reason, check)


def end(store: Store, ladder: StoredTournament, reason: Reason) -> GivenOrder:
    """End the ladder before the round given in ``reason``. Raises OrderError."""

    def check(state: _State) -> Order | None:
        before = state.last(None, OrderKind.END)
        if before is not None and before.after < max(0, reason.from_round - 1):
            raise OrderError(f"order {before.number} already ends the ladder '{state.name}' earlier, and an order can't be withdrawn")
        return before if before is not None and before.after == max(0, reason.from_round - 1) else None

    return _give(store, ladder, OrderKind.END, None, None, reason, check)


def extend(store: Store, ladder: StoredTournament, freeze: datetime, reason: Reason) -> GivenOrder:
    """Move the submission deadline of a season's stage to ``freeze``. Raises OrderError."""
    detail = Extending(f"{freeze.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}")

    def check(state: _State) -> Order | None:
        before = state.last(None, OrderKind.EXTEND)
        return before if before is not None and detail_of(before, Extending) == detail else None

    return _give(store, ladder, OrderKind.EXTEND, None, detail, reason, check)


def planned_end(ladder: StoredTournament) -> str:
    """Return a clause that says after which round the ladder ends, or an empty string if no order ends it."""
    order = next((each for each in reversed(ladder.orders) if each.kind == OrderKind.END), None)
    if order is None:
        return ""
    last = order.after if order.round == WAITING else order.round
    return f"the ladder ends after round {last}" if last else "the ladder ends before its next round, so no more matches are played"


class _State:
    """The state of a ladder when an order is given, including orders that are not in effect yet."""

    def __init__(self, store: Store, ladder: StoredTournament) -> None:
        self.name = ladder.name
        self.orders = ladder.orders
        self.spec: Spec = stored_spec(ladder)
        plan = self.spec.schedule
        if not isinstance(plan, LadderPlan):
            raise OrderError(f"the tournament '{ladder.name}' has the format {plan.format}; only a ladder takes orders")
        self._plan = plan
        self._begun = store.last_round(ladder) + 1
        final = [link.body.is_final for link in store.chain(ladder.id)]
        if any(final if not self.spec.is_open else final[-1:]):  # a file with more rounds continues an open ladder
            raise OrderError(
                f"the ladder '{ladder.name}' is over, and its final seal covers all orders, so it takes no more orders; to tell "
                "visitors something, use 'arena serve --title'"
            )

    def check_round(self, number: int, kind: OrderKind) -> None:
        """Raise OrderError if an order can't take effect from this round on, counted from 1 (0: as soon as possible)."""
        if 0 < number <= self._begun:
            raise OrderError(f"round {number} of '{self.name}' has begun; the next one is round {self._begun + 1}")
        ended = Orders(self.orders).end
        planned = self.last(None, OrderKind.END)
        stop = self._plan.rounds if planned is None else max(planned.after, ended or 0)
        if self._plan.rounds is not None and self._begun >= self._plan.rounds and not number:
            raise OrderError(f"the last round of '{self.name}' has begun, so no more orders can take effect")
        if not number and planned is not None and planned.after <= self._begun:
            raise OrderError(f"order {planned.number} ends the ladder '{self.name}', so no more orders can take effect")
        if stop is not None and number > stop + (kind is OrderKind.END):
            raise OrderError(f"'{self.name}' ends after round {stop}, so no order can take effect in round {number}")

    def find_same(self, before: Order | None, reason: Reason, *, is_same: bool) -> Order | None:
        """Return ``before``, the newest order on the subject, if the new order would change nothing.

        Raises OrderError if ``before`` takes effect after the new order, and would undo it.
        """
        if before is None or before.round != WAITING or before.after <= max(0, reason.from_round - 1):
            return before if is_same else None
        if not is_same:
            raise OrderError(
                f"order {before.number} takes effect in round {before.after + 1} ({describe(before)}), and would undo the new one; "
                f"give --from-round {before.after + 1} or later"
            )
        return None

    def check_bot(self, bot: str) -> None:
        """Raise OrderError, suggesting a similar name, if the ladder has no such bot."""
        names = [each.name for each in self.spec.bots]
        if bot not in names:
            advice = did_you_mean(bot, names, f"; its bots are {', '.join(names)}")
            raise OrderError(f"there is no bot '{bot}' in the ladder '{self.name}'{advice}")

    def last(self, bot: str | None, *kinds: OrderKind) -> Order | None:
        """Return the newest order of these kinds about the bot, whether or not it is in effect yet."""
        return next((each for each in reversed(self.orders) if each.kind in kinds and each.bot == bot), None)

    def check_enough(self, *, without: str) -> None:
        """Raise OrderError if too few bots would be left to fill a table, counting one bot of each author."""
        left = [each.name for each in self.spec.bots if each.name != without and self.last(each.name, OrderKind.LEAVE) is None]
        if not fill_table({each.name: each.author for each in self.spec.bots}, left, self._plan.players):
            raise OrderError(
                f"without '{without}' the bots of '{self.name}' can't fill a table of {self._plan.players}; "
                "enter another bot, or end the ladder"
            )


def _give(
    store: Store,
    ladder: StoredTournament,
    kind: OrderKind,
    bot: str | None,
    detail: Detail | None,
    reason: Reason,
    check: Callable[[_State], Order | None],
) -> GivenOrder:
    """Store an order, unless ``check`` returns an earlier order with the same effect. Raises OrderError."""
    why, by = " ".join(reason.why.split()), " ".join(reason.by.split())
    for what, text in (("a reason", why), ("the name of whoever gives it", by)):
        if not (text and text.isprintable() and len(text) <= LONGEST_REASON):
            raise OrderError(f"an order needs {what}, in 1 to {LONGEST_REASON} printable characters; this text will be public")
    after = max(0, reason.from_round - 1)
    before: Order | None = None

    def make(now: StoredTournament) -> Sequence[Order]:
        nonlocal before
        state = _State(store, now)
        before = check(state)
        if before is None:
            state.check_round(reason.from_round, kind)
        return () if before is not None else (make_order(kind, bot, detail, why, by, after=after),)

    stored = store.add_orders(ladder, make)
    if before is not None:
        return GivenOrder(before, is_new=False)
    return GivenOrder(stored.orders[-1], is_new=True)


def await_round(store: Store, ladder: StoredTournament, order: Order, sleep: Callable[[float], None]) -> Order:
    """Wait until the current run has applied an order, or for ``AWAITED`` seconds, and return the order with its round, if it has one.

    The run prepares rounds ahead, so the round may be later than the requested one.
    """
    plan = stored_spec(ladder).schedule
    ahead = plan.lag + 1 if isinstance(plan, LadderPlan) else 0
    if order.after > store.last_round(ladder) + ahead:
        return order
    for _ in range(round(AWAITED / _POLL)):
        if order.round != WAITING:
            break
        sleep(_POLL)
        now = store.tournament(ladder.name)
        order = order if now is None else now.orders[order.number - 1]
    return order


def describe(order: Order) -> str:
    """Return a description of an order."""
    match order.kind:
        case OrderKind.LEAVE:
            results = "count" if detail_of(order, Leaving).counts else "no longer count"
            return f"{order.bot} leaves; its results {results}"
        case OrderKind.PACE:
            every = detail_of(order, Pacing).every
            return f"{order.bot} plays in every round" if every == 1 else f"{order.bot} plays in one of every {every} rounds"
        case OrderKind.PAUSE:
            return "no new round begins"
        case OrderKind.RESUME:
            return "rounds begin again"
        case OrderKind.EXTEND:
            return f"submissions close on {detail_of(order, Extending).freeze.replace('T', ' ').replace('Z', ' UTC')}"
        case _:
            return "the ladder ends"


def superseded(orders: Sequence[Order]) -> dict[int, int]:
    """Return the number of each superseded order, mapped to the number of the order that supersedes it."""
    latest: dict[tuple[str, str | None], int] = {}
    until = {}
    for order in sorted(orders, key=_force):
        about = OrderKind.PAUSE if order.kind == OrderKind.RESUME else order.kind, order.bot
        if about in latest:
            until[latest[about]] = order.number
        latest[about] = order.number
    return until


def _force(order: Order) -> tuple[bool, int, int]:
    """Return the key that sorts orders by when they take effect; of several orders that end the ladder, the newest counts."""
    if order.kind == OrderKind.END:
        return False, 0, order.number
    return order.round == WAITING, max(order.round, order.after), order.number


def when(order: Order) -> str:
    """Return a phrase for the round, counted from 1, from which an order is in effect."""
    if order.round != WAITING:
        return f"round {order.round + 1}"
    return f"round {order.after + 1}" if order.after else "the next round"
