"""Shows the orders of a ladder as a table: what each order says, since which round, who gave it, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.report.table import Table
from arena.run.orders import describe, superseded, when
from engine.text import plain
from leaderboard.records import StoredTournament


def order_rows(tournament: StoredTournament) -> list[dict[str, Any]]:
    """Return a ladder's orders, oldest first. ``round`` is the round (from 1) in which an order took effect, or None if it has not yet.

    ``until`` is the number of the later order that supersedes this one, or None.
    """
    until = superseded(tournament.orders)
    return [
        {
            "number": order.number,
            "order": describe(order),
            "kind": order.kind,
            "bot": order.bot,
            "from": when(order),
            "round": None if order.round < 0 else order.round + 1,
            "until": until.get(order.number),
            "given": order.given,
            "by": plain(order.by),
            "why": plain(order.why),
        }
        for order in tournament.orders
    ]


def order_about(tournament: StoredTournament, bot: str) -> str:
    """Return a sentence on the newest order about a bot, with its reason, or an empty string if there is no such order."""
    order = next((order for order in reversed(tournament.orders) if order.bot == bot), None)
    if order is None:
        return ""
    return f"From {when(order)} on: {describe(order)} ({plain(order.by)}: {plain(order.why)})"


def _with_end(row: dict[str, Any]) -> str:
    return str(row["order"]) if row["until"] is None else f"{row['order']} (until order {row['until']})"


def orders_table(rows: Sequence[dict[str, Any]], tournament: str) -> Table:
    """Return the rows from ``order_rows`` as a table."""
    cells = [(str(row["number"]), row["from"], _with_end(row), row["why"], row["by"], row["given"]) for row in rows]
    return Table("orders", f"{tournament}: orders", ("#", "from", "order", "why", "by", "given"), cells, optional=("given",))
