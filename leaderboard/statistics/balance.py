"""How evenly the matches of complete blocks seat bots: in each seat, and right behind each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leaderboard.statistics.blocks import Blocks, TableBlocks


@dataclass(frozen=True, slots=True)
class Balance:
    """The balance of the complete blocks at tables of one size.

    ``seat_low`` and ``seat_high`` are the smallest and the largest share of a bot's matches in any one seat; 1/``players`` is even.
    ``behind_low`` and ``behind_high`` are the smallest and the largest share, among the matches of a bot with another, of those in which
    it sits right behind the other, the first seat being behind the last; 1/(``players`` - 1) is even. ``bot`` and ``other`` are the pair
    furthest from even.
    """

    players: int
    blocks: int
    matches: int
    seat_low: float
    seat_high: float
    behind_low: float
    behind_high: float
    bot: str
    other: str


def balance(blocks: Blocks) -> tuple[Balance, ...]:
    """Return the balance of each size of table except solo, smallest first."""
    return tuple(_balance(table, blocks.bots) for table in blocks.tables if not table.is_solo)


def _balance(table: TableBlocks, bots: tuple[str, ...]) -> Balance:
    count, players = len(bots), table.players
    shape = table.seat.shape
    bot = np.broadcast_to(table.bots[:, None, :], shape).reshape(-1, players)
    seat = table.seat.reshape(-1, players)
    seated = np.zeros((count, players), np.int64)
    np.add.at(seated, (bot, seat), 1)
    met, behind = np.zeros((count, count), np.int64), np.zeros((count, count), np.int64)
    for one in range(players):
        for other in range(players):
            if one != other:
                np.add.at(met, (bot[:, one], bot[:, other]), 1)
                is_next = seat[:, one] == (seat[:, other] + 1) % players
                np.add.at(behind, (bot[is_next, one], bot[is_next, other]), 1)
    played = seated.sum(axis=1)
    seats = seated[played > 0] / played[played > 0, None]
    shares = np.divide(behind, met, out=np.full(met.shape, np.nan), where=met > 0)
    widest = np.unravel_index(np.nanargmax(np.abs(shares - 1 / (players - 1))), shares.shape)
    return Balance(
        players=players,
        blocks=len(table),
        matches=len(seat),
        seat_low=float(seats.min()),
        seat_high=float(seats.max()),
        behind_low=float(np.nanmin(shares)),
        behind_high=float(np.nanmax(shares)),
        bot=bots[widest[0]],
        other=bots[widest[1]],
    )
