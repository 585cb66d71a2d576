"""What each format schedules, and that names decide nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.formats.base import Outcome, points
from arena.formats.schedule import Schedule
from arena.spec.secret import SEED_BITS
from arena.spec.spec import Spec, make_spec
from engine.records import Ticket
from tests.arena.format_plans import first, go_on, lineups, met, plan, play, played, seated

EVERY = {
    "round-robin": plan(5, tables=[2, 3], blocks=2),
    "two bots": plan(2),
    "permutations": plan(4, tables=[2, 3], seats="permutations"),
    "a sample": plan(9, tables=[3], lineups=20),
    "a sample with line-ups that come again": plan(5, lineups=9, blocks=2),
    "a sample of all": plan(4, tables=[3], lineups=4),
    "a sample of more than all": plan(4, tables=[3], lineups=99),
    "gauntlet": plan(6, format="gauntlet", tables=[2, 4], challengers=["b01", "b03"], blocks=2),
    "a gauntlet's sample": plan(9, format="gauntlet", tables=[4], challengers=["b01"], lineups=7),
    "swiss": plan(9, format="swiss", rounds=5, blocks=2),
    "swiss of three": plan(8, format="swiss", tables=[3], rounds=4),
    "ladder": plan(7, format="ladder", rounds=9),
    "ladder of four": plan(9, format="ladder", tables=[4], rounds=6, seats="permutations"),
    "knockout": plan(11, format="knockout", blocks=2),
    "knockout without extra blocks": plan(11, format="knockout", extra=0),
    "final": plan(7, until={"places": 3, "budget": 700}),
    "knockout of four": plan(14, format="knockout", tables=[4]),
}


@pytest.mark.parametrize("spec", EVERY.values(), ids=EVERY)
class TestEveryFormat:
    def test_its_total_is_what_is_played(self, spec: Spec) -> None:
        schedule, rounds = play(spec)
        assert schedule.total in {None, sum(map(len, rounds))}
        assert schedule.total_blocks in {None, sum(len(lineups(tickets)) for tickets in rounds)}
        is_open = spec.schedule.format == "final" or (spec.schedule.format == "knockout" and spec.schedule.extra > 0)
        assert (schedule.total is None) == is_open

    def test_everyone_plays(self, spec: Spec) -> None:
        _, rounds = play(spec)
        assert set(seated([ticket for tickets in rounds for ticket in tickets])) == {bot.name for bot in spec.bots}

    def test_seats_are_equal(self, spec: Spec) -> None:
        _, rounds = play(spec)
        for players in spec.schedule.tables:
            seats = [Counter() for _ in range(players)]  # type: ignore[var-annotated]
            for tickets in rounds:
                for ticket in tickets:
                    if len(ticket.seats) == players:
                        for seat, name in enumerate(ticket.seats):
                            seats[seat][name] += 1
            assert all(each == seats[0] for each in seats)

    def test_a_block_has_a_key_of_its_own_and_every_seating(self, spec: Spec) -> None:
        schedule, rounds = play(spec)
        blocks: dict[int, list[Ticket]] = {}
        for tickets in rounds:
            for ticket in tickets:
                blocks.setdefault(ticket.block_key, []).append(ticket)
        for block in blocks.values():
            assert len(block) == len({ticket.seats for ticket in block}) == schedule.count_seatings(len(block[0].lineup))
            assert len({(ticket.lineup, ticket.round, ticket.block) for ticket in block}) == 1
            assert list(block[0].lineup) == sorted(set(block[0].seats))
            assert [ticket.rotation for ticket in block] == list(range(len(block)))

    def test_every_match_has_a_deck_of_its_own(self, spec: Spec) -> None:
        _, rounds = play(spec)
        seeds = [ticket.seed for tickets in rounds for ticket in tickets]
        assert len(set(seeds)) == len(seeds)
        assert all(0 <= seed < 2**SEED_BITS for seed in seeds)


def test_points_count_those_beaten_and_half_of_those_tied_with() -> None:
    assert points((1, 2)) == (2, 0)
    assert points((1, 1)) == (1, 1)
    assert points((2, 1, 2, 4)) == (3, 6, 3, 0)
    assert points((3, 1, 2, 4, 5, 6)) == (6, 10, 8, 4, 2, 0)


class TestGauntlet:
    @pytest.mark.parametrize("seats", [2, 3, 5])
    def test_every_line_up_with_exactly_one_challenger(self, seats: int) -> None:
        found = lineups(first(plan(7, format="gauntlet", tables=[seats], challengers=["b02", "b05"]), 10**6))
        expected = [each for each in combinations([f"b{n:02}" for n in range(7)], seats) if len({"b02", "b05"} & set(each)) == 1]
        assert sorted(found) == expected

    def test_a_sample_meets_the_field_evenly(self) -> None:
        found = first(plan(8, format="gauntlet", tables=[3], challengers=["b02", "b05"], lineups=10), 10**6)
        counts = seated(found)
        assert {counts["b02"], counts["b05"]} == {60}
        field = [counts[f"b{n:02}"] // 12 for n in (0, 1, 3, 4, 6, 7)]
        assert max(field) - min(field) <= 1


class TestSwiss:
    @given(st.integers(2, 11), st.integers(1, 12), st.floats(0, 1))
    def test_at_tables_of_two_nobody_meets_again_while_it_can_be_avoided(self, bots: int, count: int, ties: float) -> None:
        _, rounds = play(plan(bots, format="swiss", rounds=count), ties=ties)
        names = [f"b{number:02}" for number in range(bots)]
        times: Counter[tuple[str, ...]] = Counter()
        byes: Counter[str] = Counter()
        for number, tickets in enumerate(rounds):
            pairs = lineups(tickets)
            idle = set(names) - {name for pair in pairs for name in pair}
            assert len(idle) == bots % 2
            assert all(byes[name] == min(byes[other] for other in names) for name in idle)
            repeats = sum(times[pair] > 0 for pair in pairs)
            if repeats:
                assert number >= bots / 2 - 1  # by Dirac's theorem there is a fresh pairing before that
                assert repeats >= len(names) // 2 - self.most_fresh(names, times, byes)
            times.update(pairs)
            byes.update(idle)

    @staticmethod
    def most_fresh(names: list[str], times: Counter[tuple[str, ...]], byes: Counter[str]) -> int:
        """The most pairs of a round that have not met, whoever of those with fewest byes sits out."""
        fresh = [pair for pair in combinations(names, 2) if not times[pair]]
        if len(names) % 2 == 0:
            return len(nx.max_weight_matching(nx.Graph(fresh), maxcardinality=True))
        least = min(byes[name] for name in names)
        return max(
            len(nx.max_weight_matching(nx.Graph([pair for pair in fresh if out not in pair]), maxcardinality=True))
            for out in names
            if byes[out] == least
        )

    def test_those_who_stand_equal_meet(self) -> None:
        spec = plan(16, format="swiss", rounds=4)
        schedule = Schedule(spec)
        driver = schedule.drive()
        step = driver.next()
        scores: Counter[str] = Counter()
        for _ in range(3):
            assert step is not None
            tickets = list(step.tickets)
            gaps = [abs(scores[ticket.seats[0]] - scores[ticket.seats[1]]) for ticket in tickets]
            assert sum(gaps) <= 8  # of 16 line-ups' matches; there is always such a pairing of 16 bots
            ranks = [(1, 2) if ticket.seats[0] < ticket.seats[1] else (2, 1) for ticket in tickets]
            for ticket in tickets:
                scores[min(ticket.seats)] += 2
            step = go_on(driver, [Outcome(ticket, each) for ticket, each in zip(tickets, ranks, strict=True)])
        assert {place.bot: place.note.split()[0] for place in schedule.places()}["b00"] == "12"


class TestLadder:
    @settings(max_examples=15)
    @given(st.integers(2, 12), st.integers(2, 5), st.integers(1, 40))
    @pytest.mark.slow  # a ladder of many rounds
    def test_nobody_falls_behind(self, bots: int, players: int, count: int) -> None:
        if players > bots:
            return
        _, rounds = play(plan(bots, format="ladder", tables=[players]), rounds=count)
        counts = Counter(dict.fromkeys([f"b{n:02}" for n in range(bots)], 0))
        for tickets in rounds:
            counts.update(seated(tickets))
            assert max(counts.values()) - min(counts.values()) <= players * (players - 1)

    @pytest.mark.slow  # ladders of many rounds
    @pytest.mark.sampled(1)
    @pytest.mark.parametrize(("bots", "players", "behind"), [(6, 2, 4), (9, 3, 12), (5, 2, 2), (12, 4, 24)])
    def test_one_that_joins_catches_up_and_the_rounds_before_stay_as_they_were(self, bots: int, players: int, behind: int) -> None:
        spec = plan(bots, format="ladder", tables=[players], behind=behind)
        late = f"b{bots - 1:02}"
        _, rounds = play(spec, rounds=400, joining={30: late})
        alone = play(spec.model_copy(update={"bots": spec.bots[:-1]}), rounds=30)[1]
        assert rounds[:30] == alone
        counts = seated([ticket for tickets in rounds[:30] for ticket in tickets])
        caught = None
        for number, tickets in enumerate(rounds[30:]):
            assert caught is not None or late in seated(tickets)
            counts.update(seated(tickets))
            gap = max(counts.values()) - min(counts.values())
            caught = number if caught is None and gap <= behind else caught
            assert caught is None or gap <= behind
        assert caught is not None

    @pytest.mark.slow  # a ladder of many rounds
    @pytest.mark.sampled(1)
    @pytest.mark.parametrize(("bots", "players"), [(12, 4), (16, 3), (32, 2)])
    def test_nobody_waits_for_one_that_joins(self, bots: int, players: int) -> None:
        spec = plan(bots, format="ladder", tables=[players])
        _, rounds = play(spec, rounds=60, joining={30: f"b{bots - 1:02}"})
        for tickets in rounds[30:]:
            idle = bots - len(seated(tickets))
            assert idle <= bots % players
            assert min(seated(tickets).values()) == spec.schedule.count_seatings(players)

    @pytest.mark.slow
    def test_bots_of_equal_skill_meet_more_often_than_those_far_apart(self) -> None:
        spec = plan(12, format="ladder")
        _, rounds = play(spec, rounds=200, ties=0.0, apart=1.0)
        times = met([ticket for tickets in rounds for ticket in tickets])
        near = sum(times[f"b{n:02}", f"b{n + 1:02}"] for n in range(11)) / 11
        far = sum(times[f"b{n:02}", f"b{n + 8:02}"] for n in range(4)) / 4
        assert near > 2 * far

    def test_it_has_no_end_unless_it_is_given_one(self) -> None:
        assert Schedule(plan(4, format="ladder")).total is None
        assert len(play(plan(4, format="ladder"), rounds=60)[1]) == 60
        assert len(play(plan(4, format="ladder", rounds=5))[1]) == 5


class TestKnockout:
    @given(st.integers(2, 40), st.integers(0, 3), st.floats(0, 1))
    def test_at_tables_of_two_who_loses_is_out(self, bots: int, extra: int, ties: float) -> None:
        schedule, rounds = play(plan(bots, format="knockout", extra=extra), ties=ties)
        pairs = {(ticket.round, ticket.lineup) for tickets in rounds for ticket in tickets}
        assert len(pairs) == bots - 1
        last = max(number for number, _ in pairs)
        assert last == (bots - 1).bit_length() - 1
        for stage in range(last):
            here = Counter(name for number, pair in pairs if number == stage for name in pair)
            later = {name for number, pair in pairs if number > stage for name in pair}
            assert set(here.values()) <= {1}
            for number, pair in pairs:
                assert number != stage or len(later & set(pair)) == 1
        assert [place.note for place in schedule.places()].count("winner") == 1
        assert schedule.places()[0].note == "winner"

    @pytest.mark.parametrize("bots", range(2, 18))
    def test_the_best_seeds_have_the_byes_and_meet_last(self, bots: int) -> None:
        names = [f"b{number:02}" for number in range(bots)]
        spec = plan(bots, format="knockout", extra=0)
        driver = Schedule(spec).drive()
        step = driver.next()
        seen: list[list[tuple[str, ...]]] = []
        while step is not None:  # the better seed always wins
            tickets = list(step.tickets)
            seen.append([ticket.lineup for ticket in tickets if ticket.rotation == 0])
            step = go_on(driver, [Outcome(t, (1, 2) if t.seats[0] < t.seats[1] else (2, 1)) for t in tickets])
        size = 1 << (bots - 1).bit_length()
        assert {name for pair in seen[0] for name in pair} == set(names[size - bots :])
        assert seen[-1] == [("b00", "b01")]
        for number, pairs in enumerate(seen[1:], start=1):
            left = size >> number
            assert all(int(one[1:]) + int(other[1:]) == left - 1 for one, other in pairs)

    def test_a_tie_plays_extra_blocks_and_then_the_better_seed_goes_on(self) -> None:
        schedule, rounds = play(plan(4, format="knockout", blocks=2, extra=3, seeds=["b03", "b02", "b01", "b00"]), ties=1.0)
        assert [len(tickets) for tickets in rounds] == [8, 4, 4, 4, 4, 2, 2, 2]
        assert [tickets[0].round for tickets in rounds] == [0, 0, 0, 0, 1, 1, 1, 1]
        assert [place.bot for place in schedule.places()] == ["b03", "b02", "b01", "b00"]


FORMATS: dict[str, dict[str, object]] = {
    "round-robin": {},
    "sample": {"lineups": 3},
    "gauntlet": {"challengers": [0, 3]},
    "swiss": {"rounds": 3},
    "ladder": {"rounds": 4},
    "knockout": {"extra": 1},
    "final": {"until": {"places": 2, "budget": 800}},
    "seeded knockout": {"seeds": [3, 1, 0, 2, 4, 5, 6]},
}


def made(kind: str, names: list[str], players: int, seats: str, authors: dict[int, str]) -> Spec:
    """A spec of a format whose bots have these names."""
    schedule = {key: [names[number] for number in value] if isinstance(value, list) else value for key, value in FORMATS[kind].items()}
    format_ = {"sample": "round-robin", "seeded knockout": "knockout"}.get(kind, kind)
    entries = [
        {"name": name, "source": "random"} | ({"author": authors[number]} if number in authors and "knockout" not in kind else {})
        for number, name in enumerate(names)
    ]
    data = {
        "name": "plan",
        "game": "tongiaki",
        "seed": 7,
        "bots": entries,
        "schedule": {"format": format_, "tables": [players], "seats": seats, **schedule},
    }
    return make_spec(data, "test")


def schedule_of(spec: Spec, names: list[str]) -> list[Ticket]:
    """All tickets, played by outcomes that follow from numbers alone, with names replaced by numbers."""
    number_of = {name: f"b{number:02}" for number, name in enumerate(names)}.__getitem__
    schedule, found = Schedule(spec), []
    driver = schedule.drive()
    step = driver.next()
    while step is not None:
        tickets = list(step.tickets)
        called = [replace(each, lineup=tuple(map(number_of, each.lineup)), seats=tuple(map(number_of, each.seats))) for each in tickets]
        found += called
        outcomes = [replace(played(each), ticket=ticket) for each, ticket in zip(called, tickets, strict=True)]
        step = go_on(driver, outcomes)
    found += [Ticket(number_of(each.bot), (), each.place, 0, (), 0) for each in schedule.places()]
    return found


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", list(FORMATS))
@settings(max_examples=6)
@given(
    names=st.lists(st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,8}", fullmatch=True), min_size=7, max_size=7, unique=True),
    players=st.integers(2, 6),
    seats=st.sampled_from(["balanced", "rotations"]),
    authors=st.dictionaries(st.integers(0, 6), st.sampled_from(["Ana", "Bea"]), max_size=2),
)
def test_renaming_bots_changes_nothing_but_their_names(
    kind: str, names: list[str], players: int, seats: str, authors: dict[int, str]
) -> None:
    if kind == "gauntlet":
        players = min(players, 5)
    plain = [f"x{number}" for number in range(7)]
    if len(authors) == 2 and len(set(authors.values())) == 1 and players == 6 and kind in {"gauntlet", "sample"}:
        authors = {}
    try:
        expected = schedule_of(made(kind, plain, players, seats, authors), plain)
    except ValueError as error:
        with pytest.raises(ValueError, match=r"."):
            made(kind, names, players, seats, authors)
        assert "author" in str(error)  # noqa: PT017  # both are refused for the same reason
        return
    assert schedule_of(made(kind, names, players, seats, authors), names) == expected
