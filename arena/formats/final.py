"""A final: bots that can still reach one of the best places play until these places are separated or the budget is used up."""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import ClassVar, Final

from arena.formats.base import Derivation, Format, Lineup, Outcome, Place, Round, Rounds, add_points
from arena.formats.separation import Separation
from arena.spec.spec import Spec
from arena.spec.tables import FinalPlan
from engine.records import Ticket
from engine.text import listed

ROUNDS: Final = 100
"""A budget is divided into about this many rounds. With fewer, play goes on long after places are separated; with more, workers wait."""
LAG: Final = 2
"""Each round depends only on results from at least this many rounds before, so that workers never wait for the end of a round."""
Row = Mapping[Lineup, Sequence[int]]
"""A row of blocks: its line-ups, each mapped to those of its bots that get a score."""


class SeparatingFinal(Format[FinalPlan]):
    """Plays rows of blocks. In each row, every bot whose place is open gets a score: its points in one block, as a share of the maximum.

    A bot's rivals in a row are drawn at random from the whole field, independently of results, so its expected score is the same in all
    rows, and ``Separation`` can compare scores. Bots by the same author never share a table.
    """

    has_places: ClassVar[bool] = True

    def __init__(self, spec: Spec, plan: FinalPlan, joined: Mapping[str, int], derivation: Derivation) -> None:
        super().__init__(spec, plan, joined, derivation)
        self._begin()

    def _begin(self) -> None:
        self._scores = Separation(len(self.names), self.plan.until.confidence)
        self._is_over = False

    @property
    def blocks(self) -> Mapping[int, int] | None:
        """Always None, since the number of blocks is known only at the end."""
        return None

    def delay(self, ticket: Ticket) -> int:
        """Return the number of rounds from the ticket's own round to the round for which its outcome is due."""
        _ = ticket
        return LAG

    def rounds(self) -> Rounds:
        """Yield the rounds, each with one or more rows of blocks. The last rounds have no tickets, and only wait for outcomes."""
        self._begin()
        until = self.plan.until
        in_round = max(1, until.budget // (ROUNDS * self.plan.first_row(len(self.names), clashes=self.authors.clashes)))
        rows: dict[int, Row] = {}
        number = used = drawn = 0
        while (contested := self._scores.contested(until.places)) or rows:
            tickets: list[Ticket] = []
            while contested and drawn < (number + 1) * in_round:
                if used + self._most_blocks(len(contested)) * self.plan.table_matches > until.budget:
                    break
                row = rows[drawn] = self._draw(drawn, contested)
                for lineup in row:
                    tickets += self.block(lineup, len(lineup), drawn, "final", drawn, number=number)
                used += len(row) * self.plan.table_matches
                drawn += 1
            if not (tickets or rows):
                break
            self._take((yield Round(number, tickets)), rows)
            number += 1
        self._is_over = True

    def places(self) -> tuple[Place, ...]:
        """Return the places; bots that are not separated share their places, and are listed in order of their scores."""
        found: list[Place] = []
        for group in self._scores.groups():
            first, last = len(found) + 1, len(found) + len(group)
            found += [Place(first, self.names[bot], self._note(bot), last) for bot in group]
        return tuple(found)

    def conclusion(self) -> str:
        """Return which places are separated and which are shared, and whether the budget ended the final."""
        until = self.plan.until
        ends = [0]
        for group in self._scores.groups():
            ends.append(ends[-1] + len(group))
        sentence = describe_places(ends, until.confidence)
        if not self._is_over:
            return f"So far, {sentence[0].lower()}{sentence[1:]}"
        is_enough = not self._scores.contested(until.places)
        return sentence if is_enough else f"{sentence} Another round would exceed the budget of {until.budget:,} matches."

    def _note(self, bot: int) -> str:
        rows = self._scores.rows(bot)
        return f"{self._scores.mean(bot):.1%} of rivals beaten, {rows} block{'' if rows == 1 else 's'}" if rows else ""

    def _most_blocks(self, contested: int) -> int:
        """Return the most blocks that any draw can put into a row, so that the draw doesn't decide whether the budget suffices."""
        return contested if self.authors.clashes else min(contested, -(-len(self.names) // self.plan.players))

    def _draw(self, number: int, contested: Collection[int]) -> Row:
        """Return a row: divide a random order of the bots into tables, and keep the tables that have a contested bot.

        All sets of rivals are therefore equally likely. If bots by the same author must not meet, each contested bot gets its own table,
        which is filled with the first bots of the random order that can sit there.
        """
        order = list(self.bots)
        random.Random(self.derivation.draw("final", number)).shuffle(order)
        row: dict[Lineup, list[int]] = {}
        for at, bot in enumerate(order):
            first = at - at % self.plan.players
            table = [bot] if self.authors.clashes else order[first : first + self.plan.players]
            if bot in contested:
                row.setdefault(self._fill(table, order), []).append(bot)
        return row

    def _fill(self, table: Sequence[int], order: Sequence[int]) -> Lineup:
        lineup = list(table)
        for bot in order:
            if len(lineup) == self.plan.players:
                break
            if bot not in lineup and self.authors.may_share((*lineup, bot)):
                lineup.append(bot)
        return tuple(sorted(lineup))

    def _take(self, outcomes: Sequence[Outcome], rows: dict[int, Row]) -> None:
        """Add the scores of the rows that these outcomes belong to, and remove these rows."""
        played: dict[int, dict[Lineup, list[Outcome]]] = {}
        numbers = self.numbers
        for outcome in outcomes:
            lineup = tuple(sorted(numbers[name] for name in outcome.ticket.lineup))
            played.setdefault(outcome.ticket.block, {}).setdefault(lineup, []).append(outcome)
        most = 2 * (self.plan.players - 1) * self.plan.table_matches
        for number in sorted(played):
            scores: dict[int, float] = {}
            for lineup, present in rows.pop(number).items():
                points = add_points(played[number][lineup], numbers)
                scores |= {bot: points[bot] / most for bot in present}
            self._scores.add(scores)


def describe_places(ends: Sequence[int], confidence: float) -> str:
    """Return a sentence that says which places are separated from all others, and which are shared.

    ``ends`` has 0 and then the last place of each group.

    >>> describe_places([0, 1, 2, 3, 5], 0.95)
    'Places 1 to 3 are decided with 95% confidence; 4 and 5 are too close to call.'
    """
    groups = list(pairwise(ends))
    alone = [last for first, last in groups if last == first + 1]
    runs: list[tuple[int, int]] = []
    for place in alone:
        runs = [*runs[:-1], (runs[-1][0], place)] if runs and runs[-1][1] == place - 1 else [*runs, (place, place)]
    named = [text for first, last in runs for text in ([f"{first} to {last}"] if last > first + 1 else map(str, range(first, last + 1)))]
    is_one = "" if len(alone) > 1 else "Place " + "".join(named) if alone else "No place"
    sentence = f"{f'{is_one} is' if is_one else f'Places {listed(named)} are'} decided with {100 * confidence:.6g}% confidence"
    shared = [f"{first + 1} {'and' if last == first + 2 else 'to'} {last}" for first, last in groups if last > first + 1]
    return sentence + (f"; {', and so are '.join([f'{shared[0]} are too close to call', *shared[1:]])}." if shared else ".")
