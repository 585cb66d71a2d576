"""Comparing two versions, and placing a bot on the scale of the reference bots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from arena.analysis.compare import CompareError, ComparisonPlan, ComparisonRun, make_comparison_plan
from arena.analysis.match_luck import MatchLuck
from arena.analysis.rating import BASE, RatingError, rate, rival_names
from arena.play.executors.base import InlineExecutor, Job, Played, Tickets
from bots.loader.loading import resolve
from bots.loader.version import BotVersion
from engine.records import Fault, FaultKind, MatchResult, SeatResult, Ticket, VoidMatch, pack_replay
from engine.registry import find_game
from leaderboard.ratings.sprt import Hypotheses, Verdict
from tests.arena.fakes import FakeExecutor, without_pauses

TONGIAKI = find_game("tongiaki")


def plan(*field: str, players: int | None = None, seed: int = 7) -> ComparisonPlan:
    return make_comparison_plan(TONGIAKI, "new", "old", field, seed=seed, players=players)


def result(ticket: Ticket, ranks: dict[str, int], faulty: str = "", scores: dict[str, int] | None = None) -> MatchResult:
    """A match that ended with these ranks."""
    fault = Fault(FaultKind.CRASH, 0, "it broke")
    seats = tuple(SeatResult(bot, (scores or {}).get(bot, 0), ranks[bot], fault if bot == faulty else None, 1, 0.0) for bot in ticket.seats)
    return MatchResult(ticket, seats, "end", 1, 0.0, pack_replay(""))


def lucky(seats: int, seat: int, luck: float) -> MatchLuck:
    """A match in which one seat was so lucky against each other."""
    pairs = tuple(tuple(luck * ((one == seat) - (other == seat)) for other in range(seats)) for one in range(seats))
    return MatchLuck((0.0,) * seats, pairs, pairs)


class TestLuck:
    def test_together_it_is_that_of_new_against_old(self) -> None:
        one, other = plan().block(0)
        results = [result(each, {"new": 1, "old": 2}) for each in (one, other)]
        assert plan().luck(results, [lucky(2, 0, 0.5), lucky(2, 0, 0.5)]) == 0, "old had the same seat in the second match"
        assert plan().luck(results, [lucky(2, 0, 0.5), lucky(2, 1, 0.5)]) == 0.5


class TestBlocks:
    def test_two_bots_sit_in_both_orders_on_one_seed(self) -> None:
        first, second = plan().block(0)
        assert (first.seats, second.seats) == (("new", "old"), ("old", "new"))
        assert first.seed == second.seed

    @pytest.mark.parametrize("field", [("a",), ("a", "b"), ("a", "b", "c"), ("a", "b", "c", "d")])
    def test_together_new_and_old_sit_in_every_seat_and_have_the_same_neighbours(self, field: tuple[str, ...]) -> None:
        block = plan(*field).block(0)
        players = 2 + len(field)
        assert len({ticket.seats for ticket in block}) == len(block) == 2 * players == plan(*field).matches_in_block
        for name in ("new", "old"):
            assert Counter(ticket.seats.index(name) for ticket in block) == dict.fromkeys(range(players), 2)
        before = {name: Counter(t.seats[t.seats.index(name) - 1] for t in block) for name in ("new", "old")}
        exchanged = {"new": "old", "old": "new"}
        assert before["new"] == {exchanged.get(name, name): number for name, number in before["old"].items()}

    @pytest.mark.parametrize(
        ("field", "players", "sentence"),
        [
            ((), 4, "a table of 4 needs bots besides NEW and OLD; add one or more with --field"),
            (("a", "b"), 3, "a table of 3 has no room for NEW and OLD and a field of 2"),
            (("a",) * 5, None, "NEW and OLD and a field of 5 make a table of 7, but tongiaki is for 2 to 6 players; take bots out"),
            ((), 1, "NEW or OLD alone makes a table of 1, but tongiaki is for 2 to 6 players; add bots"),
        ],
    )
    def test_seats_that_do_not_fit_are_refused(self, field: tuple[str, ...], players: int | None, sentence: str) -> None:
        with pytest.raises(CompareError, match=sentence):
            plan(*field, players=players)


class TestScores:
    def test_two_seats_a_win_counts_one_a_tie_half_a_defeat_nothing(self) -> None:
        compared = plan()
        one, other = compared.block(0)
        won, tied, lost = {"new": 1, "old": 2}, {"new": 1, "old": 1}, {"new": 2, "old": 1}
        scores = [compared.score([result(one, a), result(other, b)]) for a, b in ((won, won), (won, tied), (won, lost), (lost, lost))]
        assert scores == [1.0, 0.75, 0.5, 0.0]

    def test_together_only_the_order_of_the_two_counts(self) -> None:
        compared = plan("a", "b")
        ranks = {"a": 1, "new": 2, "old": 3, "b": 4}
        assert compared.score([result(ticket, ranks) for ticket in compared.block(0)]) == 1.0

    def test_alone_it_is_points_and_a_forfeit_is_worse_than_none(self) -> None:
        compared = make_comparison_plan(find_game("sunda"), "new", "old", (), seed=1, players=1)
        mine, theirs = compared.block(0)

        def score(new: int, old: int, faulty: str = "") -> float:
            return compared.score([result(mine, {"new": 1}, faulty, {"new": new}), result(theirs, {"old": 1}, faulty, {"old": old})])

        assert [score(5, 3), score(4, 4), score(3, 5), score(9, 3, "new")] == [1.0, 0.5, 0.0, 0.0]


class Fake(FakeExecutor):
    """An executor that makes up results: NEW wins what ``wins`` says; it hands matches back in odd batches, the last first."""

    def __init__(self, wins: str, window: int = 1, void: int | None = None) -> None:
        self._wins = wins
        self._window = window
        self._void = void
        self.taken = 0

    def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
        in_hand: list[Played] = []
        for ticket in without_pauses(tickets):
            self.taken += 1
            in_hand.append(self._play(ticket))
            if len(in_hand) == self._window:
                half = len(in_hand) // 2
                yield in_hand[half:][::-1]
                yield in_hand[:half][::-1]
                in_hand = []
        yield in_hand

    def _play(self, ticket: Ticket) -> Played:
        if ticket.block == self._void:
            return VoidMatch(ticket, "the disk is full")
        is_won = self._wins[ticket.block % len(self._wins)] == "+"
        return result(ticket, {"new": 1 if is_won else 2, "old": 2 if is_won else 1})


def fake_job() -> Job:
    return Job("tongiaki", {}, {"new": BotVersion("new", "1" * 64, "", "New"), "old": BotVersion("old", "2" * 64, "", "Old")})


class TestPlaying:
    def test_what_comes_out_is_the_same_in_whatever_order_matches_come_back(self) -> None:
        found = []
        for window in (1, 2, 7, 64, 1000):
            comparing = ComparisonRun(plan(), Hypotheses())
            comparing.play(fake_job(), Fake("++-", window))
            found.append(replace(comparing.result, played=0, test=None))  # type: ignore[arg-type]
            test = comparing.result.test
            assert test.verdict is Verdict.BETTER
            found.append((test.scores, test.log_ratio, test.interval()))  # type: ignore[arg-type]
        assert all(each == found[number % 2] for number, each in enumerate(found))


def rivals(*names: str) -> dict[str, BotVersion]:
    return {name: resolve(name) for name in names}


def test_a_bot_is_placed_on_the_scale_on_which_random_has_1000() -> None:
    greedy = rate(resolve("greedy"), rivals("spoiler", BASE), TONGIAKI, 2, InlineExecutor(), matches=40)
    assert (greedy.bot, greedy.players, greedy.matches) == ("greedy", 2, 40)
    strengths = {each.bot: each for each in greedy.standings}
    assert (strengths[BASE].elo, strengths[BASE].low, strengths[BASE].high) == (1000, 1000, 1000)
    own = greedy.own
    assert own.low is not None
    assert own.high is not None
    assert own.elo is not None
    assert 1000 < own.low < own.elo < own.high
    assert greedy.forfeits == {"greedy": 0, "spoiler": 0, "random": 0}


def test_the_same_bot_has_the_same_rating() -> None:
    one, other = (rate(resolve("greedy"), rivals("spoiler", BASE), TONGIAKI, 2, InlineExecutor(), matches=8) for _ in range(2))
    assert one == other


def test_random_is_rated_as_1000() -> None:
    assert rate(resolve(BASE), rivals("greedy", "spoiler"), TONGIAKI, 2, InlineExecutor(), matches=8).own.elo == 1000


def test_rivals_fill_the_table_or_the_sentence_says_what_to_do() -> None:
    assert rival_names(TONGIAKI, 5) == ("greedy", "spoiler", "expert", "learned", BASE)
    with pytest.raises(RatingError, match=r"tongiaki has too few reference bots \(4\) to fill a table of 6; use a smaller --tables"):
        rival_names(TONGIAKI, 6)
    with pytest.raises(RatingError, match="too few other reference bots to fill a table of 3"):
        rate(resolve("greedy"), rivals("spoiler", BASE), TONGIAKI, 3, InlineExecutor())
    with pytest.raises(RatingError, match="--matches 3 is too small: a rating at tables of 2 needs at least 4 matches"):
        rate(resolve("greedy"), rivals("spoiler", BASE), TONGIAKI, 2, InlineExecutor(), matches=3)
