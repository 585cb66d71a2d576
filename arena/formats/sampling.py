"""Balanced samples of line-ups, for tournaments in which not every line-up is played.

However many line-ups are drawn, all bots play equally often, give or take one match. In two-player matches, all pairs also meet equally
often, give or take one. In larger matches, pairs are balanced with greedy choices and local exchanges, which is not always optimal.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from math import gcd
from typing import Final

from arena.spec.lineups import Authors

LONGEST_WINDOW: Final = 16
"""Bots are exchanged between at most this many line-ups at a time; more would gain little and delay the first ticket."""
PASSES: Final = 3
NOBODY: Final = Authors({}, ())
"""The ``authors`` to pass for a tournament in which no author has two bots."""
Lineup = tuple[int, ...]


def balanced_sample(bots: Sequence[int], players: int, count: int, seed: int, authors: Authors = NOBODY) -> Iterator[tuple[Lineup, int]]:
    """Yield ``count`` sorted line-ups, each with how often it has occurred before (for two players, 0 until all pairs have met).

    No line-up has two bots by the same author. If an author has several bots, it isn't guaranteed that bots play equally often. At least
    one line-up must be possible. A larger ``count`` begins with the same line-ups. Memory grows with the square of the number of bots and,
    for three or more players, with ``count``.
    """
    order = list(bots)
    random.Random(seed).shuffle(order)
    if players <= 2:
        endless = _singles(order) if players == 1 else _pairs(order)
    else:
        endless = _tables_apart(order, players, seed, authors) if authors.clashes else _tables(order, players, seed)
    before: Counter[Lineup] = Counter()
    for lineup in islice(filter(authors.may_share, endless), count):
        key = tuple(sorted(lineup))
        yield key, before[key]
        before[key] += 1


def _singles(order: list[int]) -> Iterator[Lineup]:
    while True:
        yield from ((name,) for name in order)


def _pairs(order: list[int]) -> Iterator[Lineup]:
    """Yield all pairs, endlessly; at any point, the numbers of matches of two bots differ by at most one."""
    while True:
        if len(order) % 2 == 0:
            yield from _circle(order)
        else:
            yield from _cycles(order)


def _circle(order: list[int]) -> Iterator[Lineup]:
    """Yield the pairs of an even number of bots in rounds, using the circle method (one bot stays in place, the others rotate)."""
    last, others = order[-1], order[:-1]
    for turn in range(len(others)):
        ring = others[turn:] + others[:turn]
        yield (last, ring[0])
        yield from ((ring[step], ring[-step]) for step in range(1, len(order) // 2))


def _cycles(order: list[int]) -> Iterator[Lineup]:
    """Yield the pairs of an odd number of bots: every second edge of Walecki's Hamiltonian cycles, each traversed twice.

    Halfway through a cycle, all bots except one have played once more; the next pair includes that bot.
    """
    hub, others = order[-1], order[:-1]
    size = len(others)
    for turn in range(size // 2):
        zigzag = [others[(turn + (step + 1) // 2 * (1 if step % 2 else -1)) % size] for step in range(size)]
        cycle = [hub, *zigzag]
        yield from ((cycle[step % len(cycle)], cycle[(step + 1) % len(cycle)]) for step in range(0, 2 * len(cycle), 2))


def _tables_apart(order: list[int], players: int, seed: int, authors: Authors) -> Iterator[Lineup]:
    """Yield tables of three or more bots by different authors, preferring bots that have played least, then bots that have met least.

    A table can always be completed, because there are enough authors, and a bot excludes only bots by the same author.
    """
    rng = random.Random(seed + 1)
    sat: Counter[int] = Counter()
    met: Counter[tuple[int, int]] = Counter()
    while True:
        rng.shuffle(order)
        table: list[int] = []
        while len(table) < players:
            free = [bot for bot in order if bot not in table and not any(authors.are_apart(bot, other) for other in table)]
            table.append(min(free, key=lambda bot: (sat[bot], sum(met[_pair(bot, other)] for other in table))))
        sat.update(table)
        met.update(_pair(*two) for two in combinations(table, 2))
        yield tuple(table)


def _tables(order: list[int], players: int, seed: int) -> Iterator[Lineup]:
    """Yield tables of three or more bots. They are filled greedily, in sweeps that use each bot once, and then balanced in windows."""
    rng = random.Random(seed + 1)
    met: Counter[tuple[int, int]] = Counter()
    window = min(len(order) // gcd(len(order), players), LONGEST_WINDOW)
    left: list[int] = []
    while True:
        tables: list[list[int]] = []
        sweeps: list[list[int]] = []  # the sweep of each seat; bots are only exchanged within a sweep
        sweep = 0
        for _ in range(window):
            table: list[int] = []
            sweeps.append([])
            while len(table) < players:
                if not left:
                    left = list(order)
                    rng.shuffle(left)
                    sweep += 1
                chosen = min((bot for bot in left if bot not in table), key=lambda bot: sum(met[_pair(bot, other)] for other in table))
                left.remove(chosen)
                table.append(chosen)
                sweeps[-1].append(sweep)
            met.update(_pair(*two) for two in combinations(table, 2))
            tables.append(table)
        _even_out(tables, sweeps, met, len(order) * (len(order) - 1) // 2)
        yield from map(tuple, tables)


def _even_out(tables: list[list[int]], sweeps: list[list[int]], met: Counter[tuple[int, int]], pairs: int) -> None:
    """Exchange bots of the same sweep between tables while this makes pairs meet more evenly."""
    seats = [(number, seat) for number, table in enumerate(tables) for seat in range(len(table))]
    low = sum(met.values()) // pairs
    for _ in range(PASSES):
        changed = False
        for index, (one, seat) in enumerate(seats):
            for other, chair in seats[index + 1 :]:
                if (
                    one != other
                    and sweeps[one][seat] == sweeps[other][chair]
                    and _exchange(tables[one], seat, tables[other], chair, met, low)
                ):
                    changed = True
        if not changed:
            return


def _steep(times: int) -> int:
    """Return the cost of a pair that has met ``times`` more often than others; a large deviation costs more than many small ones."""
    return times**4


def _exchange(table: list[int], seat: int, other: list[int], chair: int, met: Counter[tuple[int, int]], low: int) -> bool:
    here, there = table[seat], other[chair]
    if here in other or there in table:
        return False
    mates = [name for name in table if name != here]
    others = [name for name in other if name != there]
    # if the tables have bots in common, a pair may lose one meeting and gain another, so nothing changes for it
    lost = [_pair(here, name) for name in mates if name not in others] + [_pair(there, name) for name in others if name not in mates]
    won = [_pair(there, name) for name in mates if name not in others] + [_pair(here, name) for name in others if name not in mates]
    gain = sum(_steep(met[pair] - low) - _steep(met[pair] - low - 1) for pair in lost)
    if sum(_steep(met[pair] - low + 1) - _steep(met[pair] - low) for pair in won) >= gain:
        return False
    for pair in lost:
        met[pair] -= 1
    for pair in won:
        met[pair] += 1
    table[seat], other[chair] = there, here
    return True


def _pair(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)
