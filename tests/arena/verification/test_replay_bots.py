"""A verification that asks the bots again finds whatever a host has forged, and names it; and nothing where all is honest."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from textwrap import dedent
from typing import Any
from zlib import compress, decompress

import pytest
from typer.testing import CliRunner

from arena.bots import find_bots
from arena.cli.app import app
from arena.play.executors.base import InlineExecutor, Job, Played, Tickets
from arena.play.match import play_match
from arena.run.runner import run_tournament
from arena.spec.spec import make_spec
from arena.verification.bot_replay import BotsVerdict, Recall, read_bots
from arena.verification.verifier import Terms, Verdict, verify_store
from bots.errors import BotFaultError
from bots.host.player_pool import InProcessPlayer, Player, PlayerPool
from bots.limits import Level
from bots.loader.version import BotVersion, pack, unpack
from bots.protocol import Clock
from engine.core import Game, Move, State, View
from engine.records import FaultKind, Ticket
from leaderboard.storage.raw_queries import read_tournaments
from leaderboard.storage.store import Store
from tests.arena.fakes import without_pauses
from tests.arena.verification.evidence import FAILING, export

STEADY = """
    class Steady:
        def choose(self, view, clock):
            return view.legal_moves[len(view.legal_moves) // 2]
"""
FICKLE = """
    import random

    class Fickle:
        def choose(self, view, clock):
            return random.SystemRandom().choice(view.legal_moves)
"""
ROOT = Path(__file__).parents[3]
BUDGET = {"mode": "budget", "nodes": 2}
FUEL = {"mode": "fuel", "nodes": 2}

Forge = Callable[[Game, Ticket, dict[str, BotVersion]], tuple[Sequence[Player], Any]]


class Forging(InlineExecutor):
    """Plays a match as the host would like it: with other players, or with other moves."""

    def __init__(self, forge: Forge) -> None:
        super().__init__()
        self._forge = forge
        self.forged: list[str] = []

    def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
        game = job.make_game()
        for number, ticket in enumerate(without_pauses(tickets)):
            if number == 1:
                self.forged.append(ticket.id)
                players, settle = self._forge(game, ticket, dict(job.bots))
            else:
                players, settle = honest(ticket, dict(job.bots)), None
            yield [play_match(game, ticket, players, clock=job.clock, settle=settle)]


def honest(ticket: Ticket, bots: dict[str, BotVersion]) -> list[Player]:
    pool = PlayerPool(Level.NONE)
    return [pool.seat(bots[name]) for name in ticket.seats]


def played(
    folder: Path, bots: list[Any], clock: dict[str, Any], executor: InlineExecutor | None = None, *, make: Callable[..., Any] = find_bots
) -> Path:
    """A database with a tournament that was played with these bots, sealed as its host does."""
    for name, text in (("steady", STEADY), ("failing", FAILING), ("fickle", FICKLE)):
        (folder / f"{name}.py").write_text(dedent(text))
    path = folder / "cup.db"
    data = {"name": "cup", "game": "tongiaki", "seed": 9, "bots": bots, "schedule": {"tables": [2]}, "clock": clock}
    with Store.create(path) as store, closing(executor or InlineExecutor()) as player:
        spec = make_spec(data, "spec")
        run_tournament(spec, make(spec, folder, store), store, player)
    return path


Cup = Callable[[list[str], dict[str, Any]], Path]


@pytest.fixture(scope="module")
def cups(tmp_path_factory: pytest.TempPathFactory) -> Cup:
    """Databases of honest hosts by bots and clock: each is played once, and tests only read it."""

    @cache
    def make(bots: tuple[str, ...], clock: tuple[tuple[str, Any], ...]) -> Path:
        return played(tmp_path_factory.mktemp("cup"), list(bots), dict(clock))

    return lambda bots, clock: make(tuple(bots), tuple(clock.items()))


def asked(path: Path, recall: Recall | None = None) -> tuple[Verdict, BotsVerdict, list[str]]:
    """The verdict on a database or a bundle, what it says of the bots, and all disagreements."""
    terms = Terms(recall=recall or Recall(Level.NONE))
    with Store.read_to_verify(path) as store, closing(InlineExecutor()) as executor:
        [verdict], general = verify_store(store, store.fetch(read_tournaments), executor, terms)
    assert verdict.bots is not None
    return verdict, verdict.bots, [*map(str, general), *map(str, verdict.disagreements)]


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["verify", *arguments])
    return result.exit_code, result.output


def one_move(seat: int, index: int) -> Forge:
    """Another legal move at one decision; all that follows is what the bots then answer."""

    def forge(game: Game, ticket: Ticket, bots: dict[str, BotVersion]) -> tuple[Sequence[Player], Any]:
        state = game.new(len(ticket.seats), ticket.seed)
        seen = iter(range(10_000))

        def settle(number: int, actor: int, move: Move, fault: object) -> Move:
            assert number == next(seen)
            if actor == seat and number >= index and not made and state.count_moves() > 1:
                made.append(number)
                move = next(each for each in state.list_moves() if str(each) != str(move))
            state.play(move)
            return move

        made: list[int] = []
        return honest(ticket, bots), settle

    return forge


class TestHonest:
    @pytest.mark.parametrize("clock", [BUDGET, FUEL])
    def test_every_decision_is_the_same(self, cups: Cup, clock: dict[str, Any]) -> None:
        bots = ["random", "mcts"] + ([] if clock is FUEL else ["steady.py"])
        verdict, found, told = asked(cups(bots, clock))
        many = sum(found.decisions.values())
        assert (told, found.reported, found.is_whole) == ([], [], True)
        assert set(found.decisions) == {bot.removesuffix(".py") for bot in bots}
        [sentence] = found.sentences(verdict.total)
        assert sentence == (
            f"{verdict.total} of {verdict.total} matches: all {many:,} decisions of {len(bots)} bots were repeated, with identical results"
        )
        assert many > 100

    def test_a_bot_fails_again_where_it_failed_and_its_substitute_plays_the_same(self, cups: Cup) -> None:
        _, found, told = asked(cups(["random", "failing.py"], BUDGET))
        assert (told, found.reported, found.is_whole) == ([], [], True)
        assert found.decisions["failing"] == 5 * found.matches
        assert found.faults == {"failing": found.matches}
        assert "decisions and 2 faults of 2 bots were repeated, with identical results" in next(found.sentences(2))
        assert found.substituted > 0
        assert not found.left_out

    def test_the_command_says_what_may_be_published(self, cups: Cup) -> None:
        path = cups(["random", "steady.py"], BUDGET)
        code, told = run(str(path), "--replay-bots")  # in whatever isolation there is
        assert code == 0
        assert re.search(r"cup: 2 of 2 matches: all \d+ decisions of 2 bots were repeated, with identical results", told)
        code, told = run(str(path), "--replay-bots", "--isolation", "none", "--json")
        data = json.loads(told)["tournaments"][0]["bots"]
        assert code == 0
        assert (data["matches"], data["reported"], data["missing"]) == (2, [], {})
        assert set(data["decisions"]) == {"random", "steady"}
        assert ": all " in data["sentences"][0]


class TestForged:
    @pytest.mark.sampled(1)
    @pytest.mark.parametrize("clock", [FUEL, {}], ids=["fuel", "clock"])
    def test_one_edited_decision_is_found_and_named(self, tmp_path: Path, clock: dict[str, Any]) -> None:
        forging = Forging(one_move(seat=1, index=10))
        path = played(tmp_path, ["random", "greedy"], clock, forging)
        _, found, told = asked(path)
        [line] = told
        shape = rf"match {forging.forged[0]}: decision (\d+) of (random|greedy) \(seat 1\): stored '([^']+)', found '([^']+)'"
        index, bot, stored, answer = re.fullmatch(shape, line).groups()  # type: ignore[union-attr]
        assert int(index) >= 10
        assert stored != answer
        assert found.differing == {bot: 1}
        assert f"these differences: 1 of {bot}" in next(found.sentences(2))
        assert run(str(path), "--replay-bots", "--isolation", "none")[0] == 1
        assert run(str(path))[0] == 0  # without the bots nobody can tell

    def test_a_fault_that_was_hidden_is_found(self, tmp_path: Path) -> None:
        def forge(game: Game, ticket: Ticket, bots: dict[str, BotVersion]) -> tuple[Sequence[Player], Any]:
            mended = replace(bots["failing"], code=str(bots["failing"].code).replace("== 6", "== 6000"))
            return honest(ticket, bots | {"failing": mended}), None

        forging = Forging(forge)
        _, found, told = asked(played(tmp_path, ["random", "failing.py"], BUDGET, forging))
        [difference] = found.reported  # by its own word no file has to play the same way twice
        assert (difference.match, difference.stored) == (forging.forged[0], "'none'")
        assert re.fullmatch(r"'crash at decision \d+: choose raised RuntimeError: no more \(line \d+\)'", difference.found)
        assert found.left_out["failing"] > 0
        assert told == []

    def test_a_fault_that_never_was_is_an_alarm(self, tmp_path: Path) -> None:
        class Slandered(InProcessPlayer):
            asked = 0

            def choose(self, view: View[State], clock: Clock) -> Move:
                self.asked += 1
                if self.asked == 4:
                    raise BotFaultError(FaultKind.CRASH, "so they say")
                return super().choose(view, clock)

        def forge(game: Game, ticket: Ticket, bots: dict[str, BotVersion]) -> tuple[Sequence[Player], Any]:
            return [(Slandered if name == "greedy" else InProcessPlayer)(bots[name]) for name in ticket.seats], None

        _, found, told = asked(played(tmp_path, ["random", "greedy"], FUEL, Forging(forge)))
        [line] = told
        assert re.search(r"fault of greedy \(seat \d\): stored 'crash at decision \d+', found 'none'", line)
        assert found.differing == {"greedy": 1}

    def test_an_edited_move_of_a_substitute_is_an_alarm_whoever_failed(self, tmp_path: Path) -> None:
        def forge(game: Game, ticket: Ticket, bots: dict[str, BotVersion]) -> tuple[Sequence[Player], Any]:
            return one_move(seat=ticket.seats.index("failing"), index=60)(game, ticket, bots)

        _, found, told = asked(played(tmp_path, ["random", "failing.py"], {}, Forging(forge)))
        assert found.timed == ("failing",)
        [line] = told
        assert re.search(r"decision \d+ of the substitute for failing \(seat \d\): stored '.+', found '.+'", line)


class TestWhatCanNotBeAsked:
    def test_a_bot_that_plays_differently_each_time_is_reported_and_no_alarm(self, cups: Cup) -> None:
        path = cups(["random", "fickle.py"], BUDGET)
        verdict, found, told = asked(path)
        assert (told, found.is_whole) == ([], True)
        assert found.differing["fickle"] > 5
        assert "random" not in found.differing
        assert 1 <= len(found.reported) <= 5 * verdict.stored
        code, output = run(str(path), "--replay-bots", "--isolation", "none")
        assert code == 0
        assert "the bot is not deterministic" in output
        assert re.search(r"decisions of 2 bots were repeated, with these differences: \d+ of fickle\n", output)

    def test_bots_that_play_by_the_clock_are_counted(self, cups: Cup) -> None:
        verdict, found, told = asked(cups(["random", "steady.py", "flat"], {"move": 5.0, "nodes": 2}))
        assert (told, found.timed, found.is_whole) == ([], ("flat", "steady"), True)
        many = found.left_out["flat"] + found.left_out["steady"]
        assert many > 20
        first, second = found.sentences(verdict.total)
        assert re.fullmatch(r"6 of 6 matches: \d+ decisions of 1 bot were repeated, with identical results", first)
        assert second == f"2 bots depend on the clock, so their {many} decisions can't be compared: flat, steady"

    @pytest.mark.slow  # plays a tournament
    def test_a_bot_without_content_is_named_and_may_be_given(self, cups: Cup, tmp_path: Path) -> None:
        (tmp_path / "steady.py").write_text(dedent(STEADY))
        path = Path(shutil.copy(cups(["random", "steady.py"], BUDGET), tmp_path / "cup.db"))
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("DELETE FROM content")
        _, found, told = asked(path)
        assert (told, found.is_whole, found.decisions.get("steady", 0)) == ([], False, 0)
        assert found.missing == {"steady": "its files are not stored here; give --bots a folder that contains them"}
        assert run(str(path), "--replay-bots", "--isolation", "none")[0] == 1
        _, found, told = asked(path, Recall(Level.NONE, read_bots(tmp_path)))
        assert (told, found.is_whole) == ([], True)
        assert found.decisions["steady"] > 0
        assert run(str(path), "--replay-bots", "--isolation", "none", "--bots", str(tmp_path))[0] == 0

    def test_an_edited_content_is_found_and_not_played(self, cups: Cup, tmp_path: Path) -> None:
        path = Path(shutil.copy(cups(["random", "steady.py"], BUDGET), tmp_path / "cup.db"))
        with closing(sqlite3.connect(path)) as connection, connection:
            [(content,)] = connection.execute("SELECT content FROM content").fetchall()
            version = unpack(decompress(content))
            other = compress(pack(replace(version, code=str(version.code) + "\n")))
            connection.execute("UPDATE content SET content = ?", (other,))
        _, found, told = asked(path)
        assert "steady" in found.missing
        assert len(told) == 1
        assert re.search(r"content of the bot steady: stored '\w{64}', found content with a different hash", told[0])

    def test_nothing_is_asked_before_the_secret_is_known(self, tmp_path: Path) -> None:
        path = tmp_path / "cup.db"
        data = {"name": "cup", "game": "tongiaki", "bots": ["random", "greedy"], "schedule": {"tables": [2], "blocks": 2}}
        with Store.create(path) as store:
            spec = make_spec(data, "spec")
            bots = find_bots(spec, tmp_path, store)
            run_tournament(spec, bots, store, Stopping())
        export(path, tmp_path / "cup.arena")
        code, told = run(str(tmp_path / "cup.arena"), "--interim", "--replay-bots", "--isolation", "none")
        assert code == 1
        assert "its secret is not published yet, so the bots' seeds are not known, and no decision was repeated with a bot" in told


LAST = "(global.set $index (i32.sub (call $legal (i32.const 0)) (i32.const 1)))"
TIRING = """
    (global.set $told (i32.add (global.get $told) (i32.const 1)))
    (local.set $i (i32.mul (global.get $told) (i32.const 20000)))
    (loop $work (local.set $i (i32.sub (local.get $i) (i32.const 1))) (br_if $work (local.get $i)))
"""
"""A module that takes more fuel for each decision than for the one before."""


class TestModules:
    """WebAssembly bots by fuel."""

    @pytest.fixture
    def league(self, tmp_path: Path) -> Path:
        import wasmtime

        from tests.bots.wasm.modules import text_of

        for name, decide in (("last", LAST), ("tiring", TIRING)):
            (tmp_path / f"{name}.wasm").write_bytes(bytes(wasmtime.wat2wasm(text_of(decide=decide))))
        return tmp_path

    def test_modules_answer_the_same_and_run_out_of_fuel_at_the_same_decision(self, league: Path) -> None:
        verdict, found, told = asked(played(league, ["last.wasm", "tiring.wasm"], FUEL | {"move_fuel": 1_000_000}))
        assert (told, found.reported, found.is_whole) == ([], [], True)
        assert found.decisions["last"] > 50
        assert found.decisions["tiring"] > 10
        assert found.faults == {"tiring": 2}
        assert re.fullmatch(
            r"2 of 2 matches: all [\d,]+ decisions and 2 faults of 2 bots were repeated, with identical results",
            next(found.sentences(verdict.total)),
        )

    def test_without_wasmtime_modules_can_not_be_asked(self, league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = played(league, ["last.wasm", "random"], FUEL)
        monkeypatch.setattr("arena.verification.bot_replay.version_here", lambda _package: "")
        _, found, told = asked(path)
        assert told == []
        assert found.missing == {"last": "it is a WebAssembly module, and the package 'wasmtime' is not installed here"}
        assert found.decisions["random"] > 0


class TestBundles:
    def test_a_bundle_with_bots_proves_itself_and_one_without_takes_them_from_a_folder(self, cups: Cup, tmp_path: Path) -> None:
        (tmp_path / "steady.py").write_text(dedent(STEADY))
        path = cups(["random", "steady.py"], BUDGET)
        whole, without = tmp_path / "whole.arena", tmp_path / "without.arena"
        export(path, whole, with_bots=True)
        export(path, without)
        _, found, told = asked(whole, Recall(Level.NONE, is_trusted=True))
        assert (told, found.is_whole) == ([], True)
        _, found, _ = asked(whole)
        assert "would not be isolated" in found.missing["steady"]  # a bundle is from strangers
        _, found, _ = asked(without)
        assert set(found.missing) == {"steady"}
        _, found, told = asked(without, Recall(Level.NONE, read_bots(tmp_path)))
        assert (told, found.is_whole) == ([], True)


class Stopping(InlineExecutor):
    """Stops after the first match."""

    def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
        yield next(super().run(job, tickets))
