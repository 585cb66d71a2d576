"""Knockout: losers are eliminated until one bot is left. Seeding keeps the best bots apart and determines the byes."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Final

from arena.formats.base import Derivation, Format, Lineup, Outcome, Place, Round, Rounds, Stage, add_points
from arena.spec.spec import Spec
from arena.spec.tables import KnockoutPlan
from engine.core import shared_ranks

_TITLES: Final = {1: "final", 2: "semifinals", 4: "quarterfinals"}


class Knockout(Format[KnockoutPlan]):
    """In each stage, every line-up plays its blocks, and the better half of its bots advances.

    Bots are compared by the blocks they have won, then by points. A block is won by the bot with the most points in it, or by all that
    tie for the most. If it is undecided who advances, up to ``extra`` more blocks are played; after that, the higher seed advances.

    With two players, the bracket is the usual one: its size is a power of two, the highest seeds get the byes, and the top two seeds can
    meet only in the final. With more players, half the seats (rounded down) advance. Seeds are assigned to the tables in snake order; if
    the number of bots does not fit, the highest seeds get a bye. If too few bots are left to fill the final, the best bots eliminated in
    the previous stage take the free seats.
    """

    has_places: ClassVar[bool] = True

    def __init__(self, spec: Spec, plan: KnockoutPlan, joined: Mapping[str, int], derivation: Derivation) -> None:
        super().__init__(spec, plan, joined, derivation)
        order = plan.seeds or tuple(bot.name for bot in spec.bots)
        self._seed = {self.number(name): place for place, name in enumerate(order)}
        self._begin()

    def _begin(self) -> None:
        self._reached = dict.fromkeys(self._seed, 0)
        self._winner: int | None = None
        self.stages.clear()

    @property
    def blocks(self) -> Mapping[int, int] | None:
        """The number of blocks for each number of seats (there is only one), or None if there can be extra blocks."""
        if self.plan.extra:
            return None
        players, lineups, left = self.plan.players, 0, len(self._seed)
        while left > 1:
            lineups += left // 2 if players == 2 else left // players
            left = -(-left // 2) if players == 2 else _count_left(left, players)
        return {players: lineups * self.plan.blocks}

    def rounds(self) -> Rounds:
        """Yield the stages as rounds; a round of extra blocks has the same number as its stage."""
        self._begin()
        field = sorted(self._seed, key=self._seed.__getitem__)
        slots = _bracket(field)
        stage = 0
        while self._winner is None:
            tables = _pairs(slots) if self.plan.players == 2 else _snake(field, self.plan.players)
            kept = 1 if len(field) == self.plan.players else self.plan.players // 2
            self.stages.append(self._stage(stage, slots, field, tables, kept))
            ranked = yield from self._play(stage, tables, kept)
            self.stages[-1] = replace(self.stages[-1], ranked=tuple(tuple(self.names[bot] for bot in ranked[table]) for table in tables))
            stage += 1
            if len(field) == self.plan.players:
                field = ranked[tables[0]][:1]
                self._winner = field[0]
            elif self.plan.players == 2:
                slots = _winners(slots, ranked)
                field = [bot for bot in slots if bot is not None]
            else:
                field = self._go_on(field, ranked, kept)
            for bot in field:
                self._reached[bot] = stage

    def places(self) -> tuple[Place, ...]:
        """Return the places, which depend on the stage that each bot reached."""
        ordered = sorted(self._seed, key=lambda bot: (-self._reached[bot], self._seed[bot]))
        places = shared_ranks([(self._reached[bot],) for bot in ordered])
        last = max(self._reached.values())
        return tuple(Place(place, self.names[bot], self._note(bot, last)) for place, bot in zip(places, ordered, strict=True))

    def _stage(self, number: int, slots: Sequence[int | None], field: Sequence[int], tables: Sequence[Lineup], kept: int) -> Stage:
        """Return the pairings of a stage. With two players, bots and tables are in the order of the bracket."""
        names, seated = self.names, {bot for table in tables for bot in table}
        bracket = tuple(None if bot is None else names[bot] for bot in slots) if self.plan.players == 2 else ()
        order = {name: at for at, name in enumerate(bracket)}
        return Stage(
            number,
            tuple(tuple(sorted((names[bot] for bot in table), key=lambda name: order.get(name, 0))) for table in tables),
            tuple(names[bot] for bot in field if bot not in seated),
            kept=kept,
            bracket=bracket,
            title=title_of(len(slots) // 2) if bracket else "final" if len(field) == self.plan.players else f"stage {number + 1}",
        )

    def _note(self, bot: int, last: int) -> str:
        if bot == self._winner:
            return "winner"
        if self._reached[bot] == last and self._winner is None:
            return f"in {self._name(last)}"
        return f"out in {self._name(self._reached[bot])}"

    def _name(self, stage: int) -> str:
        title = self.stages[stage].title if self.stages else "stage 1"
        return title if title.startswith("stage") else f"the {title}"

    def _go_on(self, field: Sequence[int], ranked: Mapping[Lineup, list[int]], kept: int) -> list[int]:
        """Return the bots of the next stage with more than two players, sorted by seed; there are always enough bots for one table."""
        seated = {bot for table in ranked for bot in table}
        on = [bot for bot in field if bot not in seated] + [bot for table in ranked.values() for bot in table[:kept]]
        out = [(place, self._seed[bot], bot) for table in ranked.values() for place, bot in enumerate(table) if place >= kept]
        on += [bot for _, _, bot in sorted(out)[: max(0, self.plan.players - len(on))]]
        return sorted(on, key=self._seed.__getitem__)

    def _play(self, stage: int, tables: Sequence[Lineup], kept: int) -> Generator[Round, Sequence[Outcome], dict[Lineup, list[int]]]:
        """Play until it is decided which ``kept`` bots of each table advance; return the bots of each table, best first."""
        played: dict[Lineup, list[Outcome]] = {table: [] for table in tables}
        blocks = range(self.plan.blocks)
        numbers = self.numbers
        open_ = list(tables)
        while open_:
            for outcome in (yield Round(stage, self.paired(open_, stage, blocks))):
                played[tuple(numbers[name] for name in outcome.ticket.lineup)].append(outcome)
            blocks = range(blocks.stop, blocks.stop + 1)
            if blocks.stop > self.plan.blocks + self.plan.extra:
                break
            open_ = [table for table in open_ if self._is_open(played[table], table, kept)]
        return {table: self._ranked(played[table], table) for table in tables}

    def _keys(self, outcomes: Sequence[Outcome], table: Lineup) -> dict[int, tuple[int, int]]:
        won = dict.fromkeys(table, 0)
        for block in {outcome.ticket.block for outcome in outcomes}:
            scored = add_points((outcome for outcome in outcomes if outcome.ticket.block == block), self.numbers)
            for bot in table:
                won[bot] += scored[bot] == max(scored.values())
        scored = add_points(outcomes, self.numbers)
        return {bot: (won[bot], scored[bot]) for bot in table}

    def _ranked(self, outcomes: Sequence[Outcome], table: Lineup) -> list[int]:
        keys = self._keys(outcomes, table)
        return sorted(table, key=lambda bot: (-keys[bot][0], -keys[bot][1], self._seed[bot]))

    def _is_open(self, outcomes: Sequence[Outcome], table: Lineup, kept: int) -> bool:
        keys, ranked = self._keys(outcomes, table), self._ranked(outcomes, table)
        return keys[ranked[kept - 1]] == keys[ranked[kept]]


def title_of(ties: int) -> str:
    """Return the name of a two-player stage with that number of pairings, including byes."""
    return _TITLES.get(ties, f"last {2 * ties}")


def _count_left(left: int, players: int) -> int:
    if left == players:
        return 1
    return max(players, left // players * (players // 2) + left % players)


def _bracket(field: Sequence[int]) -> list[int | None]:
    """Return the field (sorted by seed) in the order of the bracket; None stands for a bye."""
    order = [0]
    while len(order) < len(field):
        order = [place for one in order for place in (one, 2 * len(order) - 1 - one)]
    return [field[place] if place < len(field) else None for place in order]


def _pairs(slots: Sequence[int | None]) -> list[Lineup]:
    return [
        tuple(sorted((one, other))) for one, other in zip(slots[::2], slots[1::2], strict=True) if one is not None and other is not None
    ]


def _winners(slots: Sequence[int | None], ranked: Mapping[Lineup, list[int]]) -> list[int | None]:
    through: list[int | None] = []
    for one, other in zip(slots[::2], slots[1::2], strict=True):
        through.append(ranked[tuple(sorted((one, other)))][0] if one is not None and other is not None else one if other is None else other)
    return through


def _snake(field: Sequence[int], players: int) -> list[Lineup]:
    """Return the tables of the bots without a bye. Seeds are assigned to tables forwards, then backwards, and so on."""
    count = len(field) // players
    tables: list[list[int]] = [[] for _ in range(count)]
    for place, bot in enumerate(field[len(field) % players :]):
        turn, step = divmod(place, count)
        tables[step if turn % 2 == 0 else count - 1 - step].append(bot)
    return [tuple(sorted(table)) for table in tables]
