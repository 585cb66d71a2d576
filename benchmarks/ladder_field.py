"""Simulates ladders with different pairing rules: how accurate ratings and intervals are, and how often a stated order of bots is wrong.

python -m benchmarks.ladder_field [--seeds 20] [--bots 40] [--players 2] [--json FILE]

Strengths are known: all equal, or drawn with a standard deviation of beta or of TrueSkill's prior. Matches are not played: a result is
drawn from performances around the strengths, with TrueSkill's margin for ties (``newcomers``). All rules are tested with the same fields.
``by means`` orders bots only by their ratings; ``drawn`` ignores ratings.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import combinations
from math import hypot
from pathlib import Path
from random import Random
from statistics import NormalDist, fmean
from typing import Final

from rich.console import Console
from rich.table import Table

from arena.formats.base import derivation_of
from arena.formats.ladder import Ladder
from arena.formats.schedule import RoundDriver
from arena.run.results import certain_lead
from arena.spec.spec import make_spec
from arena.spec.tables import LadderPlan
from benchmarks.newcomers import TRUE, play
from leaderboard.ratings.fold import RatedResult, RatingFold

AFTER: Final = (10, 30, 100)
"""The rounds after which ratings are compared with the strengths."""
FIELDS: Final = {"equal": 0.0, "beta": TRUE.beta, "prior": TRUE.sigma}
"""The standard deviations of the strengths."""
_INTERVAL: Final = NormalDist().inv_cdf(0.975)


class ByMeans(Ladder):
    """A ladder that orders bots by the means of their ratings."""

    def _luck(self, bot: int, number: int) -> float:
        return 0.0


class Drawn(Ladder):
    """A ladder that orders bots at random in each round."""

    def _luck(self, bot: int, number: int) -> float:
        return 1_000_000 * super()._luck(bot, number)


RULES: Final[dict[str, type[Ladder]]] = {"by means": ByMeans, "the ladder's": Ladder, "drawn": Drawn}


@dataclass(frozen=True, slots=True)
class Truth:
    """How ratings compare with strengths: the mean error of a rating in points, the fraction of 95% intervals that contain the strength,
    the fraction of pairs whose order is stated, and whether any stated order is wrong.
    """

    error: float
    covered: float
    told: float
    is_wrong: bool


def compare(ratings: Mapping[str, tuple[float, float]], strengths: Mapping[str, float]) -> Truth:
    """Compare means and sigmas with the strengths, after shifting them to the same average."""
    shift = fmean(mu for mu, _ in ratings.values()) - fmean(strengths.values())
    errors = {bot: mu - shift - strengths[bot] for bot, (mu, _) in ratings.items()}
    covered = fmean(abs(errors[bot]) < _INTERVAL * sigma for bot, (_, sigma) in ratings.items())
    certain, told, wrong, pairs = certain_lead(len(ratings)), 0, 0, 0
    for one, other in combinations(ratings, 2):
        lead = ratings[one][0] - ratings[other][0]
        pairs += 1
        if abs(lead) > certain * hypot(ratings[one][1], ratings[other][1]):
            told += 1
            wrong += lead * (strengths[one] - strengths[other]) <= 0
    return Truth(fmean(map(abs, errors.values())), covered, told / pairs, wrong > 0)


def measure(rule: type[Ladder], strengths: Mapping[str, float], seed: int, players: int) -> dict[int, Truth]:
    """Simulate a ladder, and compare its ratings with the strengths after the rounds of ``AFTER``."""
    bots = [{"name": bot, "source": "random"} for bot in sorted(strengths)]
    schedule = {"format": "ladder", "tables": [players], "slow": False}
    spec = make_spec({"name": "field", "game": "tongiaki", "seed": seed, "bots": bots, "schedule": schedule}, "field")
    assert isinstance(spec.schedule, LadderPlan)
    ladder = rule(spec, spec.schedule, {}, derivation_of(spec))
    driver, fold = RoundDriver(ladder.rounds(), ladder.delay, needs_results=True), RatingFold(strengths, TRUE)
    found = {}
    for number in range(1, max(AFTER) + 1):
        round_ = driver.next()
        assert round_ is not None
        for ticket in round_.tickets:
            ranks = play(strengths, ticket.seats, Random(ticket.id))
            fold.add(RatedResult(ticket.id, ticket.seats, ranks))
            driver.expect(ticket)
            driver.settle(ticket.id, ranks)
        if number in AFTER:
            found[number] = compare({each.bot: (each.mu, each.sigma) for each in fold.table()}, strengths)
    return found


@dataclass(frozen=True, slots=True)
class Row:
    """The means over all seeds; ``wrong`` is the fraction of ladders in which the stated order of any pair is wrong."""

    field: str
    rule: str
    rounds: int
    error: float
    covered: float
    told: float
    wrong: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20, help="how many ladders of each kind")
    parser.add_argument("--bots", type=int, default=40)
    parser.add_argument("--players", type=int, default=2, help="players in each match")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    given = parser.parse_args()
    rows = []
    for field, deviation in FIELDS.items():
        for name, rule in RULES.items():
            found = []
            for seed in range(given.seeds):
                rng = Random(seed)
                strengths = {f"b{number:03}": rng.gauss(TRUE.mu, deviation) for number in range(given.bots)}
                found.append(measure(rule, strengths, seed, given.players))
            for after in AFTER:
                of = [each[after] for each in found]
                means = [fmean(getattr(each, what) for each in of) for what in ("error", "covered", "told", "is_wrong")]
                rows.append(Row(field, name, after, *means))
    table = Table(title=f"{given.bots} bots, {given.players}-player matches, {given.seeds} ladders each", box=None, title_justify="left")
    for heading in (
        "strengths",
        "paired",
        "rounds",
        "mean error",
        "correct intervals %",
        "pairs decided %",
        "ladders with a wrong pair %",
    ):
        table.add_column(heading, justify="right")
    for row in rows:
        shares = (f"{100 * each:.0f}" for each in (row.covered, row.told, row.wrong))
        table.add_row(row.field, row.rule, str(row.rounds), f"{row.error:.2f}", *shares)
    Console(width=120).print(table)
    if given.json:
        given.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
