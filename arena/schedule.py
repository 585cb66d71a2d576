"""Which matches a tournament has: a lazy, pure sequence of tickets. It stores nothing and plays nothing."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations
from math import comb, factorial
from typing import Final

from arena.seeds import derive_id, derive_seed
from arena.spec import Spec, SpecError
from engine.records import Ticket

MOST_MATCHES: Final = 10**12
"""More than any machine can play; beyond it a number in the spec must be a slip."""


class Schedule:
    """A round-robin: for each block, for each size of table, for each line-up, every seating of it.

    Blocks come first, so a run that is stopped early has played about as much of everything. Iterating costs memory for one
    line-up, however long the schedule is. Tickets keep their ids when blocks, tables or bots are added, and so do those of a sample when
    line-ups are added. Raises SpecError for a schedule that is too long to be meant.
    """

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._names = sorted(bot.name for bot in spec.bots)
        self._labels = (spec.name, spec.seed, spec.game, dict(spec.make_game().options))
        plan = spec.schedule
        self._total = plan.blocks * sum(self._count_lineups(players) * self._count_seatings(players) for players in plan.tables)
        if self._total > MOST_MATCHES:
            raise SpecError(f"the schedule of '{spec.name}' has over {MOST_MATCHES} matches; take fewer blocks or a number of line-ups")

    def __len__(self) -> int:
        return self._total

    def __iter__(self) -> Iterator[Ticket]:
        plan = self._spec.schedule
        for block in range(plan.blocks):
            for players in plan.tables:
                for lineup, repeat in self._lineups(players):
                    yield from self._block(lineup, players, block, repeat)

    def _block(self, lineup: tuple[str, ...], players: int, block: int, repeat: tuple[int, ...]) -> Iterator[Ticket]:
        """One line-up on one seed in every seating: the unit in which luck of tiles and seat cancels.

        Solo, every bot plays the same seed, whoever else has entered.
        """
        same = () if players == 1 else lineup
        seed = derive_seed(*self._labels[:3], "game", players, block, *same, *repeat)
        for rotation, seats in enumerate(self._seatings(lineup, players)):
            ticket = derive_id(*self._labels, same, block, seats, *repeat)
            yield Ticket(ticket, lineup, block, rotation, seats, seed)

    def _seatings(self, lineup: tuple[str, ...], players: int) -> Iterator[tuple[str, ...]]:
        if players == 1:
            return ((name,) for name in lineup)
        if self._spec.schedule.seats == "permutations":
            return permutations(lineup)
        return (lineup[shift:] + lineup[:shift] for shift in range(players))

    def _count_seatings(self, players: int) -> int:
        if players == 1:
            return len(self._names)
        return factorial(players) if self._spec.schedule.seats == "permutations" else players

    def _count_lineups(self, players: int) -> int:
        if players == 1:
            return 1
        every = comb(len(self._names), players)
        wanted = self._spec.schedule.lineups
        return every if wanted == "all" else min(wanted, every)

    def _lineups(self, players: int) -> Iterator[tuple[tuple[str, ...], tuple[int, ...]]]:
        """Line-ups, each with its number if it is one of a sample: there a line-up may come again, and then plays another seed."""
        if players == 1:
            return iter([(tuple(self._names), ())])
        count = self._count_lineups(players)
        if count == comb(len(self._names), players):
            return ((lineup, ()) for lineup in combinations(self._names, players))
        sample = balanced_sample(self._names, players, count, derive_seed(*self._labels[:3], "line-ups", players))
        return ((lineup, (number,)) for number, lineup in enumerate(sample))


def balanced_sample(names: list[str], players: int, count: int, seed: int) -> Iterator[tuple[str, ...]]:
    """That many line-ups, each sorted by name, in which every bot sits equally often up to one, and pairs meet as evenly as may be.

    Greedy: a seat goes to a bot that has sat least often, of those to the one that has met the others at the table least, of those
    to the first by a hash of the seed. Memory grows with the square of the number of bots, not with ``count``.
    """
    sat = dict.fromkeys(names, 0)
    met = {(one, other): 0 for one in names for other in names}
    for number in range(count):
        order = {name: derive_seed(seed, number, name) for name in names}
        table: list[str] = []
        while len(table) < players:
            free = [name for name in names if name not in table]
            table.append(min(free, key=lambda name: (sat[name], sum(met[name, other] for other in table), order[name])))
        for name in table:
            sat[name] += 1
            for other in table:
                met[name, other] += 1
        yield tuple(sorted(table))
