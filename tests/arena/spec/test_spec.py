"""What a host may write in a tournament's file, and the sentence for everything else."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from textwrap import dedent

import pytest

from arena.bots import find_bots
from arena.spec.spec import Spec, SpecError, make_clock, make_spec, make_stored_spec, read_spec
from arena.spec.tables import RoundRobinPlan
from bots.errors import BotError
from bots.protocol import ClockMode, ClockSpec
from tests.snapshots import check_snapshot

GOOD = """
name = "good"
seed = 7
game = "tongiaki"
bots = ["random", {name = "r2", source = "random"}]
[schedule]
tables = [2]
"""


def made(text: str) -> Spec:
    """The spec that TOML describes."""
    return make_spec(tomllib.loads(text), "f.toml")


def refused(text: str) -> list[str]:
    """The sentences with which TOML is refused, without the file's name that each begins with."""
    with pytest.raises(SpecError) as caught:
        made(text)
    lines = str(caught.value).splitlines()
    assert all(line.startswith("f.toml: ") for line in lines)
    return [line.removeprefix("f.toml: ") for line in lines]


class TestGoodFiles:
    def test_defaults_are_filled_in(self) -> None:
        spec = made(GOOD)
        assert isinstance(spec.schedule, RoundRobinPlan)
        assert (spec.schedule.format, spec.schedule.lineups, spec.schedule.blocks, spec.schedule.seats) == (
            "round-robin",
            "all",
            1,
            "balanced",
        )
        assert (spec.rating.mu, spec.rating.draw_probability) == (25.0, 0.1)

    @pytest.mark.parametrize(
        ("source", "name"),
        [("greedy", "greedy"), ("my_bot.py", "my_bot"), ("bots/my_bot.py:Other", "Other"), ("pkg.mod:Clever", "Clever")],
    )
    def test_a_bot_may_be_just_its_source(self, source: str, name: str) -> None:
        bot = made(GOOD.replace('"random", ', f'"{source}", ')).bots[0]
        assert (bot.name, bot.source) == (name, source)

    def test_everything_may_be_said(self) -> None:
        spec = made(
            GOOD
            + """
            format = "round-robin"
            lineups = 1
            blocks = 3
            seats = "permutations"
            [rating]
            mu = 20
            sigma = 5.5
            beta = 2.0
            tau = 0
            draw_probability = 0.5
            """
        )
        assert isinstance(spec.schedule, RoundRobinPlan)
        assert (spec.schedule.lineups, spec.schedule.blocks, spec.schedule.seats) == (1, 3, "permutations")
        assert (spec.rating.parameters.mu, spec.rating.parameters.tau) == (20.0, 0.0)

    def test_a_bot_without_a_name_is_called_as_its_file_as_far_as_bots_may_be(self) -> None:
        spec = made(GOOD.replace('["random", {name = "r2", source = "random"}]', '["random", "bots/my_bot (1).py"]'))
        assert [bot.name for bot in spec.bots] == ["random", "my_bot-1"]

    def test_the_quickstart_is_a_good_file(self) -> None:
        folder = Path(__file__).parents[3] / "examples"
        spec = read_spec(folder / "quickstart.toml")
        assert set(find_bots(spec, folder, None)) == {bot.name for bot in spec.bots}


class TestCanonicalText:
    @pytest.mark.parametrize(
        "more",
        [
            "",
            "blocks = 9",
            "lineups = 1",
            'seats = "permutations"',
            'decks = "shared"',
            "[rating]\nmu = 1e-3",
            "[rating]\ntau = 0",
            "[rating]\nsigma = 3",
        ],
    )
    def test_it_reads_back_as_an_equal_spec(self, more: str) -> None:
        spec = made(GOOD + more)
        again = make_spec(json.loads(spec.canonical()), "stored")
        assert again == spec
        assert again.canonical() == spec.canonical()

    def test_the_order_of_keys_and_defaults_written_out_make_no_difference(self) -> None:
        other = dedent("""
            bots = [{source = "random", name = "random"}, {name = "r2", source = "random"}]
            seed = 7
            name = "good"
            game = "tongiaki"
            [rating]
            mu = 25
            [schedule]
            blocks = 1
            tables = [2]
        """)
        assert made(other).canonical() == made(GOOD).canonical()


class TestMistakes:
    def test_each_mistake_has_its_sentence(self) -> None:
        def answer(case: str) -> list[str]:
            old, new = (each.replace("\\n", "\n") for each in case.split(" => "))
            assert old in GOOD
            return refused(GOOD.replace(old, new, 1))

        check_snapshot(Path(__file__).with_name("mistakes.txt"), answer)

    @pytest.mark.parametrize("name", ["", " a", "_a", "a/b", "a\\nb", "ü", "a" * 61])
    def test_a_tournaments_name(self, name: str) -> None:
        [sentence] = refused(GOOD.replace('"good"', f'"{name}"'))
        assert sentence.startswith("'name': should be at most 60 letters (A-Z, a-z), digits, '.', '_', '-' and spaces")
        assert len(sentence) < 250

    @pytest.mark.parametrize("name", ["", "a b", "_a", "a:b", "ü", "a" * 41, "a" * 5000])
    def test_a_bots_name(self, name: str) -> None:
        [sentence] = refused(GOOD.replace('"r2"', f'"{name}"'))
        assert sentence.startswith("'bots[1].name': should be at most 40 letters (A-Z, a-z), digits")
        assert len(sentence) < 250

    def test_a_source_that_makes_no_name(self) -> None:
        [sentence] = refused(GOOD.replace('"random", ', '"机器人.py", '))
        assert sentence.endswith("not '机器人'")

    def test_all_mistakes_are_told_at_once(self) -> None:
        assert refused('game = "tongiaki"\nschedule = 3') == [
            "the key 'name' is missing",
            "the key 'bots' is missing",
            "'schedule': should be a table, not 3",
        ]


class TestFiles:
    @staticmethod
    def refused(path: Path) -> str:
        with pytest.raises(SpecError) as caught:
            read_spec(path)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    def test_no_such_file(self, tmp_path: Path) -> None:
        assert self.refused(tmp_path / "none.toml") == f"there is no file {tmp_path}/none.toml"

    def test_a_folder(self, tmp_path: Path) -> None:
        assert self.refused(tmp_path) == f"{tmp_path} is a folder, not a file"

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (b"name = ", "is not valid TOML: Invalid value"),
            (b"[" * 3, "is not valid TOML"),
            (b"\xff\xfe", "is not a text file"),
            (b"SQLite format 3\x00", "is a database; give the tournament's TOML file, and the database as --db "),
            (b"SQLite format 3\x00" + bytes(2 << 20), "is a database"),
            (b"a = " + b"[" * 5000 + b"]" * 5000, "is not valid TOML: maximum recursion depth"),
            (b"seed = " + b"9" * 5000, "is not valid TOML: Exceeds the limit (4300 digits)"),
        ],
    )
    def test_a_file_that_is_no_toml(self, tmp_path: Path, content: bytes, words: str) -> None:
        path = tmp_path / "bad.toml"
        path.write_bytes(content)
        assert f"{path} {words}" in self.refused(path)

    def test_a_bot_that_can_not_be_had_is_named(self, tmp_path: Path) -> None:
        spec = made(GOOD.replace('"random", ', '"gone.py", '))
        with pytest.raises(BotError, match=r"^bot 'gone': there is no file .*gone\.py; 'arena new gone\.py' creates"):
            find_bots(spec, tmp_path, None)


class TestFuel:
    def test_the_clock_may_count_fuel(self) -> None:
        spec = made(GOOD + '[clock]\nmode = "fuel"\nmove_fuel = 1_000_000\nbank_fuel = 9_000_000\nnodes = 50')
        assert spec.clock.limits == ClockSpec(
            ClockMode.FUEL,
            start=None,
            move=None,
            wall_bank=None,
            nodes=50,
            start_fuel=2_000_000_000,
            move_fuel=1_000_000,
            bank_fuel=9_000_000,
        )

    def test_its_stored_text_has_the_keys_of_its_mode_and_is_read_again(self) -> None:
        spec = made(GOOD + '[clock]\nmode = "fuel"')
        stored = spec.canonical()
        assert json.loads(stored)["clock"] == {
            "mode": "fuel", "wall": 120.0, "nodes": None,
            "start_fuel": 2_000_000_000, "move_fuel": 2_000_000_000, "bank_fuel": None,
        }  # fmt: skip
        assert make_stored_spec(stored, "it").canonical() == stored

    @pytest.mark.parametrize("clock", ["", '[clock]\nmode = "budget"\nnodes = 100', "[clock]\nmove = 2.0\nbank = 30.0"])
    def test_the_stored_text_of_others_knows_nothing_of_it(self, clock: str) -> None:
        stored = made(GOOD + clock).canonical()
        assert set(json.loads(stored)["clock"]) == {"mode", "start", "move", "bank", "strikes", "slack", "wall", "wall_bank", "nodes"}
        assert make_stored_spec(stored, "it").canonical() == stored

    def test_the_option_of_a_match_takes_the_same_keys(self) -> None:
        assert make_clock({"mode": "fuel", "start_fuel": 7}, "--clock").start_fuel == 7
        with pytest.raises(SpecError, match="--clock: 'clock': 'bank' is in seconds"):
            make_clock({"mode": "fuel", "bank": 7}, "--clock")
