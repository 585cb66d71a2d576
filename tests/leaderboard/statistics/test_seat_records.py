"""How bots did seat by seat, and where they lost most."""

from __future__ import annotations

from engine.records import Fault, FaultKind
from leaderboard.statistics.columns import read_results
from leaderboard.statistics.highlights import seat_records, worst_losses
from leaderboard.storage.store import Store, StoredTournament
from tests.leaderboard.conftest import MakeResult

CRASH = Fault(FaultKind.CRASH, 3, "no")


def test_a_bots_matches_are_counted_by_table_and_seat(store: Store, tournament: StoredTournament, make_result: MakeResult) -> None:
    store.add_results(
        tournament,
        [
            make_result("a", ["ann", "bob"], [1, 2], scores=[9, 4]),
            make_result("b", ["ann", "bob"], [1, 1], scores=[5, 5]),
            make_result("c", ["bob", "ann"], [1, 2], scores=[7, 1]),
            make_result("d", ["cid"], [1], scores=[3]),
        ],
    )

    records = seat_records(read_results(store, tournament))

    found = {(each.bot, each.players, each.seat): each for each in records}
    assert found.keys() == {("ann", 2, 0), ("ann", 2, 1), ("bob", 2, 0), ("bob", 2, 1)}
    ann = found["ann", 2, 0]
    assert (ann.matches, ann.win_share, ann.mean_rank, ann.mean_score) == (2, 0.75, 1.0, 7.0)
    assert found["bob", 2, 1].win_share == 0.25


def test_the_worst_losses_are_those_by_the_largest_margin(store: Store, tournament: StoredTournament, make_result: MakeResult) -> None:
    store.add_results(
        tournament,
        [
            make_result("won", ["ann", "bob"], [1, 2], scores=[9, 4]),
            make_result("close", ["ann", "bob"], [2, 1], scores=[8, 9]),
            make_result("far", ["ann", "bob", "cid"], [3, 2, 1], scores=[1, 20, 31]),
            make_result("fault", ["ann", "bob"], [2, 1], scores=[12, 4], faults=[CRASH, None]),
        ],
    )

    losses = worst_losses(read_results(store, tournament), most=3)

    assert [(loss.match, loss.margin, loss.forfeited) for loss in losses["ann"]] == [
        ("far", -30, False),
        ("close", -1, False),
        ("fault", 8, True),
    ]
    assert [(loss.match, loss.margin) for loss in losses["bob"]] == [("far", -11), ("won", -5)]
    assert losses["cid"] == losses["dan"] == ()


def test_of_nothing_there_is_nothing_to_say(store: Store, tournament: StoredTournament) -> None:
    results = read_results(store, tournament)

    assert seat_records(results) == ()
    assert set(worst_losses(results).values()) == {()}
