"""A final: who plays, against whom, how long, and what it says in the end."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from arena.formats.base import derivation_of
from arena.formats.final import SeparatingFinal, describe_places
from arena.formats.schedule import Schedule
from arena.spec.spec import Spec, make_spec
from arena.spec.tables import FinalPlan
from tests.arena.format_plans import lineups, plan, play


def final_of(spec: Spec) -> SeparatingFinal:
    """The format of a spec."""
    assert isinstance(spec.schedule, FinalPlan)
    return SeparatingFinal(spec, spec.schedule, {}, derivation_of(spec))


def drawn(spec: Spec, contested: set[int], rows: int) -> list[dict[int, tuple[int, ...]]]:
    """The rivals that count for each contested bot, in so many rows."""
    final = final_of(spec)
    found = []
    for number in range(rows):
        row = final._draw(number, contested)
        assert len(row) <= final._most_blocks(len(contested))
        assert sorted(bot for present in row.values() for bot in present) == sorted(contested)
        found.append({bot: tuple(sorted({*lineup} - {bot})) for lineup, present in row.items() for bot in present})
    return found


class TestRows:
    @pytest.mark.sampled(6)
    @pytest.mark.parametrize(("bots", "players"), [(5, 2), (6, 4), (6, 3), (4, 4)])
    @pytest.mark.parametrize("share", [2, 4, 6])
    def test_every_set_of_rivals_is_as_likely_as_any_other(self, bots: int, players: int, share: int) -> None:
        contested = set(range(min(share, bots)))
        rows = 1500
        counts = {bot: Counter(row[bot] for row in drawn(plan(bots, tables=[players], until={"places": 1, "budget": 900}), contested, rows))
                  for bot in (0, max(contested))}  # fmt: skip
        for bot, count in counts.items():
            sets = list(combinations([other for other in range(bots) if other != bot], players - 1))
            assert set(count) == set(sets)
            expected = rows / len(sets)
            chi_squared = sum((count[each] - expected) ** 2 / expected for each in sets)
            assert chi_squared < len(sets) - 1 + 5 * (2 * len(sets)) ** 0.5

    def test_bots_at_one_table_share_its_block(self) -> None:
        final = final_of(plan(8, tables=[4], until={"places": 1, "budget": 900}))
        assert all(len(final._draw(number, set(range(8)))) == 2 for number in range(20))
        assert {len(final._draw(number, {1, 5})) for number in range(20)} == {1, 2}

    def test_bots_of_one_author_are_kept_apart_and_everyone_has_a_score(self) -> None:
        bots = [{"name": f"b{number}", "source": "random", "author": f"a{min(number, 3)}"} for number in range(7)]
        data = {
            "name": "f",
            "game": "tongiaki",
            "seed": 1,
            "bots": bots,
            "schedule": {"tables": [4], "until": {"places": 1, "budget": 900}},
        }
        spec = make_spec(data, "f.toml")
        for row in drawn(spec, set(range(7)), 100):
            assert all(sum(each >= 3 for each in (bot, *rivals)) <= 1 for bot, rivals in row.items())
        with pytest.raises(ValueError, match="has a budget of 27 matches, but the first round takes 28; raise it"):
            make_spec(data | {"schedule": {"tables": [4], "until": {"places": 1, "budget": 27}}}, "f.toml")


class TestEnd:
    @pytest.mark.parametrize("budget", [8, 9, 59, 200, 1003])
    @pytest.mark.parametrize("players", [2, 3])
    def test_the_budget_is_used_up_but_never_exceeded_where_nobody_is_better(self, budget: int, players: int) -> None:
        spec = plan(4, tables=[players], until={"places": 4, "budget": max(budget, 12)})
        schedule, rounds = play(spec, ties=1.0)
        played = sum(map(len, rounds))
        row = 2 * schedule.count_seatings(players)
        assert max(budget, 12) - row < played <= max(budget, 12)
        assert schedule.conclusion() == (
            f"No place is separated at 95 %; 1 to 4 are shared. The budget of {max(budget, 12):,} matches is used up."
        )
        assert [(each.place, each.last) for each in schedule.places()] == [(1, 4)] * 4

    def test_it_ends_when_the_places_are_separated_and_says_so(self) -> None:
        spec = plan(5, until={"places": 2, "budget": 5000})
        schedule, rounds = play(spec, apart=2.0)
        assert sum(map(len, rounds)) < 2000
        assert "separated" in schedule.conclusion()
        assert "budget" not in schedule.conclusion()
        assert [each.bot for each in schedule.places()][:2] == ["b00", "b01"]
        assert [(each.place, each.last) for each in schedule.places()][:2] == [(1, 1), (2, 2)]

    def test_before_the_end_it_says_so_far(self) -> None:
        schedule, _ = play(plan(5, until={"places": 2, "budget": 5000}), rounds=3)
        assert schedule.conclusion() == "So far, no place is separated at 95 %; 1 to 5 are shared."
        assert Schedule(plan(5, until={"places": 2, "budget": 5000})).places()[0].note == ""

    def test_those_who_are_out_play_no_more_than_as_rivals(self) -> None:
        schedule, rounds = play(plan(6, until={"places": 1, "budget": 3000}), apart=1.0)
        late = Counter(bot for tickets in rounds[-4:] for lineup in lineups(tickets) for bot in lineup)
        early = Counter(bot for tickets in rounds[:4] for lineup in lineups(tickets) for bot in lineup)
        assert early["b05"] > late["b05"]
        assert schedule.places()[0].bot == "b00"


@pytest.mark.parametrize(
    ("ends", "sentence"),
    [
        ([0, 1, 2, 3, 5], "Places 1 to 3 are separated at 95 %; 4 and 5 are shared."),
        ([0, 1, 2, 3], "Places 1 to 3 are separated at 95 %."),
        ([0, 1, 2], "Places 1 and 2 are separated at 95 %."),
        ([0, 2, 3], "Place 3 is separated at 95 %; 1 and 2 are shared."),
        ([0, 1, 3, 4, 8], "Places 1 and 4 are separated at 95 %; 2 and 3 are shared, and so are 5 to 8."),
        ([0, 1, 2, 4, 5, 6, 7], "Places 1, 2 and 5 to 7 are separated at 95 %; 3 and 4 are shared."),
        ([0, 2, 4, 6], "No place is separated at 95 %; 1 and 2 are shared, and so are 3 and 4, and so are 5 and 6."),
        ([0, 8], "No place is separated at 95 %; 1 to 8 are shared."),
    ],
)
def test_places_in_words(ends: list[int], sentence: str) -> None:
    assert describe_places(ends, 0.95) == sentence
    assert describe_places(ends, 0.999) == sentence.replace("95 %", "99.9 %")
