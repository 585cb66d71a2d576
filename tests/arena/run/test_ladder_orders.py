"""A ladder's orders hold from a round on, after any number of kills; its own rules give some; and its standings."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

import pytest

import arena.run.runner
from arena.analysis.statistics import gather
from arena.formats.orders import BENCH_RULE, SLOW_RULE, Leaving, Orders, Pacing, detail_of, make_order
from arena.play.executors.base import InlineExecutor, Job, Played, Tickets
from arena.run import orders
from arena.run.ladder_entry import enter
from arena.run.ladder_rounds import LadderRules
from arena.run.orders import GivenOrder, Reason
from arena.run.results import chance_of_first, older_bots, second_opinion, standings
from arena.run.runner import Summary, run_tournament
from arena.run.watch import PausedError
from arena.spec.spec import Spec, make_spec
from arena.tournament import Tournament, prepare
from arena.verification.verifier import verify_store
from bots.loader.loading import resolve
from engine.core.errors import ArenaError
from engine.records import Fault, FaultKind, MatchResult, Ticket
from leaderboard.ratings.fold import Entry
from leaderboard.records import Order, OrderKind, StoredTournament
from leaderboard.statistics.bradley_terry import Strength
from leaderboard.storage.raw_queries import read_tournaments
from leaderboard.storage.store import Store
from tests.arena.format_plans import plan
from tests.arena.running import Hasty, digests, made_up, run, stop_after, versions_of
from tests.world import tournament_of

Give: TypeAlias = Callable[[Store, StoredTournament], GivenOrder]

LADDER = plan(8, format="ladder", rounds=30, slow=False)

WHY = Reason("it is a test")


def since(round_: int) -> Reason:
    return replace(WHY, from_round=round_)


def pace(store: Store, ladder: StoredTournament, bot: str, every: int, after: int = 0) -> GivenOrder:
    """Pace a bot, as the ladder's own rule does."""
    order = make_order(OrderKind.PACE, bot, Pacing(every), "it is a test", SLOW_RULE, after=after)
    return GivenOrder(store.add_orders(ladder, lambda _: [order]).orders[-1], is_new=True)


ORDERS: Sequence[Give] = (
    lambda store, ladder: pace(store, ladder, "b03", 4, after=2),
    lambda store, ladder: orders.leave(store, ladder, "b01", since(5)),
    lambda store, ladder: orders.leave(store, ladder, "b02", since(7), counts=False),
    lambda store, ladder: orders.end(store, ladder, since(13)),
)


def give(path: Path, spec: Spec = LADDER, orders: Sequence[Give] = ORDERS) -> None:
    """Give orders to a ladder, which is stored if it is new."""
    with Store.create(path) as store:
        if store.tournament(spec.name) is None:
            prepare(spec, store, versions_of(spec))
        for each in orders:
            assert each(store, tournament_of(store)).is_new


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ladder of which 30 matches have been played, for tests to copy."""
    path = tmp_path_factory.mktemp("begun") / "t.db"
    run(LADDER, path, is_stopping=stop_after(30))
    return path


def rounds_of(path: Path, bot: str) -> list[int]:
    with Store.read(path) as store:
        ladder = tournament_of(store)
        return sorted({match.round for match in store.recent_matches(ladder, bot=bot, limit=10_000)})


def test_an_order_holds_from_its_round_on(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    give(path)
    summary = run(LADDER, path)
    assert summary.is_complete
    assert max(rounds_of(path, "b00")) == 11
    assert rounds_of(path, "b01") == [0, 1, 2, 3]
    assert max(rounds_of(path, "b02")) == 5
    assert rounds_of(path, "b03") == [0, 1, 5, 9]
    assert "b02" not in {rated.bot for rated in summary.table}
    with Store.read(path) as store:
        ladder = tournament_of(store)
        counted = {match.id for match in store.recent_matches(ladder, limit=10_000)} - {
            match.id for match in store.recent_matches(ladder, bot="b02", limit=10_000)
        }
        assert sum(rated.number for rated in summary.table) == 2 * len(counted)
        assert {line.bot for line in standings(store, ladder)} == {f"b{number:02}" for number in range(8)} - {"b02"}
        assert "b02" not in {line.bot for line in gather(store, ladder).standings if line.matches}


def test_stopped_anywhere_it_goes_on_the_same_way(tmp_path: Path) -> None:
    give(tmp_path / "whole.db")
    whole = Hasty()
    expected = digests(run(LADDER, tmp_path / "whole.db", whole))
    for number in range(0, len(whole.taken), 1 + len(whole.taken) // 2):
        path = tmp_path / f"{number}.db"
        give(path)
        assert not run(LADDER, path, Hasty(), is_stopping=stop_after(number)).is_complete
        assert digests(run(LADDER, path, Hasty(shuffled=number))) == expected
        again = Hasty()
        assert digests(run(LADDER, path, again)) == expected
        assert again.taken == []


def test_a_pause_lasts_until_the_host_resumes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.db"
    give(path, orders=[lambda store, ladder: orders.pause(store, ladder, since(4)), *ORDERS[-1:]])
    slept: list[int] = []

    def sleep(_seconds: float) -> None:
        with Store.read(path) as store:
            slept.append(max(match.round for match in store.recent_matches(tournament_of(store), limit=1000)))
        if len(slept) == 3:
            with Store.join(path) as store:
                orders.resume(store, tournament_of(store), WHY)

    monkeypatch.setattr(arena.run.runner, "sleep", sleep)
    said: list[str] = []
    assert run(LADDER, path, notify=said.append).is_complete
    assert slept == [2, 2, 2]
    assert said == ["the host has paused the ladder before round 4; 'arena status' says why, 'arena ladder resume' ends the pause"]


def by_authors(rounds: int | None = None, **authors: str) -> Spec:
    """A ladder of three bots, some of which are by one author."""
    spec = plan(3, format="ladder", rounds=rounds)
    return spec.model_copy(update={"bots": tuple(bot.model_copy(update={"author": authors.get(bot.name)}) for bot in spec.bots)})


def test_a_ladder_that_can_fill_no_table_says_so_and_can_be_ended(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    spec = by_authors(b01="Ana", b02="Ana")
    give(path, spec, [lambda store, ladder: orders.leave(store, ladder, "b01", since(3))])
    with Store.create(path) as store:  # two hosts with an older program could have ordered this
        store.add_orders(tournament_of(store), lambda _: [make_order(OrderKind.LEAVE, "b00", Leaving(counts=True), "x", "y", after=2)])
    with pytest.raises(PausedError, match=r"in the ladder .b02. can't fill a table.*submit more bots, or end .* 'arena ladder end'"):
        run(spec, path)
    assert rounds_of(path, "b00") == [1]  # in the first round those of one author were to meet
    with Store.create(path) as store:
        assert orders.end(store, tournament_of(store), WHY).is_new
    assert run(spec, path).is_complete


def test_what_has_been_played_is_stored_before_an_order_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena.run.runner, "COMMIT_SECONDS", 1000)
    monkeypatch.setattr(arena.run.runner, "COMMIT_MATCHES", 1000)
    stored: dict[int, int] = {}
    begin = Store.begin_round

    def watched(
        store: Store, tournament: StoredTournament, number: int, rules: Sequence[Order], *, joins: bool, takes: bool
    ) -> StoredTournament:
        stored[number] = store.count_matches(tournament)
        return begin(store, tournament, number, rules, joins=joins, takes=takes)

    monkeypatch.setattr(Store, "begin_round", watched)
    give(tmp_path / "t.db")
    run(LADDER, tmp_path / "t.db")
    assert len(stored) > 3
    assert all(count >= 4 * (number - 2) for number, count in stored.items())  # each round has at least four matches, and the lag is 2


def test_orders_that_a_later_one_supersedes(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    given: Sequence[Give] = (
        lambda store, ladder: orders.pause(store, ladder, WHY),
        lambda store, ladder: orders.resume(store, ladder, WHY),
        lambda store, ladder: orders.leave(store, ladder, "b01", since(4)),
        lambda store, ladder: orders.leave(store, ladder, "b01", since(6), counts=False),
        lambda store, ladder: orders.end(store, ladder, since(20)),
        lambda store, ladder: orders.end(store, ladder, since(13)),
    )
    give(path, orders=given)
    for is_over in (False, True):
        if is_over:
            run(LADDER, path)
        with Store.read(path) as store:
            # a pause until it ends, counting results until they no longer count, an end until an earlier one
            assert orders.superseded(tournament_of(store).orders) == {1: 2, 3: 4, 5: 6}


class TestRules:
    @staticmethod
    def run(path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Ticket, MatchResult], MatchResult], rounds: int) -> Summary:
        monkeypatch.setattr("tests.arena.running.made_up", lambda ticket: change(ticket, made_up(ticket)))
        return run(plan(8, format="ladder", rounds=rounds), path)

    def test_a_slow_bot_plays_as_many_times_fewer_rounds_and_nobody_waits_for_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def change(_ticket: Ticket, result: MatchResult) -> MatchResult:
            seconds = {"b00": 0.24}
            return replace(result, seats=tuple(replace(seat, charged_seconds=seconds.get(seat.bot, 0.005)) for seat in result.seats))

        self.run(tmp_path / "t.db", monkeypatch, change, 40)
        with Store.read(tmp_path / "t.db") as store:
            [order] = tournament_of(store).orders
        assert (order.kind, order.bot, order.detail, order.by, order.round) == ("pace", "b00", '{"every":32}', SLOW_RULE, 1)
        assert order.why == "a match takes 0.24 s of its time, and 0.01 s of the median bot's"
        assert rounds_of(tmp_path / "t.db", "b00") == [0, 32]  # none before its first result
        assert len(rounds_of(tmp_path / "t.db", "b01")) > 30

    def test_nobody_waits_for_the_first_match_of_a_newcomer_that_its_check_shows_to_be_slow(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail_often(ticket: Ticket) -> MatchResult:
            """Return a result that a run holds back in every third round: not even those hold up the next round."""
            result, fault = made_up(ticket), Fault(FaultKind.CRASH, 0, "it failed") if ticket.round % 3 == 0 else None
            return replace(result, seats=(replace(result.seats[0], fault=fault), *result.seats[1:]))

        monkeypatch.setattr("tests.arena.running.made_up", fail_often)

        class Withholding(Hasty):
            """Keeps a newcomer's results back until others have played ten rounds more."""

            def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
                held: list[list[Played]] = []
                for results in super().run(job, tickets):
                    if "late" in results[0].ticket.seats:
                        held.append(results)
                    elif held and results[0].ticket.round >= held[0][0].ticket.round + 10:
                        yield from held
                        held.clear()
                        yield results
                    else:
                        yield results
                assert not held

        path, spec, late = tmp_path / "t.db", plan(4, format="ladder", rounds=30), resolve("random", name="late")
        run(spec, path, is_stopping=stop_after(40))
        with Store.create(path) as store:
            enter(store, "plan", "late", "random", late)
            store.keep_speeds({late.digest: 12.0})
        run(spec, path, Withholding(), find_newcomer=lambda _bot: late)
        with Store.read(path) as store:
            first = tournament_of(store).orders[0]
            joined = {entrant.name: entrant.joined for entrant in tournament_of(store).entrants}["late"]
        assert (first.bot, first.detail, first.by, first.round) == ("late", '{"every":1024,"at_once":true}', SLOW_RULE, joined)
        assert first.why == "according to its check, a match takes 12 s of its time, and 0.01 s of the median bot's"
        assert rounds_of(path, "late") == [joined]

    def test_one_that_fails_in_most_matches_is_taken_out_with_its_reason(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def change(ticket: Ticket, result: MatchResult) -> MatchResult:
            crashed = Fault(FaultKind.CRASH, 0, "it failed")
            return replace(
                result,
                seats=tuple(replace(seat, fault=crashed if seat.bot == "b05" and ticket.round % 3 else None) for seat in result.seats),
            )

        self.run(tmp_path / "t.db", monkeypatch, change, 30)
        with Store.read(tmp_path / "t.db") as store:
            [order] = tournament_of(store).orders
        assert (order.kind, order.bot, order.detail, order.by) == ("leave", "b05", '{"counts":true}', BENCH_RULE)
        assert order.why == "it failed in 12 of its latest 20 matches (12 x crash)"
        assert rounds_of(tmp_path / "t.db", "b05") == list(range(order.round))


class TestRefused:
    @pytest.mark.parametrize(
        ("wish", "sentence"),
        [
            (
                lambda store, ladder: orders.leave(store, ladder, "b1", WHY),
                "there is no bot 'b1' in the ladder 'plan'; did you mean 'b01'?",
            ),
            (
                lambda store, ladder: orders.leave(store, ladder, "b01", Reason(" ")),
                "an order needs a reason, in 1 to 300 printable characters",
            ),
            (
                lambda store, ladder: orders.leave(store, ladder, "b01", since(2)),
                "round 2 of 'plan' has begun; the next one is round",
            ),
            (
                lambda store, ladder: orders.leave(store, ladder, "b01", since(32)),
                "'plan' ends after round 30, so no order can take effect in round 32",
            ),
            (lambda store, ladder: orders.resume(store, ladder, WHY), "the ladder 'plan' has not been paused"),
            (lambda store, ladder: orders.end(store, ladder, since(25)), "order 1 already ends the ladder 'plan' earlier"),
        ],
    )
    def test_with_a_sentence_and_nothing_is_stored(self, begun: Path, tmp_path: Path, wish: Give, sentence: str) -> None:
        path = Path(shutil.copy(begun, tmp_path / "t.db"))
        give(path, orders=[lambda store, ladder: orders.end(store, ladder, since(20))] if "order 1" in sentence else [])
        with Store.create(path) as store:
            before = tournament_of(store).orders
            with pytest.raises(orders.OrderError) as caught:
                wish(store, tournament_of(store))
            assert str(caught.value).startswith(sentence)
            assert tournament_of(store).orders == before

    def test_of_another_format_or_when_it_is_over_or_when_too_few_would_be_left(self, tmp_path: Path) -> None:
        path = tmp_path / "t.db"
        cup, small = plan(3), plan(3, format="ladder", rounds=2).model_copy(update={"name": "small"})
        for spec in (cup, small):
            give(path, spec, [])
        with Store.create(path) as store:
            with pytest.raises(orders.OrderError, match="has the format round-robin; only a ladder takes orders"):
                orders.pause(store, tournament_of(store, "plan"), WHY)
            assert orders.leave(store, tournament_of(store, "small"), "b00", WHY).is_new
            with pytest.raises(orders.OrderError, match="can't fill a table of 2; enter another bot, or end the ladder"):
                orders.leave(store, tournament_of(store, "small"), "b01", WHY)
        assert run(small, path).is_complete
        with (
            Store.create(path) as store,
            pytest.raises(orders.OrderError, match=r"is over, and .* so it takes no more orders; to tell visitors something"),
        ):
            orders.pause(store, tournament_of(store, "small"), WHY)

    def test_the_same_order_given_twice_holds_once(self, tmp_path: Path) -> None:
        path = tmp_path / "t.db"
        give(path)
        with Store.create(path) as store:
            again = [each(store, tournament_of(store)) for each in ORDERS[1:]]
            assert [(given.is_new, given.order.number) for given in again] == [(False, 2), (False, 3), (False, 4)]
            assert len(tournament_of(store).orders) == len(ORDERS)


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


def test_possible_ranks_contain_the_rank_and_the_chances_of_the_first_place_sum_to_one(stored_store: Store) -> None:
    lines = standings(stored_store, tournament_of(stored_store))

    assert all(line.best_rank <= line.rank <= line.worst_rank for line in lines)
    chances = [chance_of_first(lines, line.bot) for line in lines]
    assert sum(chances) == pytest.approx(1, abs=0.01)


def strength(bot: str, value: float, wide: float = 10) -> Strength:
    return Strength(bot, 40, 1, 1, 1, value, value - wide, value + wide, 0.0, 0)


@pytest.mark.parametrize(
    ("values", "wide", "words"),
    [
        ((1600, 1500, 1400), 10, ""),
        ((1500, 1600, 1400), 10, "Elo, a second opinion, puts bob (1600) above ann (1500)."),
        ((1500, 1600, 1400), 80, "Elo, a second opinion, puts bob (1600) above ann (1500), though their intervals overlap."),
        (
            (1400, 1500, 1600),
            10,
            "Elo, a second opinion, puts cy (1600) above ann (1400); other pairs that change places: 2.",
        ),
    ],
)
def test_the_second_opinion_names_the_pair_furthest_apart(values: tuple[int, ...], wide: float, words: str) -> None:
    bots = ("ann", "bob", "cy")
    found = {bot: strength(bot, value, wide) for bot, value in zip(bots, values, strict=True)}
    assert second_opinion(bots, found) == words


def test_a_ladder_lists_the_newest_version_that_plays_and_nobody_who_left_unplayed(stored_store: Store) -> None:
    line = standings(stored_store, tournament_of(stored_store))[0]
    entered = {"host": None, "ana": "Ana", "ana.2": "Ana", "eve": "Ana", "ben": "Ben", "ben.2": "Ben", "cy": "Cy", "dee": None}
    gone = {"ben.2": 9, "cy": 9, "dee": 0}
    lines = [replace(line, bot=name, left=name in gone, matches=gone.get(name, 9)) for name in entered]
    own = {name: {"source": f"{name.partition('.')[0]}@{name[4:] or 1}", "author": author} for name, author in entered.items() if author}
    bots = [{"name": name} | own.get(name, {"source": "random"}) for name in entered]
    data = {"name": "cup", "game": "tongiaki", "bots": bots, "schedule": {"format": "ladder", "tables": [2]}}

    assert older_bots(make_spec(data), lines) == {"ana", "ben.2", "dee"}
    assert older_bots(make_spec(data | {"schedule": {"tables": [2], "blocks": 1}}), lines) == frozenset()


def test_how_a_planned_end_is_said(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    give(path, orders=[])
    with Store.create(path) as store:
        assert orders.planned_end(tournament_of(store)) == ""
        for round_, said in (
            (21, "the ladder ends after round 20"),
            (0, "the ladder ends before its next round, so no more matches are played"),
        ):
            orders.end(store, tournament_of(store), since(round_))
            assert orders.planned_end(tournament_of(store)) == said


@pytest.fixture(scope="module")
def paced(begun: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same ladder after an order and ten more matches."""
    path = Path(shutil.copy(begun, tmp_path_factory.mktemp("paced") / "t.db"))
    give(path, orders=[lambda store, ladder: pace(store, ladder, "b03", 4)])
    run(LADDER, path, is_stopping=stop_after(10))
    return path


@pytest.mark.parametrize(
    "change",
    [
        "round = 'x'",
        "kind = char(27) || 'x'",
        "kind = 'pace', detail = '[[', bot = 'b03'",
    ],
    ids=["type", "kind", "pace"],
)
def test_a_damaged_order_is_one_sentence_everywhere(paced: Path, tmp_path: Path, change: str) -> None:
    path = Path(shutil.copy(paced, tmp_path / "t.db"))
    with Store.create(path) as store, store.writing() as connection:
        connection.exec_driver_sql(f"UPDATE ladder_order SET {change} WHERE number = 1")  # noqa: S608  # from above
    with Store.read(path) as store:
        [verdict], _ = verify_store(store, store.fetch(read_tournaments), InlineExecutor())
        assert "digest of the orders" in "\n".join(map(str, verdict.disagreements))
        with pytest.raises(ArenaError, match=r"order.* 'arena verify'"):
            list(Tournament(store, tournament_of(store)).schedule.walk(partial(store.entries, tournament_of(store))))


def check_verified(path: Path) -> None:
    with Store.read(path) as store:
        [verdict], general = verify_store(store, store.fetch(read_tournaments), InlineExecutor())
    assert (verdict.disagreements, general, verdict.is_final) == ([], [], True)


def test_a_run_in_this_process_plays_by_orders_and_verifies(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    spec = plan(4, format="ladder", rounds=4)
    give(path, spec, [lambda store, ladder: orders.leave(store, ladder, "b03", since(2), counts=False)])
    with Store.create(path) as store:
        assert run_tournament(spec, versions_of(spec), store).is_complete
    check_verified(path)
