"""What the search tree finds, in games small enough to be told."""

from __future__ import annotations

import random

import pytest

from bots.reference.search.tree import SEALED, SearchParams, Tree
from bots.reference.search.value import outcome_values, point_values
from engine.core import Outcome
from tests.bots.sandbox.tales import Chance, Choice, End, Innocent, Tale, Telling


def searched(players: int, tale: Tale, walks: int = 400, seed: int = 1) -> Tree:
    tree = Tree(Telling(players, tale), Innocent(), SearchParams(), random.Random(seed))
    for _ in range(walks):
        tree.walk()
    return tree


def best(players: int, tale: Tale, seed: int = 1) -> str:
    return str(searched(players, tale, seed=seed).favourite(0))


def pile(stones: int, seat: int) -> Tale:
    """Whoever takes the last stone wins; one may take up to three."""
    if stones == 0:
        return (0, 1) if seat == 0 else (1, 0)
    return Choice(seat, {str(taken): pile(stones - taken, 1 - seat) for taken in range(1, min(3, stones) + 1)})


class TestDecisions:
    @pytest.mark.parametrize("seed", [1, 2, 3])
    @pytest.mark.parametrize(("stones", "taken"), [(2, "2"), (3, "3"), (5, "1"), (6, "2"), (7, "3"), (9, "1")])
    def test_the_only_move_that_wins_is_found(self, stones: int, taken: str, seed: int) -> None:
        assert best(2, pile(stones, 0), seed) == taken

    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_of_three_seats_each_is_taken_to_play_for_itself(self, seed: int) -> None:
        """A search that took the others to play against it would fear (0, 9, 9) and go right."""
        left = Choice(1, {"greedy": (6, 9, 0), "spiteful": (0, 1, 9)})
        assert best(3, Choice(0, {"left": left, "right": (5, 6, 7)}), seed) == "left"

    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_a_turn_of_several_decisions_is_planned_as_one(self, seed: int) -> None:
        second = Choice(0, {"stop": (1, 2), "go": Choice(0, {"miss": (0, 5), "hit": (9, 0)})})
        assert best(2, Choice(0, {"draw": (3, 3), "plan": second}), seed) == "plan"


class TestHiddenThings:
    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_nobody_bets_on_a_coin_as_if_it_were_seen(self, seed: int) -> None:
        """In each filled-in state one of the bets wins, so a search of each by itself would bet; on average both lose."""
        bet = Choice(0, {"heads": Chance((9, 0), (0, 9)), "tails": Chance((0, 9), (9, 0))})
        assert best(2, Choice(0, {"bet": bet, "keep": (3, 2)}), seed) == "keep"

    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_what_is_decided_after_the_coin_was_seen_may_depend_on_it(self, seed: int) -> None:
        heads = Choice(0, {"a": (9, 0), "b": (0, 9)})
        tails = Choice(0, {"a": (0, 9), "b": (9, 0)})
        assert best(2, Choice(0, {"see": Chance(heads, tails), "keep": (3, 2)}), seed) == "see"

    def test_a_secret_choice_leads_to_one_node_and_opens_with_the_next(self) -> None:
        def guess(right: str) -> Tale:
            return Choice(1, {"odd": Choice(0, {"on": (0, 1) if right == "odd" else (1, 0)}),
                              "even": Choice(0, {"on": (0, 1) if right == "even" else (1, 0)})})  # fmt: skip

        root = searched(2, Choice(0, {"odd": guess("odd"), "even": guess("even")}, is_secret=True)).root
        assert list(root.children) == [SEALED]
        opened = root.children[SEALED].children
        assert {(str(key[0]), *map(str, key[2:])) for key in opened if isinstance(key, tuple)} == {
            (own, other) for own in ("odd", "even") for other in ("odd", "even")
        }


class TestNodes:
    def test_each_walk_values_one_position(self) -> None:
        heuristic = Innocent()
        unending = Choice(0, {str(move): Choice(1, {str(reply): (1, 0) for reply in range(5)}) for move in range(5)})
        tree = Tree(Telling(2, unending), heuristic, SearchParams(), random.Random(1))
        for _ in range(3):
            tree.walk()
        assert (tree.root.visits, heuristic.looks) == (3, 3)


class TestPointValues:
    @pytest.mark.parametrize("points", [(3.0, 9.0), (5.0, 5.0, 1.0), (0.0, 40.0, 20.0, 20.0)])
    def test_the_values_of_a_table_add_up_to_half_its_seats(self, points: tuple[float, ...]) -> None:
        assert sum(point_values(points)) == pytest.approx(len(points) / 2)

    def test_more_points_are_worth_more_and_a_tie_is_half(self) -> None:
        assert point_values([7.0, 7.0]) == [0.5, 0.5]
        assert 0.5 < point_values([8.0, 7.0])[0] < point_values([12.0, 7.0])[0] < 1.0

    def test_a_narrow_win_at_the_end_is_worth_more_than_a_good_lead_before(self) -> None:
        assert outcome_values(Outcome((8, 7), (1, 2), End.TOLD))[0] > point_values([12.0, 7.0])[0]
