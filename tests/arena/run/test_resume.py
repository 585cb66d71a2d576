"""A spec that has changed since the run began: what only adds goes on, whatever else is refused with every difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.changes import ChangedError, find_changes
from arena.formats.schedule import Schedule
from arena.run.results import standings
from arena.spec.spec import Spec, make_spec
from leaderboard.storage.store import Store
from tests.arena.format_plans import plan
from tests.arena.running import Hasty, digests, run, stop_after
from tests.world import tournament_of

UNTIL = {"places": 2, "budget": 800}


def turned(spec: Spec) -> Spec:
    return spec.model_copy(update={"bots": spec.bots[::-1]})


ADDING = {
    "blocks": (plan(4, blocks=2), plan(4, blocks=5), ["3 blocks (there were 2)"]),
    "tables": (plan(4, tables=[2]), plan(4, tables=[3, 2, 4]), ["tables of 3, 4 seats"]),
    "bots": (plan(4), plan(6), ["bots: b04, b05"]),
    "bots and blocks": (plan(4), plan(5, blocks=2), ["bots: b04", "1 block (there were 1)"]),
    "line-ups of a sample": (plan(8, tables=[3], lineups=10), plan(8, tables=[3], lineups=30), ["up to 30 line-ups"]),
    "all pairs after a sample": (plan(8, lineups=10), plan(8), ["all line-ups"]),
    "the field": (
        plan(4, format="gauntlet", challengers=["b01"]),
        plan(6, format="gauntlet", challengers=["b01"]),
        ["bots: b04, b05"],
    ),
    "a challenger": (
        plan(4, format="gauntlet", tables=[3], challengers=["b01"]),
        plan(5, format="gauntlet", tables=[3], challengers=["b01", "b04"]),
        ["bots: b04", "challengers: b04"],
    ),
    "rounds of a Swiss": (plan(6, format="swiss", rounds=2), plan(6, format="swiss", rounds=4), ["2 rounds (there were 2)"]),
    "rounds of a ladder": (plan(5, format="ladder", rounds=2), plan(5, format="ladder", rounds=4), ["2 rounds (there were 2)"]),
    "bots of a ladder": (
        plan(4, format="ladder", rounds=6),
        plan(6, format="ladder", rounds=9),
        ["bots: b04, b05", "3 rounds (there were 6)"],
    ),
}

REFUSED = {
    "fewer blocks": (plan(4, blocks=2), plan(4), ["schedule.blocks"]),
    "fewer bots": (plan(4), plan(3), ["bots"]),
    "fewer tables": (plan(4, tables=[2, 3]), plan(4, tables=[3]), ["schedule.tables"]),
    "other tables": (plan(4, tables=[2, 3]), plan(4, tables=[3, 2]), ["schedule.tables"]),
    "a smaller sample": (plan(8, tables=[3], lineups=30), plan(8, tables=[3], lineups=20), ["schedule.lineups"]),
    "all line-ups of three after a sample": (plan(8, tables=[3], lineups=30), plan(8, tables=[3]), ["schedule.lineups"]),
    "a sample after all line-ups": (plan(8), plan(8, lineups=20), ["schedule.lineups"]),
    "bots of a sample": (plan(8, lineups=9), plan(9, lineups=9), ["bots"]),
    "the field of a sample": (
        plan(6, format="gauntlet", tables=[3], challengers=["b01"], lineups=3),
        plan(7, format="gauntlet", tables=[3], challengers=["b01"], lineups=3),
        ["bots"],
    ),
    "a challenger out of the field": (
        plan(5, format="gauntlet", tables=[3], challengers=["b01"]),
        plan(5, format="gauntlet", tables=[3], challengers=["b01", "b04"]),
        ["schedule.challengers"],
    ),
    "bots of a Swiss": (plan(6, format="swiss", rounds=2), plan(7, format="swiss", rounds=2), ["bots"]),
    "blocks of a Swiss": (plan(6, format="swiss", rounds=2), plan(6, format="swiss", rounds=2, blocks=2), ["schedule.blocks"]),
    "bots of a final": (plan(6, until=UNTIL), plan(7, until=UNTIL), ["bots"]),
    "the budget of a final": (plan(6, until=UNTIL), plan(6, until=UNTIL | {"budget": 900}), ["schedule.until.budget"]),
    "fewer rounds": (plan(6, format="swiss", rounds=2), plan(6, format="swiss", rounds=1), ["schedule.rounds"]),
    "an end to a ladder": (plan(6, format="ladder"), plan(6, format="ladder", rounds=5), ["schedule.rounds"]),
    "how far behind": (plan(6, format="ladder"), plan(6, format="ladder", behind=10), ["schedule.behind"]),
    "seeds": (plan(6, format="knockout"), turned(plan(6, format="knockout")), ["bots"]),
    "seeds written out": (
        plan(3, format="knockout"),
        plan(3, format="knockout", seeds=["b00", "b01", "b02"]),
        ["schedule.seeds"],
    ),
    "extra blocks": (plan(6, format="knockout"), plan(6, format="knockout", extra=3), ["schedule.extra"]),
    "seats and blocks": (plan(4), plan(4, seats="permutations", blocks=2), ["schedule.seats"]),
    "another format": (plan(4), plan(4, format="ladder"), ["schedule.format"]),
}


@pytest.mark.parametrize(("old", "new", "phrases"), ADDING.values(), ids=ADDING)
class TestAdding:
    def test_it_is_told_what_is_added(self, old: Spec, new: Spec, phrases: list[str]) -> None:
        changes = find_changes(old, new)
        assert (sorted(changes.added), changes.changed) == (sorted(phrases), ())

    @pytest.mark.sampled(3)
    def test_old_tickets_stay_nothing_is_played_twice_and_the_digests_are_those_of_the_new_spec(
        self, old: Spec, new: Spec, phrases: list[str], tmp_path: Path
    ) -> None:
        first, second, whole = Hasty(), Hasty(shuffled=1), Hasty()
        run(old, tmp_path / "t.db", first)
        summary = run(new, tmp_path / "t.db", second)
        ids = [ticket.id for ticket in first.taken + second.taken]
        assert summary.is_complete
        assert len(set(ids)) == len(ids) == summary.stored
        if len(new.bots) == len(old.bots) or new.schedule.format != "ladder":  # who joins later has other opponents
            assert digests(summary) == digests(run(new, tmp_path / "whole.db", whole))
            assert sorted(ids) == sorted(ticket.id for ticket in whole.taken)
        with Store.read(tmp_path / "t.db") as store:
            lines = standings(store, summary.tournament)
            assert [(line.bot, line.matches, line.mu, line.sigma) for line in lines] == [
                (rated.bot, rated.number, rated.mu, rated.sigma) for rated in summary.table
            ]
            assert summary.tournament.total in {summary.stored, Schedule(new).total}

    @pytest.mark.sampled(2)
    def test_it_can_be_added_in_the_middle_of_a_run(self, old: Spec, new: Spec, phrases: list[str], tmp_path: Path) -> None:
        first, second = Hasty(), Hasty()
        run(old, tmp_path / "t.db", first, is_stopping=stop_after(5))
        summary = run(new, tmp_path / "t.db", second)
        ids = [ticket.id for ticket in first.taken + second.taken]
        assert summary.is_complete
        assert len(set(ids)) == len(ids) == summary.stored


@pytest.mark.parametrize(("old", "new", "keys"), REFUSED.values(), ids=REFUSED)
def test_what_does_not_only_add_is_found(old: Spec, new: Spec, keys: list[str]) -> None:
    assert [key for key, _, _ in find_changes(old, new).changed] == keys


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("old", "new", "keys"), REFUSED.values(), ids=REFUSED)
def test_what_does_not_only_add_is_refused_and_changes_nothing(old: Spec, new: Spec, keys: list[str], tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    expected = run(old, path, Hasty(), is_stopping=(lambda: False) if old.schedule.format != "ladder" else stop_after(6))
    with pytest.raises(ChangedError) as caught:
        run(new, path)
    text = str(caught.value)
    assert text.startswith(f"the tournament 'plan' in {path} was started with a different '")
    assert text.endswith(" start a new tournament under a different name, or use a different database (--db)")
    assert all(f"'{key}' (" in text for key in keys)
    with Store.read(path) as store:
        stored = tournament_of(store)
        assert stored.spec == old.canonical() == expected.tournament.spec


def test_the_same_spec_and_another_order_of_the_bots_add_nothing() -> None:
    for spec in (plan(4), plan(4, format="swiss", rounds=2), plan(4, format="ladder")):
        changes = find_changes(spec, turned(spec))
        assert (changes.added, changes.changed) == ((), ())


def test_every_difference_is_told_with_both_values() -> None:
    old = make_spec({"name": "p", "game": "tongiaki", "seed": 1, "bots": ["random", "greedy"], "schedule": {"tables": [2]}}, "f")
    new = make_spec(
        {"name": "p", "game": "tongiaki", "seed": 2, "bots": ["random", "greedy"], "schedule": {"tables": [2]}, "rating": {"mu": 1}}, "f"
    )
    assert find_changes(old, new).changed == (("rating.mu", "25.0", "1.0"), ("seed", "1", "2"))
