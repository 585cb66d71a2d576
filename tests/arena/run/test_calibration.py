"""Calibration: its tournaments, what they come to, and the command, killed and resumed."""

from __future__ import annotations

import json
import signal
from collections import Counter
from pathlib import Path

import pytest

from arena.entries.spec_completion import conditions
from arena.formats.schedule import Schedule
from arena.play.executors.base import InlineExecutor
from arena.report.calibration_tables import calibration_markdown, notes, short_markdown
from arena.run.calibration import SIZES, CalibrationConfig, bots_at_tables, check_bots, gather, make_specs, measured
from arena.run.runner import run_tournament
from arena.spec.plans import RoundRobinPlan
from arena.spec.spec import Spec
from bots.loader.loading import resolve
from bots.loader.reference_bots import REFERENCE_BOTS
from engine.core.errors import InputError
from leaderboard.ratings.anchors import find_anchors, read_anchors
from leaderboard.storage.store import Store
from tests.arena.conftest import Run, Start
from tests.arena.run.test_kill import wait_until_stored
from tests.arena.run.test_runner import Fake
from tests.arena.verification.evidence import disagreements

SIX = ("random", "greedy", "spoiler", "expert", "flat", "mcts")
SMALL = ("calibrate", "--game", "tongiaki", "--blocks", "4", "--executor", "inline", "--db", "s.db")


@pytest.fixture
def six(monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """Six reference bots, two of which search, whatever there is by now."""
    for name in SIX:
        monkeypatch.setitem(REFERENCE_BOTS, name, "bots.reference.random:Random")
    return SIX


def sitting(spec: Spec) -> Counter[str]:
    """The blocks that each bot sits in."""
    return Counter(bot for ticket in Schedule(spec) if ticket.rotation == 0 for bot in ticket.lineup)


class TestTheTournaments:
    def test_every_bot_sits_in_about_as_many_blocks_as_wanted_and_in_as_many_as_any_other(self, six: tuple[str, ...]) -> None:
        for spec in make_specs(CalibrationConfig("tongiaki", six, blocks=120, search_blocks=16)):
            assert isinstance(spec.schedule, RoundRobinPlan)
            (players,) = spec.schedule.tables
            wanted = (120 if spec.name.endswith("quick") else 16) * 2 / players
            blocks = sitting(spec)
            assert max(blocks.values()) - min(blocks.values()) <= 1
            assert all(wanted - 3 <= number <= wanted + 3 for number in blocks.values()), (spec.name, blocks)

    def test_bots_that_search_play_the_few_blocks_alone(self, six: tuple[str, ...]) -> None:
        specs = {spec.name: sorted(bot.name for bot in spec.bots) for spec in make_specs(CalibrationConfig("tongiaki", six))}
        quick = ["expert", "greedy", "random", "spoiler"]
        assert specs == {
            "strength-tongiaki-2-quick": quick,
            "strength-tongiaki-2": sorted(six),
            "strength-tongiaki-3-quick": quick,
            "strength-tongiaki-3": sorted(six),
            "strength-tongiaki-4-quick": quick,
            "strength-tongiaki-4": sorted(six),
            "strength-tongiaki-6": sorted(six),
        }

    def test_only_tables_that_the_game_has_and_the_bots_fill_are_played(self, six: tuple[str, ...]) -> None:
        assert {spec.schedule.tables for spec in make_specs(CalibrationConfig("sunda", six))} == {(2,), (3,), (4,)}
        assert {spec.schedule.tables for spec in make_specs(CalibrationConfig("tongiaki", six[:3]))} == {(2,), (3,)}
        with pytest.raises(InputError, match="no table can be filled"):
            make_specs(CalibrationConfig("tongiaki", six[:2], tables=(1, 3)))

    def test_options_tell_apart_tournaments_of_one_database(self, six: tuple[str, ...]) -> None:
        names = {spec.name for level in (0, 5) for spec in make_specs(CalibrationConfig("sunda", six[:2], {"level": level}))}
        assert names == {"strength-sunda-level-0-2", "strength-sunda-level-5-2"}

    def test_searches_have_a_budget_and_ratings_settle(self, six: tuple[str, ...]) -> None:
        for nodes in (None, 50):
            for spec in make_specs(CalibrationConfig("tongiaki", six, nodes=nodes)):
                assert (spec.clock.mode, spec.clock.nodes, spec.clock.limits.move, spec.rating.tau) == ("budget", nodes, 3600, 0)

    def test_bots_for_solo_are_not_on_it(self) -> None:
        assert {"random", "greedy", "spoiler"} <= set(bots_at_tables("tongiaki"))
        assert "planner" not in bots_at_tables("tongiaki")

    @pytest.mark.parametrize(
        ("names", "why"),
        [
            (["gredy"], "did you mean 'greedy'?"),
            (["planner"], "is not a reference bot for tables"),
            (["random", "random"], "is named twice"),
        ],
    )
    def test_other_bots_are_refused(self, names: list[str], why: str) -> None:
        with pytest.raises(InputError, match=why.replace("?", r"\?")):
            check_bots(names, "tongiaki")


class TestWhatItComesTo:
    @pytest.mark.slow
    def test_tables_of_both_kinds_are_read_as_one_and_verified(self, six: tuple[str, ...], tmp_path: Path) -> None:
        config = CalibrationConfig("tongiaki", six, blocks=12, search_blocks=6)
        specs = make_specs(config)
        with Store.create(tmp_path / "s.db") as store:
            for spec in specs:
                run_tournament(spec, {bot.name: resolve(bot.source, name=bot.name) for bot in spec.bots}, store, Fake())
            calibration = gather(store, config)
        assert calibration.is_whole
        assert [table.players for table in calibration.tables] == list(SIZES)
        for table in calibration.tables:
            here = [spec for spec in specs if spec.schedule.tables == (table.players,)]
            blocks = sum((sitting(spec) for spec in here), Counter[str]())
            assert {line.bot: line.blocks for line in table.strengths} == blocks
            assert {bot: share.blocks for bot, share in table.shares.items()} == blocks
            assert table.blocks * table.players == sum(blocks.values())
            assert sum(share.share * share.blocks for share in table.shares.values()) == pytest.approx(table.blocks)
        assert {each.bot: each.number for each in calibration.ratings} == {
            bot: sum(ticket.seats.count(bot) for spec in specs for ticket in Schedule(spec)) for bot in six
        }
        assert set(calibration.results) == {spec.name for spec in specs}
        assert len(short_markdown(calibration).splitlines()) == 2 + len(six)
        assert calibration_markdown(calibration).count("| bot |") == 1 + len(SIZES)

    @pytest.mark.slow  # plays a calibration
    def test_a_gap_that_nothing_was_played_across_is_told(self, tmp_path: Path) -> None:
        config = CalibrationConfig("sunda", ("random", "greedy"), blocks=2)
        [spec] = make_specs(config)
        with Store.create(tmp_path / "s.db") as store:
            run_tournament(spec, {bot: resolve(bot) for bot in config.bots}, store, InlineExecutor())
            calibration = gather(store, config)
        assert {line.bot: line.share for line in calibration.tables[0].shares.values()} == {"greedy": 1, "random": 0}
        assert any(note.startswith("At 2 seats some bots have lost everything to others") for note in notes(calibration))

    def test_it_makes_anchors_that_a_tournament_finds(self, tmp_path: Path) -> None:
        config = CalibrationConfig("tongiaki", ("random", "greedy"), blocks=2)
        versions = {bot: resolve(bot) for bot in config.bots}
        digests = {bot: version.digest for bot, version in versions.items()}
        [spec] = make_specs(config)
        with Store.create(tmp_path / "s.db") as store:
            with pytest.raises(InputError, match="4 matches are left"):
                measured(gather(store, config), digests)
            table = run_tournament(spec, versions, store, InlineExecutor()).table
            calibration = gather(store, config)
            anchors = find_anchors([measured(calibration, digests)], conditions(spec), digests)
        assert {each.bot: (each.mu, each.sigma) for each in anchors} == {each.bot: (each.mu, each.sigma) for each in table}
        (strong, weak), [known] = calibration.tables[0].strengths, measured(calibration, digests).tables
        assert [(each.bot, each.strength) for each in known.strengths] == [
            (each.bot, pytest.approx(each.strength, abs=0.01)) for each in (strong, weak)
        ]
        (first, shared), (also_shared, second) = known.covariance
        assert shared == also_shared
        assert min(first, second) > 0 > shared  # their average is fixed
        assert known.strengths[0].low < known.strengths[0].strength < known.strengths[0].high

    def test_the_covariance_is_in_the_order_of_the_strengths(self) -> None:
        for table in (table for each in read_anchors() for table in each.tables):
            for number, line in enumerate(table.strengths):
                assert 0.7 < 3.92 * table.covariance[number][number] ** 0.5 / (line.high - line.low) < 1.5


class TestTheCommand:
    @pytest.mark.slow  # plays a calibration
    def test_it_prints_tables_for_people_of_80_columns(self, run: Run, tmp_path: Path) -> None:
        done = run(*SMALL, "--bots", "random,greedy,spoiler", "--anchors", "a.json")
        assert done.returncode == 0, done.stderr
        assert max(map(len, done.stdout.splitlines())) <= 80
        for words in ("2 seats: 6 blocks; a fair share of wins is 50.0 %", "3 seats: 3 blocks", "Head to head", "No table of 4 or 6"):
            assert words in done.stdout
        assert [bot.bot for bot in read_anchors(tmp_path / "a.json")[0].bots].count("greedy") == 1
        assert disagreements(tmp_path / "s.db") == []

    @pytest.mark.slow
    def test_ctrl_c_stops_it_and_the_same_command_goes_on(self, run: Run, start: Start, tmp_path: Path) -> None:
        command = ("calibrate", "--game", "tongiaki", "--bots", "random,greedy,spoiler", "--blocks", "8", "--executor", "inline", "--json")
        process = start(*command, "--db", "s.db")
        wait_until_stored(tmp_path / "s.db", 1, process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130, err
        assert 0 < json.loads(out)["matches"]["played"] < json.loads(out)["matches"]["total"]
        assert "left; run the same command again to continue." in err
        again, whole = run(*command, "--db", "s.db"), run(*command, "--db", "w.db")
        assert again.returncode == 0, again.stderr
        assert json.loads(again.stdout) == json.loads(whole.stdout)

    @pytest.mark.parametrize(
        ("more", "sentence"),
        [
            (["--tables", "x"], "--tables x: write numbers of seats separated by commas, such as 2,4"),
            (["--bots", "gredy"], "'gredy' is not a reference bot"),
            (["--game", "sunda", "--option", "level=9"], "option 'level' must be an integer from 0 to 5"),
            (["--json", "--markdown"], "give one of --json and --markdown, not both"),
        ],
    )
    def test_wrong_input_is_one_sentence(self, run: Run, more: list[str], sentence: str) -> None:
        done = run(*SMALL, *more)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"error: {sentence}")
        assert len(done.stderr.splitlines()) == 1
