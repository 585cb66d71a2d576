"""Folds of results: plain TrueSkill in schedule order, totals, and what waits for matches before it."""

from __future__ import annotations

from statistics import NormalDist

import pytest
import trueskill
from hypothesis import given, settings
from hypothesis import strategies as st

from leaderboard.ratings.fold import Rated, RatedResult, RatingFold, RatingParameters, conservative
from leaderboard.ratings.trueskill import Skill

BOTS = ("ann", "bob", "cid", "dan")

DEFAULT = RatingParameters()


@st.composite
def tables(draw: st.DrawFn) -> list[RatedResult]:
    """Results of two to four bots with any ranks, ties among them."""
    found = []
    for number in range(draw(st.integers(0, 15))):
        bots = tuple(draw(st.permutations(BOTS))[: draw(st.integers(2, 4))])
        keys = [draw(st.integers(0, 2)) for _ in bots]
        found.append(RatedResult(f"m{number}", bots, tuple(1 + sum(other > key for other in keys) for key in keys)))
    return found


def folded(results: list[RatedResult], parameters: RatingParameters = DEFAULT) -> RatingFold:
    """A fold that has had these results."""
    fold = RatingFold(BOTS, parameters)
    for result in results:
        fold.add(result)
    return fold


def ratings(fold: RatingFold) -> dict[str, tuple[float, float]]:
    """Mu and sigma of each bot."""
    return {rated.bot: (rated.mu, rated.sigma) for rated in fold.table()}


class TestFold:
    @settings(max_examples=25)
    @given(tables(), st.sampled_from([DEFAULT, RatingParameters(mu=10, sigma=2, beta=1, tau=0.5, draw_probability=0.3)]))
    def test_it_is_plain_trueskill_in_order(self, results: list[RatedResult], parameters: RatingParameters) -> None:
        environment = trueskill.TrueSkill(
            parameters.mu, parameters.sigma, parameters.beta, parameters.tau, parameters.draw_probability, backend=None
        )
        plain = {bot: environment.create_rating() for bot in BOTS}
        for result in results:
            rated = environment.rate([{bot: plain[bot]} for bot in result.bots], ranks=result.ranks)
            for group in rated:
                plain |= group
        assert ratings(folded(results, parameters)) == {bot: (rating.mu, rating.sigma) for bot, rating in plain.items()}

    def test_each_result_gives_the_new_ratings_of_those_who_played(self) -> None:
        fold = folded([RatedResult("m1", ("ann", "bob", "cid"), (1, 2, 3))])
        rated = fold.add(RatedResult("m2", ("cid", "ann"), (1, 2)))
        assert [(each.bot, each.number, each.match) for each in rated] == [("cid", 2, "m2"), ("ann", 2, "m2")]
        table = {each.bot: each for each in fold.table()}
        assert all((table[each.bot].mu, table[each.bot].sigma) == (each.mu, each.sigma) for each in rated)
        assert [table[bot].number for bot in BOTS] == [2, 1, 2, 0]

    def test_a_result_without_a_rank_for_each_bot_is_refused(self) -> None:
        with pytest.raises(ValueError, match="argument 2 is shorter"):
            folded([RatedResult("m", ("ann", "bob", "cid"), (1, 2))])

    def test_a_result_that_was_certain_for_one_pair_is_rated_as_the_package_rates_it(self) -> None:
        fold = RatingFold(("ann", "bob", "cid"), RatingParameters(60, 0.5, 3.0, 0.2, 0.9))
        fold._skills["ann"] = Skill.make(0, 0.5)
        table = [(trueskill.Rating(mu, 0.5),) for mu in (0, 60, 60)]
        _, (bob,), (cid,) = trueskill.TrueSkill(60, 0.5, 3.0, 0.2, 0.9).rate(table, ranks=(2, 1, 1))
        rated = fold.add(RatedResult("m", ("ann", "bob", "cid"), (2, 1, 1)))
        assert rated[1:] == (Rated("bob", 1, "m", bob.mu, bob.sigma), Rated("cid", 1, "m", cid.mu, cid.sigma))

    @pytest.mark.parametrize(("mu", "sigma"), [(25.0, 1.0), (30.0, 2.0), (12.0, 8.0), (70.0, 0.5)])
    def test_information_is_the_share_of_its_variance_that_a_bot_loses_on_average(self, mu: float, sigma: float) -> None:
        parameters = RatingParameters(tau=0, draw_probability=0)

        def fold() -> RatingFold:
            found = RatingFold(("ann", "bob"), parameters)
            found._skills["bob"] = Skill.make(mu, sigma)
            return found

        after = [fold().add(RatedResult("m", ("ann", "bob"), ranks)) for ranks in ((1, 2), (2, 1))]
        lost = [1 - (ann.sigma / parameters.sigma) ** 2 for ann, _ in after]
        spread = (2 * parameters.beta**2 + parameters.sigma**2 + sigma**2) ** 0.5
        wins = NormalDist().cdf((parameters.mu - mu) / spread)
        expected = fold().information("ann", "bob")
        assert expected == pytest.approx(wins * lost[0] + (1 - wins) * lost[1], rel=1e-5)


class TestSolo:
    @staticmethod
    def solo(bot: str, score: int, block: int = 0, *, forfeited: bool = False) -> RatedResult:
        return RatedResult(f"{block}{bot}", (bot,), (1,), ((int(not forfeited), score),), block)

    def test_the_matches_of_a_block_are_rated_as_one_table(self) -> None:
        fold = folded([self.solo(bot, score) for bot, score in zip(BOTS, (5, 9, 5, 1), strict=True)])
        assert ratings(fold) == ratings(folded([RatedResult("m", BOTS, (2, 1, 2, 4))]))

    def test_a_forfeit_is_worse_than_any_score(self) -> None:
        fold = folded([self.solo("ann", 99, forfeited=True), *(self.solo(bot, 0) for bot in BOTS[1:])])
        assert ratings(fold) == ratings(folded([RatedResult("m", BOTS, (4, 1, 1, 1))]))

    def test_a_block_that_was_left_unfinished_is_not_mixed_with_the_next(self) -> None:
        fold = folded([self.solo("ann", 1, 0), self.solo("bob", 1, 0), *(self.solo(bot, 2, 1) for bot in BOTS)])
        assert ratings(fold) == ratings(folded([RatedResult("m", BOTS, (1, 1, 1, 1))]))


class TestTable:
    def test_the_best_conservative_score_first_then_by_name(self) -> None:
        fold = folded([RatedResult("m", ("dan", "ann"), (1, 2))])
        assert next(rated.bot for rated in fold.table()) == "dan"
        assert [rated.bot for rated in folded([]).table()] == list(BOTS)
        scores = [conservative(rated.mu, rated.sigma) for rated in fold.table()]
        assert scores == sorted(scores, reverse=True)

    def test_the_conservative_score_is_mu_less_three_sigma(self) -> None:
        assert conservative(25.0, 2.0) == 19.0


def test_a_solo_block_is_rated_under_its_last_match() -> None:
    fold = RatingFold(["ann", "bob"], DEFAULT)
    assert fold.add(RatedResult("m1", ("ann",), (1,), ((3,),), block=1)) == ()
    assert [(each.bot, each.match, each.number) for each in fold.add(RatedResult("m2", ("bob",), (1,), ((5,),), block=1))] == [
        ("ann", "m2", 1),
        ("bob", "m2", 1),
    ]
