"""Knockout: who loses is out, until one is left; seeds keep the best apart, and have the byes."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from arena.formats.base import Format, Outcome, Place, Round, Rounds, add_points
from arena.plan import KnockoutPlan
from arena.spec import Spec
from engine.core import shared_ranks
from engine.records import Ticket

Lineup: TypeAlias = tuple[str, ...]


class Knockout(Format[KnockoutPlan]):
    """Stages; at each, every line-up plays its blocks, and the better half goes on.

    Better is who won more blocks (has most points of one, alone or with others), then who has more points. Line-ups that leave open who
    goes on play one block more, up to ``extra``; then the better seed goes on. At tables of two the bracket is the usual one: its size is
    a power of two, the best seeds have the byes, and the first two can meet in the final only. At larger tables half the seats, rounded
    down, go on; the best seeds fill up the tables by turns, those left over have a bye, and the final's free seats go to the best of
    those that went out in the stage before it.
    """

    def __init__(self, spec: Spec, plan: KnockoutPlan, joined: Mapping[str, int]) -> None:
        super().__init__(spec, plan, joined)
        order = plan.seeds or tuple(bot.name for bot in spec.bots)
        self._seed = {name: place for place, name in enumerate(order)}
        self._begin()

    def _begin(self) -> None:
        self._reached = dict.fromkeys(self._seed, 0)
        self._winner: str | None = None

    @property
    def total(self) -> int | None:
        """Known if no line-up can play on after a tie."""
        if self.plan.extra:
            return None
        lineups, left = 0, len(self._seed)
        while left > 1:
            lineups += left // self.plan.players if self.plan.players > 2 else left - _power(left) // 2
            left = self._count_left(left)
        return lineups * self.plan.table_matches

    def rounds(self) -> Rounds:
        """The stages; a stage whose tables have to play on has its number again."""
        self._begin()
        field = sorted(self._seed, key=self._seed.__getitem__)
        slots = _bracket(field)
        stage = 0
        while len(field) > 1:
            tables = _pairs(slots) if self.plan.players == 2 else _snake(field, self.plan.players)
            on = {table: kept for table, kept in (yield from self._play(stage, tables)).items()}
            stage += 1
            if self.plan.players == 2:
                slots = _winners(slots, on)
                field = [name for name in slots if name is not None]
            else:
                field = self._go_on(field, tables, on)
            for name in field:
                self._reached[name] = stage
        self._winner = field[0]

    def places(self) -> tuple[Place, ...]:
        """By the stage they came to."""
        ordered = sorted(self._seed, key=lambda name: (-self._reached[name], self._seed[name]))
        places = shared_ranks([(self._reached[name],) for name in ordered])
        last = max(self._reached.values())
        return tuple(
            Place(place, name, self._note(name, last)) for place, name in zip(places, ordered, strict=True)
        )

    def _note(self, name: str, last: int) -> str:
        if name == self._winner:
            return "winner"
        if self._reached[name] == last and self._winner is None:
            return f"in stage {last + 1}"
        return f"out in stage {self._reached[name] + 1}"

    def _play(self, stage: int, tables: Sequence[Lineup]) -> Generator[Round, Sequence[Outcome], dict[Lineup, list[str]]]:
        """Play tables until it is decided who goes on: those of each table, best first."""
        played: dict[Lineup, list[Outcome]] = {table: [] for table in tables}
        blocks = range(self.plan.blocks)
        open_ = list(tables)
        while open_:
            for outcome in (yield Round(stage, self._tickets(open_, stage, blocks))):
                played[outcome.ticket.lineup].append(outcome)
            blocks = range(blocks.stop, blocks.stop + 1)
            if blocks.stop > self.plan.blocks + self.plan.extra:
                break
            open_ = [table for table in open_ if self._is_open(played[table], table)]
        return {table: self._ranked(played[table], table) for table in tables}

    def _tickets(self, tables: Iterable[Lineup], stage: int, blocks: Iterable[int]) -> Iterator[Ticket]:
        for block in blocks:
            for lineup in tables:
                yield from self.block(lineup, len(lineup), block, "knockout", stage, number=stage)

    def _keys(self, outcomes: Sequence[Outcome], table: Lineup) -> dict[str, tuple[int, int]]:
        """Of each bot the blocks it has won and its points."""
        won = dict.fromkeys(table, 0)
        for block in {outcome.ticket.block for outcome in outcomes}:
            scored = add_points(outcome for outcome in outcomes if outcome.ticket.block == block)
            for name in table:
                won[name] += scored[name] == max(scored.values())
        scored = add_points(outcomes)
        return {name: (won[name], scored[name]) for name in table}

    def _ranked(self, outcomes: Sequence[Outcome], table: Lineup) -> list[str]:
        keys = self._keys(outcomes, table)
        return sorted(table, key=lambda name: (-keys[name][0], -keys[name][1], self._seed[name]))

    def _is_open(self, outcomes: Sequence[Outcome], table: Lineup) -> bool:
        """Whether the last to go on and the first not to are equal."""
        keys, ranked = self._keys(outcomes, table), self._ranked(outcomes, table)
        cut = self._count_on(len(table))
        return keys[ranked[cut - 1]] == keys[ranked[cut]]
