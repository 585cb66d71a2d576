"""Rating a bot: what is played, what is computed of it, and what is refused."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import msgspec
import pytest

from arena.analysis.rating import (
    Anchors,
    PlayedBlock,
    Rating,
    RatingError,
    find_rating_anchors,
    make_rating_plan,
    rating_bytes,
    read_rating,
)
from bots.loader.loading import resolve
from engine.registry import find_game
from leaderboard.ratings.anchors import Measured, MeasuredTable, TableStrength, read_anchors

TONGIAKI = find_game("tongiaki")


def anchors(strengths: dict[str, float], players: int = 2) -> Anchors:
    lines = tuple(TableStrength(bot, value, value - 30, value + 30) for bot, value in strengths.items())
    covariance = tuple(tuple(225.0 * (one == other) for other in lines) for one in lines)
    return Anchors(tuple(strengths), tuple(f"v{bot}" for bot in strengths), MeasuredTable(players, 100, lines, covariance))


FOUR = {"high": 1800.0, "upper": 1600.0, "lower": 1400.0, "low": 1000.0}


def rated(*shares: float) -> Rating:
    """The rating of a bot with these shares of 40 blocks against each of four."""
    plan = make_rating_plan(TONGIAKI, "mine", "digest", anchors(FOUR))
    blocks = [PlayedBlock((number,), (float(block < share * 40),)) for number, share in enumerate(shares) for block in range(40)]
    return Rating(plan, tuple(blocks), {}, plan.anchors.rate(blocks))


class TestThePlan:
    def test_a_block_is_one_table_in_all_rotations_on_one_seed(self) -> None:
        plan = make_rating_plan(TONGIAKI, "mine", "digest", anchors(FOUR, 3))
        tickets = list(plan.tickets(5, (0, 2)))
        assert [ticket.seats for ticket in tickets] == [("mine", "high", "lower"), ("high", "lower", "mine"), ("lower", "mine", "high")]
        assert len({ticket.seed for ticket in tickets}) == 1
        assert len({ticket.id for ticket in tickets}) == 3

    def test_seeds_follow_from_the_digest_and_not_from_the_name(self) -> None:
        plan = make_rating_plan(TONGIAKI, "mine", "digest", anchors(FOUR))
        renamed, changed = make_rating_plan(TONGIAKI, "other", "digest", anchors(FOUR)), replace(plan, digest="another")
        seeds = [next(each.tickets(0, (0,))).seed for each in (plan, renamed, changed)]
        assert seeds[0] == seeds[1] != seeds[2]

    def test_a_bot_named_like_an_anchor_has_a_name_of_its_own(self) -> None:
        plan = make_rating_plan(TONGIAKI, "low", "digest", anchors(FOUR))
        assert plan.names == ("low#1", "high", "upper", "lower", "low#2")

    def test_the_first_blocks_are_shared_out_evenly_and_the_rest_to_those_near_the_bot(self) -> None:
        plan = make_rating_plan(TONGIAKI, "mine", "digest", anchors(FOUR), 400)
        first = plan.first()
        assert set(Counter(first).values()) == {12, 13}
        played = [PlayedBlock(lineup, (float(lineup > (1,)),)) for lineup in first]  # above the two weaker ones, always
        counts = Counter(plan.rest(played))
        assert len(first) + counts.total() == 200
        assert min(counts[1,], counts[2,]) > 1.5 * counts[0,] > 1.5 * counts[3,] > 0


class TestTheRating:
    @pytest.mark.parametrize(
        ("shares", "position"),
        [
            ((0.25, 0.5, 0.75, 1.0), "about as strong as upper, stronger than lower, weaker than high"),
            ((0.0, 0.0, 0.0, 0.1), "weaker than low"),
            ((0.9, 1.0, 1.0, 1.0), "stronger than high"),
            ((0.0, 0.05, 0.2, 0.75), "between low and lower"),
        ],
    )
    def test_position(self, shares: tuple[float, ...], position: str) -> None:
        assert rated(*shares).position == position

    def test_shares_against_anchors_are_beside_those_expected(self) -> None:
        first, *_, last = rated(0.25, 0.5, 0.75, 1.0).against
        assert (first.bot, first.version, first.blocks, first.share) == ("high", "vhigh", 40, 0.25)
        assert 0.2 < first.expected < 0.3
        assert last.share == 1

    def test_a_kept_rating_is_the_same(self) -> None:
        rating = replace(rated(0.25, 0.5, 0.75, 1.0), forfeits={"crash": 3})
        assert read_rating(rating_bytes(rating), rating.plan) == rating


class TestWhatWasMeasured:
    def test_the_quick_reference_bots_are_anchors_without_the_bot_itself(self) -> None:
        found = find_rating_anchors(TONGIAKI, 2, resolve("greedy").digest)
        assert found.bots == ("learned", "expert", "spoiler", "random")
        assert found.versions == tuple(resolve(bot).digest for bot in found.bots)
        assert len(found.table.covariance) == len(found.table.covariance[0]) == 4

    @pytest.mark.parametrize("game", ["tongiaki", "sunda"])
    def test_the_figures_that_come_with_the_program_are_a_scale(self, game: str) -> None:
        (measured,) = [each for each in read_anchors() if each.conditions.game == game]
        for table in measured.tables:
            strengths = [line.strength for line in table.strengths]
            assert strengths == sorted(strengths, reverse=True)
            assert all(line.low <= line.strength <= line.high for line in table.strengths)
            assert all(row[number] > 0 for number, row in enumerate(table.covariance))

    @pytest.mark.parametrize(
        ("game", "options", "players", "message"),
        [
            ("sunda", {"level": 5}, 2, "strengths at sunda were measured only with level=0; leave --option out, or use 'arena compare'"),
            ("sunda", {"mode": "simultaneous"}, 2, "measured only with mode=turns pots=shared;"),
            ("tongiaki", {}, 5, "strengths at tongiaki were measured at tables of 2.*, not of 5; change --tables"),
        ],
    )
    def test_what_was_not_measured_is_refused(self, game: str, options: dict[str, int | str], players: int, message: str) -> None:
        with pytest.raises(RatingError, match=message):
            find_rating_anchors(find_game(game, options), players)

    def test_a_game_without_measured_strengths_is_refused(self) -> None:
        with pytest.raises(RatingError, match="no strengths of reference bots were measured at tongiaki, only at sunda, tongiaki;"):
            find_rating_anchors(TONGIAKI, 2, measured=())

    def test_other_rules_and_too_few_anchors_are_refused(self) -> None:
        (measured,) = [each for each in read_anchors() if each.conditions.game == "tongiaki"]
        older: Measured = msgspec.structs.replace(measured, conditions=msgspec.structs.replace(measured.conditions, rules_version=0))
        with pytest.raises(RatingError, match="measured by version 0 of the rules"):
            find_rating_anchors(TONGIAKI, 2, measured=[older])
        table = msgspec.structs.replace(measured.tables[0], players=6)
        with pytest.raises(RatingError, match="a table of 6 needs 5 anchors, and there are 4"):
            find_rating_anchors(TONGIAKI, 6, resolve("random").digest, [msgspec.structs.replace(measured, tables=(table,))])
