"""Simulates finals with known strengths: how often finals that stop by themselves are wrong, and how many matches they take.

``python -m benchmarks.finals [--runs 200]`` prints the table of docs/ratings.md, which takes half an hour. The format is the real one, but
results are drawn at random instead of played: each bot has a strength, its performance in a match is the strength plus a normal error with
standard deviation 1, and performances determine the ranks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from time import perf_counter
from typing import Final

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy.stats import beta, t

from arena.formats.base import Lineup, derivation_of
from arena.formats.final import SeparatingFinal
from arena.formats.schedule import RoundDriver
from arena.spec.spec import make_spec
from arena.spec.tables import FinalPlan
from benchmarks.common import arguments
from engine.core import shared_ranks
from engine.records import Ticket

BOTS: Final = 8
PLACES: Final = 3
CONFIDENCE: Final = 0.95
BUDGET: Final = 10_000
POWER: Final = 0.9
"""The fraction of finals in which the fixed design with a test must separate the places."""
FIXED_ROWS: Final = 4000
FIXED_FINALS: Final = 200
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Field:
    """Bots with known strengths.

    - ``levels``: the true order: a bot with a lower level is better, and bots on the same level are equal
    - ``grid``: two bots tie if their performances fall into the same step of this size
    - ``against``: how much a bot (row) gains from the presence of each other bot (column)
    - ``luck``: the standard deviation of what a bot's performances in a block have in common
    """

    name: str
    strengths: tuple[float, ...]
    levels: tuple[int, ...]
    grid: float = 0.0
    against: dict[tuple[int, int], float] = field(default_factory=dict)
    luck: float = 0.0
    sizes: tuple[int, ...] = (2, 4, 6)

    @property
    def is_separable(self) -> bool:
        """Whether the places that the final decides are held by bots of different levels."""
        return all(self.levels.count(level) == 1 for level in sorted(self.levels)[:PLACES])

    def performances(self, lineups: NDArray[np.int64], matches: int, rng: np.random.Generator) -> Floats:
        """Return performances of shape (line-ups, matches, seats)."""
        shape = (len(lineups), matches, lineups.shape[1])
        means = np.array(self.strengths)[lineups]
        for (one, other), gain in self.against.items():
            means = means + gain / (lineups.shape[1] - 1) * ((lineups == one) & (lineups == other).any(axis=1, keepdims=True))
        common = rng.normal(0, self.luck, (shape[0], 1, shape[2])) if self.luck else 0.0
        found = means[:, None] + common + rng.normal(size=shape)
        return np.round(found / self.grid) if self.grid else found


def spaced(gap: float) -> tuple[float, ...]:
    """Return evenly spaced strengths, the best first."""
    return tuple(-gap * number for number in range(BOTS))


IN_ORDER: Final = tuple(range(BOTS))
CYCLE: Final = {(one, (one + turn) % 3): sign for one in range(3) for turn, sign in ((1, 1.2), (2, -1.2))}
NEMESIS: Final = {(1, 0): 0.45, (0, 1): -0.45}
FIELDS: Final = (
    Field("all equal", (0.0,) * BOTS, (0,) * BOTS),
    Field("equal, nine matches in ten tied", (0.0,) * BOTS, (0,) * BOTS, grid=3.9, sizes=(2,)),
    Field("places 2 to 4 equal", (1.0, 0.5, 0.5, 0.5, 0.0, -0.5, -1.0, -1.5), (0, 1, 1, 1, 2, 3, 4, 5)),
    Field("close: 54 to 46", spaced(0.15), IN_ORDER),
    Field("close, with ties", spaced(0.15), IN_ORDER, grid=1.5),
    Field("close, luck of blocks", spaced(0.15), IN_ORDER, luck=1.0),
    Field("clear: 64 to 36", spaced(0.5), IN_ORDER),
    Field("clear, with ties", spaced(0.5), IN_ORDER, grid=1.5),
    Field("a cycle of three, five weaker", (1.0, 1.0, 1.0, 0.0, -0.3, -0.6, -0.9, -1.2), (0, 0, 0, 1, 2, 3, 4, 5), against=CYCLE),
    Field("the best loses to the second", (1.5, 1.0, 0.4, 0.0, -0.4, -0.8, -1.2, -1.6), IN_ORDER, against=NEMESIS),
)


class DrawnFinal(SeparatingFinal):
    """A final that creates its tickets quickly, always with the same seating, since seats don't matter in simulated matches."""

    def block(self, lineup: Lineup, players: int, block: int, *more: str | int, number: int = 0) -> Iterator[Ticket]:
        """Yield the tickets of a block."""
        names = tuple(self.names[bot] for bot in lineup)
        for rotation in range(self.plan.table_matches):
            yield Ticket(f"{block} {lineup} {rotation}", names, block, rotation, names, 0, number)


def final_of(size: int, seed: int, budget: int = BUDGET) -> DrawnFinal:
    """Return a final with ``size`` players in each match; everything random in it is derived from the seed."""
    until = {"places": PLACES, "confidence": CONFIDENCE, "budget": budget}
    bots = [{"name": f"b{number}", "source": "random"} for number in range(BOTS)]
    data = {"name": "final", "game": "tongiaki", "seed": seed, "bots": bots, "schedule": {"tables": [size], "until": until}}
    spec = make_spec(data, "final")
    assert isinstance(spec.schedule, FinalPlan)
    return DrawnFinal(spec, spec.schedule, {}, derivation_of(spec))


@dataclass(frozen=True)
class Played:
    """How a final ended: the number of matches, whether the places are separated, and whether any order that it states is wrong."""

    matches: int
    is_separated: bool
    is_false: bool


def play(of: Field, size: int, seed: int, budget: int = BUDGET) -> Played:
    """Play a final to its end with random results."""
    final, rng = final_of(size, seed, budget), np.random.default_rng(seed)
    driver = RoundDriver(final.rounds(), final.delay, needs_results=True)
    matches = 0
    while (round_ := driver.next()) is not None:
        blocks: dict[tuple[int, tuple[str, ...]], list[Ticket]] = defaultdict(list)
        for ticket in round_.tickets:
            driver.expect(ticket)
            blocks[ticket.block, ticket.lineup].append(ticket)
            matches += 1
        if not blocks:
            continue
        lineups = np.array([[int(name[1:]) for name in lineup] for _, lineup in blocks])
        performed = of.performances(lineups, final.plan.table_matches, rng)
        for tickets, block in zip(blocks.values(), performed.tolist(), strict=True):
            for ticket, performances in zip(tickets, block, strict=True):
                driver.settle(ticket.id, tuple(shared_ranks([(each,) for each in performances])))
    groups = [
        [int(each.bot[1:]) for each in final.places() if each.place == place] for place in sorted({each.place for each in final.places()})
    ]
    alone = [group for group in groups[:PLACES] if len(group) == 1]
    is_false = any(of.levels[one] >= of.levels[other] for upper, lower in combinations(groups, 2) for one in upper for other in lower)
    return Played(matches, len(alone) == PLACES, is_false)


def rows_of(of: Field, size: int, finals: int, rows: int, seed: int) -> tuple[Floats, float]:
    """Return all scores in designs fixed in advance, of shape (finals, rows, bots), and how many matches each row has."""
    rng, table_matches = np.random.default_rng(seed), final_of(size, 0).plan.table_matches
    tables = -(-BOTS // size)
    order = np.argsort(rng.random((finals * rows, BOTS)), axis=1)
    order = np.concatenate([order, order[:, : tables * size - BOTS]], axis=1)  # the first bots of the row fill the last match
    performed = of.performances(order.reshape(-1, size), table_matches, rng)
    beaten = (performed[..., :, None] > performed[..., None, :]) + 0.5 * (performed[..., :, None] == performed[..., None, :])
    shares = ((beaten.sum(axis=-1) - 0.5) / (size - 1)).mean(axis=1).reshape(finals * rows, -1)[:, :BOTS]
    scores = np.empty_like(shares)
    np.put_along_axis(scores, order[:, :BOTS], shares, axis=1)
    return scores.reshape(finals, rows, BOTS), tables * table_matches


def fixed(of: Field, size: int) -> tuple[float | None, float | None]:
    """Return how many matches two designs fixed in advance need, or None for more than are simulated.

    The first design separates the places in most finals with a test that has the same error rate; in the second, the order of the means
    alone is right as often as promised.
    """
    right, separated = np.zeros(FIXED_ROWS), np.zeros(FIXED_ROWS)
    count = np.arange(1, FIXED_ROWS + 1)
    limit = t.ppf(1 - (1 - CONFIDENCE) / (2 * (BOTS - 1)), np.maximum(count - 1, 1))
    each = 0.0
    for seed in range(FIXED_FINALS):
        scores, each = rows_of(of, size, 1, FIXED_ROWS, 1000 + seed)
        totals = scores[0].cumsum(axis=0)
        is_right, is_separated = np.ones(FIXED_ROWS, bool), np.ones(FIXED_ROWS, bool)
        for one in range(PLACES):
            for other in range(one + 1, BOTS):
                difference = scores[0, :, one] - scores[0, :, other]
                mean, squares = difference.cumsum() / count, (difference**2).cumsum()
                error = np.sqrt(np.maximum(squares - count * mean**2, 1e-12) / np.maximum(count - 1, 1) / count)
                is_right &= totals[:, one] > totals[:, other]
                is_separated &= (mean > limit * error) & (count > 2)
        right += is_right
        separated += is_separated
    return _first(separated, POWER, each), _first(right, CONFIDENCE, each)


def _first(counts: Floats, share: float, matches: float) -> float | None:
    short = np.flatnonzero(counts < share * FIXED_FINALS)
    rows = 1 if not short.size else int(short[-1]) + 2
    return rows * matches if rows <= FIXED_ROWS else None


def interval(errors: int, of: int) -> tuple[float, float]:
    """Return the 95% Clopper-Pearson interval for a share."""
    low = 0.0 if not errors else float(beta.ppf(0.025, errors, of - errors + 1))
    return low, 1.0 if errors == of else float(beta.ppf(0.975, errors + 1, of - errors))


def line(of: Field, size: int, finals: int, *, compares: bool) -> tuple[int, list[str]]:
    """Simulate finals; return in how many of them an order is wrong, and the row of the table."""
    ended = [play(of, size, 1 + seed) for seed in range(finals)]
    matches = sorted(each.matches for each in ended)
    errors = sum(each.is_false for each in ended)
    low, high = interval(errors, finals)
    tested, believed = fixed(of, size) if compares and of.is_separable else (None, None)
    separated = sum(each.is_separated for each in ended)
    return errors, [
        of.name,
        str(size),
        f"{100 * errors / finals:.2g}",
        f"{100 * low:.1f}-{100 * high:.1f}",
        f"{100 * separated / finals:.0f}",
        f"{sum(matches) / finals:,.0f}",
        f"{matches[int(0.9 * finals)]:,}",
        *("-" if not (compares and of.is_separable) else f"{each:,.0f}" if each else "more" for each in (tested, believed)),
    ]


def main() -> None:
    parser = arguments(__doc__ or "", runs=200)
    parser.add_argument("--no-fixed", action="store_true", help="leave out designs that are fixed in advance")
    given = parser.parse_args()
    finals = given.runs
    table = Table(box=None, pad_edge=False, title=f"{BOTS} bots, places 1 to {PLACES} at 95%, {finals} finals each", title_justify="left")
    table.add_column("field")
    for header in ("seats", "wrong %", "95%", "separated %", "matches", "90% within", "fixed, tested", "fixed, believed"):
        table.add_column(header, justify="right")
    console, began, errors, number = Console(width=120), perf_counter(), 0, 0
    for of in FIELDS:
        for size in of.sizes:
            found, row = line(of, size, finals, compares=not given.no_fixed)
            errors, number = errors + found, number + finals
            table.add_row(*row)
            console.print(f"[dim]{perf_counter() - began:.0f} s: {' '.join(row)}[/dim]")
    console.print(table)
    low, high = interval(errors, number)
    console.print(f"In total, {errors} of {number} finals state a wrong order ({100 * low:.2f}% to {100 * high:.2f}%).")


if __name__ == "__main__":
    main()
