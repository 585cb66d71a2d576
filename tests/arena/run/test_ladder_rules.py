"""The rules of a ladder by themselves: what they order, given what is recorded of matches."""

from __future__ import annotations

from dataclasses import replace

from arena.formats.orders import SLOW_RULE, Orders, Pacing, detail_of
from arena.run.ladder_rounds import LadderRules
from leaderboard.ratings.fold import Entry
from leaderboard.records import Order
from tests.arena.format_plans import plan

SCHEDULE = plan(4, format="ladder", rounds=30).schedule
BOTS = {"slow": None, "b1": None, "b2": None}


def entry(bot: str, seconds: float) -> Entry:
    return Entry("m", 0, (bot,), (0,), (1,), (None,), (1,), (seconds,), "", "", (seconds,))


def judged(rules: LadderRules, given: list[Order], quick: float, number: int) -> None:
    """Have the rules judge once the quick bots take so long; orders are added to those given."""
    for bot in ("b1", "b2"):
        for _ in range(4):
            rules.add(entry(bot, quick))
    given += [replace(each, number=len(given) + 1, round=number) for each in rules.judge(Orders(given), BOTS, number, {})]


def test_a_pace_does_not_go_to_and_fro_with_the_time_of_other_bots() -> None:
    rules, given = LadderRules(SCHEDULE), list[Order]()  # type: ignore[arg-type]  # the plan of a ladder
    for _ in range(2):
        rules.add(entry("slow", 5.09))
    for number, quick in enumerate((0.0186, 0.0453, 0.03, 0.0186, 0.0453), start=2):
        judged(rules, given, quick, number)
    assert [(each.by, each.bot, each.round) for each in given] == [(SLOW_RULE, "slow", 2)]
    judged(rules, given, 1.0, 9)  # by a factor of four and more it does change
    assert (len(given), detail_of(given[-1], Pacing).every) == (2, 1)
