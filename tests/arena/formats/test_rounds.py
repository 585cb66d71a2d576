"""A run of rounds that are paired by results: stopped, killed, resumed, always the same digests; no deck can be foretold."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest

import arena.run.ladder_rounds
import arena.run.runner
from arena.changes import ChangedError
from arena.formats.schedule import Schedule
from arena.play.executors.base import BATCH_SECONDS, Batches, InlineExecutor, Job, Tickets
from arena.play.executors.ray_executor import RayExecutor
from arena.run.ladder_entry import enter
from arena.run.runner import Summary, run_tournament
from arena.spec.secret import Keys, TournamentSecret, derive_seed, open_root
from arena.spec.spec import BotEntry, Spec, make_spec
from arena.tournament import stored_spec
from bots.loader.loading import resolve
from bots.loader.version import BotVersion
from engine.records import Ticket
from engine.registry import find_game
from leaderboard.storage.store import Store
from tests.arena.format_plans import plan
from tests.arena.running import Hasty, digests, run, stop_after, versions_of
from tests.world import tournament_of

PLANS = {
    "round-robin": plan(4, tables=[2, 3]),
    "swiss": plan(7, format="swiss", rounds=4, blocks=2),
    "swiss of three": plan(7, format="swiss", tables=[3], rounds=3),
    "ladder": plan(5, format="ladder", rounds=8),
    "knockout": plan(6, format="knockout", extra=2),
    "knockout of three": plan(7, format="knockout", tables=[3]),
    "final": plan(5, until={"places": 1, "budget": 60}),
    "final of three": plan(4, tables=[3], until={"places": 2, "budget": 100}),
    "gauntlet": plan(5, format="gauntlet", tables=[3], challengers=["b02"]),
}


@pytest.mark.parametrize("spec", PLANS.values(), ids=PLANS)
class TestAnyFormat:
    @pytest.mark.sampled(3)
    @pytest.mark.parametrize("most", [1, 3, 1000])
    def test_any_order_and_any_haste_give_the_same_digests(self, spec: Spec, tmp_path: Path, most: int) -> None:
        straight = run(spec, tmp_path / "one.db")
        other = Hasty(shuffled=5, most=most)
        summary = run(spec, tmp_path / "two.db", other)
        assert digests(summary) == digests(straight)
        assert (summary.is_complete, summary.stored, summary.tournament.total) == (True, len(other.taken), len(other.taken))
        assert other.pauses == 0 or Schedule(spec).needs_results
        assert other.pauses > 0 or most < 1000 or not Schedule(spec).needs_results

    @pytest.mark.sampled(2)
    def test_stopped_anywhere_it_goes_on_and_plays_nothing_twice(self, spec: Spec, tmp_path: Path) -> None:
        whole = Hasty()
        expected = digests(run(spec, tmp_path / "whole.db", whole))
        for number in range(0, len(whole.taken), 1 + len(whole.taken) // 3):
            first, second = Hasty(), Hasty(shuffled=number)
            path = tmp_path / f"{number}.db"
            stopped = run(spec, path, first, is_stopping=stop_after(number))
            assert not stopped.is_complete
            assert stopped.blocked is None
            summary = run(spec, path, second)
            assert summary.is_complete
            assert digests(summary) == expected
            assert sorted(t.id for t in first.taken + second.taken) == sorted(t.id for t in whole.taken)

    @pytest.mark.slow  # runs twice
    def test_a_void_match_ends_an_adaptive_run_and_the_next_run_tries_it_again(self, spec: Spec, tmp_path: Path) -> None:
        whole = Hasty()
        expected = digests(run(spec, tmp_path / "whole.db", whole))
        bad = whole.taken[len(whole.taken) // 2]
        summary = run(spec, tmp_path / "t.db", Hasty(spoil=lambda ticket: ticket.id == bad.id))
        assert [void.ticket for void in summary.void] == [bad]
        assert not summary.is_complete
        assert summary.blocked == (bad.round if Schedule(spec).needs_results else None)
        again = Hasty()
        mended = run(spec, tmp_path / "t.db", again)
        assert again.taken[0] == bad
        assert mended.is_complete
        assert digests(mended) == expected


class TestLadderThatIsJoined:
    SPEC = plan(4, format="ladder", rounds=12)

    @staticmethod
    def late(name: str = "late") -> BotVersion:
        return resolve("random", name=name)

    def test_one_that_enters_during_a_run_joins_before_the_next_round(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(arena.run.runner, "COMMIT_MATCHES", 1)
        monkeypatch.setattr(arena.run.ladder_rounds, "FRESH_SECONDS", 0.0)
        path, executor = tmp_path / "t.db", Hasty(most=1)
        with Store.create(path) as store:

            def enter_late(_progress: object) -> None:
                if len(executor.taken) >= 10 and "late" not in {each.name for each in store.bots()}:
                    enter(store, "plan", "late", "random", self.late())

            summary = run_tournament(
                self.SPEC,
                versions_of(self.SPEC),
                store,
                executor,
                find_newcomer=lambda entry: self.late(entry.name),
                on_progress=enter_late,
            )
        joined = {entrant.name: entrant.joined for entrant in summary.tournament.entrants}["late"]
        assert joined >= 3
        assert {ticket.round for ticket in executor.taken if "late" in ticket.seats} <= set(range(joined, 12))
        assert any("late" in ticket.seats for ticket in executor.taken)
        assert {rated.bot for rated in summary.table} == {"b00", "b01", "b02", "b03", "late"}
        again = Hasty()
        after = self.resumed(path, again)
        assert again.taken == []
        assert digests(after) == digests(summary)

    def resumed(self, path: Path, executor: Hasty) -> Summary:
        """The same file again, which does not know who has joined; the bots are those of the database."""
        with Store.create(path) as store:
            tournament = tournament_of(store, "plan")
            return run_tournament(self.SPEC, versions_of(stored_spec(tournament)), store, executor)

    @pytest.mark.sampled(1)
    @pytest.mark.parametrize("stop", [1, 5, 9, 20])
    def test_a_killed_run_goes_on_with_those_who_have_joined_and_rounds_before_stay(self, tmp_path: Path, stop: int) -> None:
        path = tmp_path / "t.db"
        first, second, third = Hasty(), Hasty(), Hasty()
        run(self.SPEC, path, first, is_stopping=stop_after(stop))
        with Store.create(path) as store:
            enter(store, "plan", "late", "random", self.late())
            tournament = tournament_of(store, "plan")
            assert store.waiting(tournament) == ("late",)
        with Store.create(path) as store:
            summary = run_tournament(
                self.SPEC,
                versions_of(stored_spec(tournament)),
                store,
                second,
                is_stopping=stop_after(12),
            )
        assert not summary.is_complete
        summary = self.resumed(path, third)
        assert summary.is_complete
        everything = first.taken + second.taken + third.taken
        assert len({ticket.id for ticket in everything}) == len(everything) == summary.stored
        peace = Hasty()
        run(self.SPEC, tmp_path / "peace.db", peace)
        joined = {entrant.name: entrant.joined for entrant in summary.tournament.entrants}["late"]
        assert [t for t in everything if t.round < joined] == [t for t in peace.taken if t.round < joined]
        assert min(t.round for t in everything if "late" in t.seats) == joined

    def test_who_may_not_enter(self, tmp_path: Path) -> None:
        path = tmp_path / "t.db"
        run(self.SPEC, path)
        run(plan(3, tables=[2]).model_copy(update={"name": "other"}), path)
        with Store.create(path) as store:
            for ladder, name, words in [
                ("plan", "b01", "already has a bot 'b01'; enter this bot under a different name"),
                ("other", "late", "is a round-robin; only a ladder can be joined"),
                ("gone", "late", "there is no tournament 'gone'"),
            ]:
                with pytest.raises(ChangedError, match=words):
                    enter(store, ladder, name, "random", self.late(name))


class TestBatches:
    @staticmethod
    def tickets(*sizes: int) -> Tickets:
        """So many tickets, a pause, so many more ..."""
        from arena.play.executors.base import PAUSE

        for number, size in enumerate(sizes):
            if number:
                yield PAUSE
            yield from (Ticket(f"{number}.{each}", ("a", "b"), 0, 0, ("a", "b"), 1) for each in range(size))

    @pytest.mark.parametrize("fit", [35, 12])
    def test_batches_become_smaller_and_smaller_before_the_end_so_that_nobody_is_idle_for_long(self, fit: int) -> None:
        batches = Batches(self.tickets(100), 2, lambda _ticket: False)
        batches.sizer.add(1, BATCH_SECONDS / fit)
        workers = [0, 0]  # how many matches each has played when all take as long, and the next batch goes to the first that is free
        sizes = []
        while batch := batches.take(4, 1):
            sizes.append(len(batch))
            workers[workers.index(min(workers))] += len(batch)
        assert sizes == sorted(sizes, reverse=True)
        assert (sum(workers), max(sizes) <= fit, len(sizes) <= 15) == (100, True, True)
        assert abs(workers[0] - workers[1]) <= 2

    def test_long_items_are_held_back_while_there_are_enough_of_them_and_the_others_go_first(self) -> None:
        batches = Batches(self.tickets(9), 2, lambda ticket: int(ticket.id[2:]) < 4)
        assert [[ticket.id for ticket in batches.take(2, 1 - held)] for held in (0, 1, 1)] == [["0.0"], ["0.4"], ["0.5"]]
        assert [[ticket.id for ticket in batches.take(free, 1)] for free in (0, 0, 2)] == [["0.1"], ["0.2"], ["0.3"]]
        assert [[ticket.id for ticket in batches.take(2, 0)] for _ in range(4)] == [["0.6"], ["0.7"], ["0.8"], []]

    def test_waiting_for_what_will_not_come_is_an_error_and_no_endless_loop(self) -> None:
        spec = plan(2)
        with pytest.raises(RuntimeError, match="the schedule waits for results, but every ticket that it yielded has been played"):
            list(InlineExecutor().run(Job(spec.game, {}, versions_of(spec)), self.tickets(0, 1)))


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning", "ignore::FutureWarning")
class TestRealMatches:
    @pytest.mark.slow
    def test_a_newcomer_reaches_ray_workers(self, spec: Callable[[str], Spec], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(arena.run.ladder_rounds, "FRESH_SECONDS", 0.0)  # all rounds may be over before
        monkeypatch.setattr(arena.run.runner, "COMMIT_MATCHES", 1)
        ladder = spec("""
            bots = [{name = "ann", source = "random"}, {name = "bob", source = "random"}, {name = "cid", source = "random"}]
            schedule = {format = "ladder", tables = [2], rounds = 100}
        """)
        late = tmp_path / "late.py"
        late.write_text("class Late:\n    def choose(self, view, clock):\n        return view.legal_moves[0]\n")

        def find(entry: BotEntry) -> BotVersion:
            return resolve(entry.source, name=entry.name)

        with tempfile.TemporaryDirectory(prefix="ray") as folder, Store.create(tmp_path / "t.db") as store:
            executor = RayExecutor(2, temp_dir=Path(folder))

            def enter_late(_progress: object) -> None:
                if len(store.bots()) == 3:
                    entry = BotEntry(name="late", source=str(late))
                    enter(store, "trial", entry.name, entry.source, find(entry))

            try:
                summary = run_tournament(ladder, versions_of(ladder), store, executor, find_newcomer=find, on_progress=enter_late)
            finally:
                executor.close()
            tallies = {total.bot: total for total in store.standings(summary.tournament)[1]}
        assert tallies["late"].matches > 0
        assert all(tally.faults == 0 for tally in tallies.values())


DRAWS = 8


def league(seed: int | None, decks: str) -> Spec:
    """A league of eight bots at tables of two; ``seed`` is open, or there is a secret."""
    bots = [{"name": f"b{number}", "source": "random"} for number in range(8)]
    data = {"name": "league", "game": "tongiaki", "bots": bots, "schedule": {"tables": [2], "blocks": 2, "decks": decks}}
    return make_spec(data if seed is None else data | {"seed": seed}, "test")


def deck(seed: int) -> list[object]:
    """The first tiles of Tongiaki's deck on a seed."""
    state = find_game("tongiaki").new(2, seed)
    return list(state.deck[:DRAWS])  # type: ignore[attr-defined]


class Contestant:
    """Tries to find a root whose ids are the published ones, and with it computes the decks of the other matches."""

    def __init__(self, spec: Spec, published: list[Ticket], own_seeds: list[int]) -> None:
        self._spec = spec
        self._published = published
        self._own_seeds = own_seeds

    def _guesses(self) -> list[bytes]:
        """Small open seeds, dates, and what is public, as roots."""
        numbers = [
            *range(300),
            *(year * 10_000 + month * 100 + day for year in (2025, 2026) for month in (4, 5, 6) for day in range(1, 32)),
        ]
        words = [*(ticket.id for ticket in self._published), *(str(seed) for seed in self._own_seeds), self._spec.name]
        return [open_root(number) for number in numbers] + [word.encode().ljust(32, b"\0")[:32] for word in words]

    def foretell(self, ticket: Ticket) -> list[object]:
        """Its guess of a deck; drawn at random where it has found nothing."""
        public = self._published[0]
        for root in self._guesses():
            keys = Keys.of(root, self._spec.name, self._spec.game, {})
            numbers = {bot.name: number for number, bot in enumerate(self._spec.bots)}
            seats = [numbers[name] for name in public.seats]
            if keys.of_block(2, sorted(seats), public.block).match_id(seats) == public.id:
                schedule = Schedule(self._spec.model_copy(update={"seed": None}), secret=TournamentSecret(root))
                return next(deck(each.seed) for each in schedule if each.seats == ticket.seats and each.block == ticket.block)
        return deck(random.Random(derive_seed(json.dumps(ticket.seats))).getrandbits(53))


def hits(spec: Spec, secret: TournamentSecret | None) -> float:
    """The share of draws that it foretells, of matches that have not been published yet."""
    tickets = list(Schedule(spec, secret=secret))
    half = len(tickets) // 2
    keys = {ticket.block_key for ticket in tickets[:half]}
    contestant = Contestant(spec, tickets[:half], [derive_seed(ticket.key, "bot", 0) for ticket in islice(tickets, half)])
    future = [ticket for ticket in tickets[half:] if ticket.block_key not in keys]
    right = [guess == real for ticket in future for guess, real in zip(contestant.foretell(ticket), deck(ticket.seed), strict=True)]
    return sum(right) / len(right)


CHANCE = 1 / 32  # of Tongiaki's 32 tiles, apart from those that are alike: at most four times that


@pytest.mark.slow
@pytest.mark.parametrize("decks", ["own", "shared"])
def test_with_a_secret_nothing_is_foretold(decks: str) -> None:
    shares = [hits(league(None, decks), TournamentSecret(random.Random(number).randbytes(32))) for number in range(5)]
    assert sum(shares) / len(shares) < 8 * CHANCE


@pytest.mark.slow  # searches seeds
@pytest.mark.parametrize("decks", ["own", "shared"])
def test_the_attack_works_on_an_open_seed(decks: str) -> None:
    assert hits(league(20260501, decks), None) == 1


def test_published_seeds_of_matches_that_are_over_tell_no_other() -> None:
    spec, secret = league(None, "own"), TournamentSecret(random.Random(7).randbytes(32))
    tickets = list(Schedule(spec, secret=secret))
    seeds = [ticket.seed for ticket in tickets]
    assert len(set(seeds)) == len(seeds)
    bits = [sum(seed >> bit & 1 for seed in seeds) / len(seeds) for bit in range(53)]
    spread = 5 * 0.5 / len(seeds) ** 0.5
    assert all(abs(share - 0.5) < spread for share in bits)
