"""Simulates newcomers in a ladder: the error of their ratings after their first matches, for different ways of choosing opponents.

python -m benchmarks.newcomers [--seeds N] [--players K] [--json FILE]

Three newcomers join a field of 30 bots with settled ratings at the same time. Matches are not played: true strengths are drawn from
TrueSkill's prior (mean 25, standard deviation 25/3), and results from performances around them (standard deviation beta), with TrueSkill's
margin for ties. For each seed, every rule at every lag is tested with the same field and newcomers. ``fewest`` is the previous rule: first
opponents that have played the fewest matches, then opponents with the closest rating.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from statistics import NormalDist, fmean, stdev
from typing import Final

from rich.console import Console
from rich.table import Table

from arena.formats.base import Lineup, derivation_of
from arena.formats.ladder import EXTRA_TABLES, Ladder
from arena.formats.schedule import RoundDriver
from arena.spec.spec import make_spec
from arena.spec.tables import LadderPlan
from engine.core import shared_ranks
from leaderboard.ratings.fold import RatedResult, RatingFold, RatingParameters

BOTS: Final = 30
NEWCOMERS: Final = 3
TABLES: Final = 100
"""How many matches each bot of the field has played before the newcomers join."""
AFTER: Final = (10, 30, 100)
"""After how many of a newcomer's matches its error is measured."""
LAGS: Final = (1, 2, 4)
TRUE: Final = RatingParameters()
MARGIN: Final = NormalDist().inv_cdf((1 + TRUE.draw_probability) / 2) * 2**0.5 * TRUE.beta


class ByInformation(Ladder):
    """The ladder, in which all bots except the newcomers have already played."""

    settled: Sequence[RatedResult] = ()

    def _begin(self) -> None:
        super()._begin()
        for result in self.settled:
            self._fold.add(result)
        self._sat.update(dict.fromkeys(range(BOTS), TABLES))


class ByFewest(ByInformation):
    """The same ladder with the previous rule."""

    def _extra(self, behind: Sequence[int], lineups: Sequence[Lineup], draw: Mapping[int, int], number: int) -> Iterator[Lineup]:
        met = {bot: {bot} | {mate for lineup in lineups if bot in lineup for mate in lineup} for bot in behind}
        busy: set[int] = set()
        rated = {each.bot: each.mu for each in self._fold.table()}
        means = {bot: rated[self.names[bot]] for bot in draw}
        for _ in range(EXTRA_TABLES):
            for bot in behind:
                free = [other for other in draw if other not in busy and other not in met[bot]]
                free.sort(key=lambda other: (self._sat[other], abs(means[bot] - means[other]), draw[other]))
                table = [bot, *free[: self.plan.players - 1]]
                if len(table) == self.plan.players:
                    busy.update(table[1:])
                    for each in table:
                        met.get(each, set()).update(table)
                    yield tuple(sorted(table))


RULES: Final[dict[str, type[ByInformation]]] = {"fewest": ByFewest, "information": ByInformation}


@dataclass(frozen=True, slots=True)
class Field:
    """The true strength of each bot, and the results of the field before the newcomers join."""

    seed: int
    truth: Mapping[str, float]
    settled: tuple[RatedResult, ...]

    @classmethod
    def draw(cls, seed: int, players: int) -> Field:
        """Draw strengths (the field's average is the prior's mean), and draw the field's results."""
        rng = Random(seed)
        drawn = {f"b{number:02}": rng.gauss(TRUE.mu, TRUE.sigma) for number in range(BOTS)}
        shift = TRUE.mu - fmean(drawn.values())
        truth = {bot: strength + shift for bot, strength in drawn.items()}
        truth |= {f"new{number}": rng.gauss(TRUE.mu, TRUE.sigma) for number in range(NEWCOMERS)}
        settled = []
        for _ in range(TABLES):
            order = rng.sample(sorted(drawn), BOTS)
            for first in range(0, BOTS - players + 1, players):
                table = tuple(order[first : first + players])
                settled.append(RatedResult("", table, play(truth, table, rng)))
        return cls(seed, truth, tuple(settled))


@dataclass(frozen=True, slots=True)
class Error:
    """The error of a newcomer's rating after some matches: in its mean (``points``), and in its rank in the field (``places``)."""

    matches: int
    points: float
    places: int


def play(truth: Mapping[str, float], table: Sequence[str], rng: Random) -> tuple[int, ...]:
    """Draw the ranks of a match from performances around the true strengths; adjacent performances within the margin tie."""
    shown = {bot: rng.gauss(truth[bot], TRUE.beta) for bot in table}
    order = sorted(table, key=lambda bot: -shown[bot])
    level, levels = 0, {order[0]: 0}
    for bot, better in zip(order[1:], order, strict=False):
        level -= shown[better] - shown[bot] >= MARGIN
        levels[bot] = level
    return shared_ranks([(levels[bot],) for bot in table])


def measure(field: Field, rule: type[ByInformation], lag: int, players: int) -> tuple[list[Error], int]:
    """Return the errors of all newcomers, and the largest difference between the match counts of two bots of the field."""
    field_bots = sorted(field.truth)[:BOTS]
    data = {"name": "newcomers", "game": "tongiaki", "seed": field.seed, "bots": [{"name": bot, "source": "random"} for bot in field_bots]}
    spec = make_spec(data | {"schedule": {"format": "ladder", "tables": [players], "lag": lag}}, "newcomers")
    assert isinstance(spec.schedule, LadderPlan)
    ladder = rule(spec, spec.schedule, {}, derivation_of(spec))
    ladder.settled = field.settled
    for bot in sorted(field.truth)[BOTS:]:
        ladder.join(bot, 0)
    fold = RatingFold(field.truth, TRUE)
    for result in field.settled:
        fold.add(result)
    driver = RoundDriver(ladder.rounds(), ladder.delay, needs_results=True)
    played: Counter[str] = Counter()
    errors: list[Error] = []
    while len(errors) < len(AFTER) * NEWCOMERS:
        round_ = driver.next()
        assert round_ is not None
        for ticket in round_.tickets:
            ranks = play(field.truth, ticket.seats, Random(ticket.id))
            fold.add(RatedResult(ticket.id, ticket.seats, ranks))
            driver.expect(ticket)
            driver.settle(ticket.id, ranks)
            played.update(ticket.seats)
            for bot in ticket.seats:
                if bot not in field_bots and played[bot] in AFTER:
                    means = {rated.bot: rated.mu for rated in fold.table()}
                    places = [sum(each[other] > each[bot] for other in field_bots) for each in (means, field.truth)]
                    errors.append(Error(played[bot], abs(means[bot] - field.truth[bot]), abs(places[0] - places[1])))
    field_played = [played[bot] for bot in field_bots]
    return errors, max(field_played) - min(field_played)


@dataclass(frozen=True, slots=True)
class Row:
    """The results for a rule at a lag: the mean errors after each number of matches, with their standard errors."""

    lag: int
    rule: str
    points: dict[int, tuple[float, float]]
    places: dict[int, tuple[float, float]]
    apart: float


def mean_of(values: Sequence[float]) -> tuple[float, float]:
    return fmean(values), stdev(values) / len(values) ** 0.5


def shown(figure: tuple[float, float]) -> str:
    return f"{figure[0]:.2f} ± {figure[1]:.2f}"


def main() -> None:
    """Measure both rules at each lag, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=40, help="the number of fields")
    parser.add_argument("--players", type=int, default=2, help="players in each match")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    given = parser.parse_args()
    fields = [Field.draw(seed, given.players) for seed in range(given.seeds)]
    rows = []
    for lag in LAGS:
        for name, rule in RULES.items():
            found = [measure(field, rule, lag, given.players) for field in fields]
            errors = {after: [error for errors, _ in found for error in errors if error.matches == after] for after in AFTER}
            points = {after: mean_of([error.points for error in errors[after]]) for after in AFTER}
            places = {after: mean_of([error.places for error in errors[after]]) for after in AFTER}
            rows.append(Row(lag, name, points, places, fmean(apart for _, apart in found)))
    table = Table(title=f"error of a newcomer, mean ± standard error of {NEWCOMERS * given.seeds}", box=None, title_justify="left")
    for heading in ("lag", "rule", *(f"points, {n}" for n in AFTER), *(f"places, {n}" for n in AFTER), "field apart"):
        table.add_column(heading, justify="right")
    for row in rows:
        figures = [shown(each[after]) for each in (row.points, row.places) for after in AFTER]
        table.add_row(str(row.lag), row.rule, *figures, f"{row.apart:.1f}")
    Console(width=140).print(table)
    if given.json:
        given.json.write_text(json.dumps([asdict(row) for row in rows], indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
