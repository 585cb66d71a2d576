"""Lists the ways in which a group of ships may land (RULES 4, "Island: it lands"); ``rules.apply`` carries out a landing.

Groups are packed into one integer: four bits for each seat hold the number of its ships, with seat 0 in the lowest bits.
"""

from __future__ import annotations

from functools import lru_cache
from typing import final

from engine.tongiaki.notation.moves import LAND, Ships, TongiakiMove


def packed_size(packed: int) -> int:
    """Return the number of ships in a packed group."""
    size = 0
    while packed:
        size += packed & 15
        packed >>= 4
    return size


def packed_colors(packed: int) -> int:
    """Return the number of different colours (that is, seats) in a packed group."""
    colors = 0
    while packed:
        if packed & 15:
            colors += 1
        packed >>= 4
    return colors


def packed_seats(packed: int) -> tuple[int, ...]:
    """Return the seats of a packed group's ships, ascending, one entry for each ship."""
    seats: list[int] = []
    seat = 0
    while packed:
        seats.extend([seat] * (packed & 15))
        packed >>= 4
        seat += 1
    return tuple(seats)


def limits(free: tuple[int, ...], size: int) -> tuple[int, int, list[int]]:
    """Return how many of a group's ``size`` ships land, the least for each beach with a free berth, and the most for each beach.

    ``free`` is the number of free berths of each beach of the island.
    """
    beaches = 0
    room = 0
    for berths in free:
        if berths:
            beaches += 1
            room += berths
    if size < beaches:
        return size, 0, [1 if berths else 0 for berths in free]
    total = min(size, room)
    highest = total - beaches + 1  # each of the other beaches gets one
    return total, 1, [min(highest, berths) for berths in free]


def landings(free: tuple[int, ...], group: int) -> tuple[TongiakiMove, ...]:
    """Return every different landing of a packed group on an island with these free berths on its beaches, in the order of RULES 7."""
    total, least, most = limits(free, packed_size(group))
    return _landings(tuple(most), group, total, least)


@lru_cache(maxsize=8192)
def _landings(most: tuple[int, ...], group: int, total: int, least: int) -> tuple[TongiakiMove, ...]:
    lister = _Lister(most, least)
    lister.fill(0, total, group, ())
    return tuple(lister.moves)


@final
class _Lister:
    """Lists landings in ``moves``, beach by beach; ``most`` is the maximum for each beach, ``least`` is the minimum for an open beach."""

    __slots__ = ("later", "least", "most", "moves", "room")

    def __init__(self, most: tuple[int, ...], least: int) -> None:
        self.moves: list[TongiakiMove] = []
        self.most = most
        self.least = least
        self.room = [0] * (len(most) + 1)
        self.later = [0] * (len(most) + 1)
        """For each beach, ``room`` is the maximum number of ships on it and all later beaches, and ``later`` is the minimum."""
        for beach in range(len(most) - 1, -1, -1):
            self.room[beach] = self.room[beach + 1] + most[beach]
            self.later[beach] = self.later[beach + 1] + (least if most[beach] else 0)

    def fill(self, beach: int, left: int, group: int, ships: Ships) -> None:
        """List the landings that begin with ``ships`` and put ``left`` more ships of the group on the beaches from ``beach`` on."""
        if beach == len(self.most):
            self.moves.append(TongiakiMove(LAND, -1, (), ships))
            return
        if self.most[beach]:
            self._choose(beach, left, group, 0, (), ships)
        if not (self.least and self.most[beach]) and left <= self.room[beach + 1]:
            self.fill(beach + 1, left, group, ships)

    def _choose(self, beach: int, left: int, group: int, seat: int, seats: tuple[int, ...], ships: Ships) -> None:
        """List landings with ``seats`` on the beach, possibly followed by ships of ``seat`` or later seats; fewer ships come first."""
        if seats and self.later[beach + 1] <= left <= self.room[beach + 1]:
            self.fill(beach + 1, left, group, (*ships, (beach, seats)))
        if len(seats) == self.most[beach] or not left:
            return
        while group >> 4 * seat:
            if group >> 4 * seat & 15:
                self._choose(beach, left - 1, group - (1 << 4 * seat), seat, (*seats, seat), ships)
            seat += 1


def may_land(free: tuple[int, ...], group: int, ships: Ships) -> bool:
    """Return whether ``landings`` would list these ships, without listing them."""
    total, least, most = limits(free, packed_size(group))
    given = [0] * len(free)
    landed = 0
    previous = -1
    for beach, seats in ships:
        if not previous < beach < len(free) or not seats or list(seats) != sorted(seats) or seats[0] < 0:
            return False
        previous = beach
        given[beach] = len(seats)
        for seat in seats:
            if not group >> 4 * seat & 15:
                return False
            group -= 1 << 4 * seat
            landed += 1
    if landed != total:
        return False
    for beach in range(len(free)):
        if not (least if most[beach] else 0) <= given[beach] <= most[beach]:
            return False
    return True
