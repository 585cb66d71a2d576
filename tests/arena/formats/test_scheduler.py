"""Schedules: what is fair about them, that they are stable, and that they cost nothing until they are asked."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from itertools import combinations, islice
from math import comb

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from arena.formats.sampling import balanced_sample
from arena.formats.schedule import Schedule
from arena.spec.spec import Spec, SpecError, make_spec
from engine.records import Ticket
from engine.registry import find_game, single_games


def plan(bots: int = 4, game: str = "tongiaki", name: str = "plan", seed: int = 7, **schedule: object) -> Spec:
    """A spec with that many bots, a, b, c ..."""
    entries = [
        {"name": f"{number:03}" if bots > 26 else "abcdefghijklmnopqrstuvwxyz"[number], "source": "random"} for number in range(bots)
    ]
    return make_spec({"name": name, "seed": seed, "game": game, "bots": entries, "schedule": {"tables": [2], **schedule}}, "f.toml")


def tickets(spec: Spec) -> list[Ticket]:
    """All tickets of the spec."""
    return list(Schedule(spec))


class TestLineUps:
    def test_all_line_ups_meet_once_in_each_block(self) -> None:
        heads = Counter(ticket.lineup for ticket in tickets(plan(5, tables=[3], blocks=2)) if ticket.rotation == 0)
        assert heads == Counter(dict.fromkeys(combinations("abcde", 3), 2))

    @pytest.mark.parametrize("game", [name for name in single_games() if find_game(name).min_players == 1])
    def test_solo_every_bot_plays_the_same_seed_in_each_block(self, game: str) -> None:
        found = tickets(plan(3, game=game, tables=[1], blocks=2))
        assert [(ticket.block, ticket.rotation, ticket.seats) for ticket in found] == [
            (block, number, (name,)) for block in range(2) for number, name in enumerate("abc")
        ]
        assert [len({ticket.seed for ticket in found if ticket.block == block}) for block in range(2)] == [1, 1]
        assert len({ticket.seed for ticket in found}) == 2

    def test_a_schedule_too_long_to_be_meant_is_refused(self) -> None:
        with pytest.raises(SpecError, match="the schedule of 'plan' has over 1000000000000 matches; take fewer blocks"):
            Schedule(plan(4, blocks=10**12))
        with pytest.raises(SpecError, match="has over"):
            Schedule(plan(2, blocks=10**30))


class TestStability:
    """What is added later leaves what was there as it was."""

    @pytest.mark.parametrize("game", [name for name in single_games() if find_game(name).min_players == 1])
    def test_solo_tickets_stay(self, game: str) -> None:
        before = {(t.id, t.seats, t.seed) for t in tickets(plan(2, game=game, tables=[1]))}
        assert before <= {(t.id, t.seats, t.seed) for t in tickets(plan(4, game=game, tables=[1], blocks=2))}

    @pytest.mark.parametrize("other", [{"name": "other"}, {"seed": 8}, {"seed": 0}])
    def test_another_name_or_seed_changes_everything(self, other: dict[str, object]) -> None:
        one, two = tickets(plan(4, blocks=2)), tickets(plan(4, blocks=2, **other))  # type: ignore[arg-type]
        assert not {ticket.id for ticket in one} & {ticket.id for ticket in two}
        assert not {ticket.seed for ticket in one} & {ticket.seed for ticket in two}


class TestBalancedSample:
    @given(st.integers(2, 12), st.integers(2, 6), st.integers(1, 120), st.integers(0, 2**53))
    def test_everyone_sits_equally_often_up_to_one(self, bots: int, players: int, count: int, seed: int) -> None:
        assume(players <= bots)
        names = list(range(bots))
        lineups = [lineup for lineup, _ in balanced_sample(names, players, count, seed)]
        assert len(lineups) == count
        assert all(list(lineup) == sorted(set(lineup)) and len(lineup) == players for lineup in lineups)
        sat = Counter(name for lineup in lineups for name in lineup)
        counts = [sat[name] for name in names]
        assert max(counts) - min(counts) <= 1
        assert lineups == [lineup for lineup, _ in balanced_sample(names, players, count, seed)]

    @given(st.integers(2, 12), st.integers(2, 5), st.integers(1, 200), st.integers(0, 2**53))
    def test_pairs_meet_about_equally_often(self, bots: int, players: int, count: int, seed: int) -> None:
        assume(players <= bots)
        names = list(range(bots))
        met: Counter[tuple[int, ...]] = Counter()
        before: Counter[tuple[int, ...]] = Counter()
        for lineup, repeat in balanced_sample(names, players, count, seed):
            assert players > 2 or repeat == before[lineup]
            before[lineup] += 1
            met.update(combinations(lineup, 2))
        mean = count * comb(players, 2) / comb(bots, 2)
        counts = [met[pair] for pair in combinations(names, 2)]
        # measured: within 3.2 of the mean; exact at tables of two
        assert max(counts) < mean + (1 if players == 2 else 4)
        assert min(counts) > mean - (1 if players == 2 else 4)


class TestLaziness:
    @staticmethod
    def peak(spec: Spec, taken: int) -> int:
        """The most memory that starting a schedule and taking so many tickets needs, in bytes."""
        list(islice(Schedule(spec), 600))  # what is made once and kept is made now
        tracemalloc.start()
        try:
            schedule = Schedule(spec)
            assert len(schedule) > 0
            for _ in islice(schedule, taken):
                pass
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    @pytest.mark.sampled(1)
    @pytest.mark.parametrize(
        ("few", "many"),
        [
            (plan(5, tables=[2], blocks=50), plan(5, tables=[2], blocks=50_000)),
            (plan(40, tables=[4], lineups=250), plan(40, tables=[4], lineups=80_000, blocks=4)),
            (plan(40, tables=[2], blocks=1), plan(60, tables=[2, 4], blocks=1)),
        ],
        ids=["blocks", "a sample", "line-ups"],
    )
    def test_a_schedule_of_a_million_tickets_starts_like_one_of_a_thousand(self, few: Spec, many: Spec) -> None:
        assert len(Schedule(few)) >= 1000
        assert len(Schedule(many)) >= 1_000_000
        assert self.peak(many, 1000) < self.peak(few, 1000) + 100_000
