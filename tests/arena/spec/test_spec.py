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


KEYS = "name, game, seed, secret, commitment, public, max_per_author, options, bots, schedule, rating, clock, runtime, isolation"


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
    @pytest.mark.parametrize(
        ("old", "new", "sentences"),
        [
            # keys
            ("seed = 7", "sed = 7", ["unknown key 'sed'; did you mean 'seed'?"]),
            (
                "seed = 7",
                "seed = 7\nzzz = 1",
                [f"unknown key 'zzz'; valid here: {KEYS}"],
            ),
            ("tables", "tabels", ["the key 'schedule.tables' is missing", "unknown key 'schedule.tabels'; did you mean 'tables'?"]),
            ("[2]", "[2]\nx = 1", ["unknown key 'schedule.x'; valid here: format, tables, blocks, seats, decks, lineups"]),
            ("[2]", "[2]\n[rating]\nsgima = 1", ["unknown key 'rating.sgima'; did you mean 'sigma'?"]),
            ('{name = "r2", ', '{name = "r2", sorce = "x", ', ["unknown key 'bots[1].sorce'; did you mean 'source'?"]),
            ('name = "r2", ', "", ["the bot name 'random' is used twice; write one of them as {name = 'another', source = 'random'}"]),
            (', source = "random"', "", ["the key 'bots[1].source' is missing"]),
            # types
            ('name = "good"', "name = 3", ["'name': should be text, not 3"]),
            ("seed = 7", "seed = true", ["'seed': should be an integer, not true"]),
            ("seed = 7", "seed = 7.0", ["'seed': should be an integer, not 7.0"]),
            ("seed = 7", 'seed = "7"', ["'seed': should be an integer, not '7'"]),
            ('"tongiaki"', "1", ["'game': should be text, not 1"]),
            ("[2]", "2", ["'schedule.tables': should be a list, not 2"]),
            ("[2]", "[true]", ["'schedule.tables[0]': should be an integer, not true"]),
            ("[2]", '[2, "3"]', ["'schedule.tables[1]': should be an integer, not '3'"]),
            ("[2]", "[2]\nblocks = 1.5", ["'schedule.blocks': should be an integer, not 1.5"]),
            ('["random", ', "[3, ", ["'bots[0]': should be the bot's source, or a table with 'name' and 'source', not 3"]),
            ('["random", {name = "r2", source = "random"}]', '"random"', ["'bots': should be a list, not 'random'"]),
            ("[2]", '[2]\n[rating]\nmu = "a"', ["'rating.mu': should be a number, not 'a'"]),
            (
                'source = "random"',
                'source = "random", params = {depth = [1]}',
                ["'bots[1].params': 'depth' should be a number, true or false, or a text, not [1]"],
            ),
            ('source = "random"', 'source = "random", params = 3', ["'bots[1].params': should be a table, not 3"]),
            # values
            ("seed = 7", "seed = -1", ["'seed': should be greater than or equal to 0, not -1"]),
            ("seed = 7", f"seed = {2**63}", [f"'seed': should be less than or equal to {2**63 - 1}, not {2**63}"]),
            ("[2]", "[]", ["'schedule.tables': should not be empty"]),
            ("[2]", "[2, 2]", ["'schedule.tables': a table size is listed twice"]),
            ("[2]", "[7]", ["'schedule.tables[0]': should be less than or equal to 6, not 7"]),
            ("[2]", "[0]", ["'schedule.tables[0]': should be greater than or equal to 1, not 0"]),
            ("[2]", "[2]\nblocks = 0", ["'schedule.blocks': should be greater than or equal to 1, not 0"]),
            ("[2]", "[2]\nlineups = 0", ["'schedule.lineups': should be \"all\" or a whole number of at least 1, not 0"]),
            ("[2]", '[2]\nlineups = "x"', ["'schedule.lineups': should be \"all\" or a whole number of at least 1, not 'x'"]),
            ("[2]", "[2]\nlineups = true", ["'schedule.lineups': should be \"all\" or a whole number of at least 1, not true"]),
            (
                "[2]",
                '[2]\nformat = "swis"',
                ["'schedule.format': should be round-robin, gauntlet, swiss, ladder, knockout, final, not 'swis'"],
            ),
            ("[2]", "[2]\nformat = 3", ["'schedule.format': should be round-robin, gauntlet, swiss, ladder, knockout, final, not '3'"]),
            (
                "[2]",
                "[2]\nrounds = 3",
                ["the key 'schedule.rounds' belongs to the format swiss and ladder, but this is a round-robin"],
            ),
            ("[2]", '[2]\nformat = "swiss"', ["the key 'schedule.rounds' is missing"]),
            (
                "[2]",
                '[2]\nformat = "swiss"\nrounds = 3\nlineups = 2',
                ["the key 'schedule.lineups' belongs to the format round-robin and gauntlet, but this is a swiss"],
            ),
            ("[2]", '[2]\nformat = "swiss"\nrounds = 3\nrouns = 2', ["unknown key 'schedule.rouns'; did you mean 'rounds'?"]),
            ("[2]", '[2]\nformat = "swiss"\nrounds = 0', ["'schedule.rounds': should be greater than or equal to 1, not 0"]),
            (
                "[2]",
                '[2, 3]\nformat = "ladder"',
                ["schedule.tables has tables of 3 seats, for only 2 bots; add bots or take smaller tables"],
            ),
            ("[2]", '[2]\nformat = "gauntlet"', ["the key 'schedule.challengers' is missing"]),
            (
                "[2]",
                '[2]\nformat = "gauntlet"\nchallengers = ["r3"]',
                ["schedule.challengers has 'r3', but there is no bot of that name"],
            ),
            (
                "[2]",
                '[2]\nformat = "gauntlet"\nchallengers = ["r2", "r2"]',
                ["schedule.challengers has 'r2' twice"],
            ),
            (
                "[2]",
                '[2]\nformat = "gauntlet"\nchallengers = ["r2", "random"]',
                ["a table of 2 seats has one challenger, but the field has only 0 of the other 1; add bots or take smaller tables"],
            ),
            ("[2]", '[2]\nformat = "final"', ["the key 'schedule.until' is missing"]),
            ("[2]", "[2]\nuntil = { places = 1 }", ["the key 'schedule.until.budget' is missing"]),
            ("[2]", "[2]\nuntil = 3", ["'schedule.until': should be a table, not 3"]),
            ("[2]", "[2]\nuntil = { places = 0, budget = 9 }", ["'schedule.until.places': should be greater than or equal to 1, not 0"]),
            ("[2]", "[2]\nuntil = { place = 1, places = 1, budget = 9 }", ["unknown key 'schedule.until.place'; did you mean 'places'?"]),
            (
                "[2]",
                "[2]\nuntil = { places = 1, confidence = 0.5, budget = 9 }",
                ["'schedule.until.confidence': should be greater than 0.5, not 0.5"],
            ),
            (
                "[2]",
                "[2]\nuntil = { places = 1, confidence = 95, budget = 9 }",
                ["'schedule.until.confidence': should be less than 1, not 95"],
            ),
            (
                "[2]",
                "[2]\nuntil = { places = 3, budget = 9 }",
                ["schedule.until asks for 3 places, but there are only 2 bots; take fewer places"],
            ),
            (
                "[2]",
                "[2]\nuntil = { places = 1, budget = 1 }",
                ["schedule.until has a budget of 1 matches, but the first round takes 2; raise it"],
            ),
            (
                "[2]",
                "[2]\nblocks = 5\nuntil = { places = 1, budget = 9 }",
                ["schedule.blocks is 5, but a final plays as many blocks as 'until' takes; leave it out"],
            ),
            (
                "[2]",
                '[2]\nformat = "round-robin"\nuntil = { places = 1, budget = 9 }',
                ["the key 'schedule.until' belongs to the format final, but this is a round-robin"],
            ),
            (
                "[2]",
                "[2]\nlineups = 5\nuntil = { places = 1, budget = 9 }",
                ["the key 'schedule.lineups' belongs to the format round-robin and gauntlet, but this is a final"],
            ),
            (
                "[2]",
                '[2]\nformat = "ladder"\nblocks = 4\nbehind = 7',
                ["schedule.behind is 7, but a line-up plays 8 matches at once; raise it to at least that"],
            ),
            (
                "[2]",
                '[2]\nformat = "knockout"\nseeds = ["r2"]',
                ["schedule.seeds should list every bot, but 'random' is missing"],
            ),
            ("[2]", '[2]\nseats = "fixed"', ["'schedule.seats': should be 'balanced', 'rotations' or 'permutations', not 'fixed'"]),
            ("[2]", "[2]\n[rating]\nmu = nan", ["'rating.mu': should be a finite number, not nan"]),
            ("[2]", "[2]\n[rating]\nsigma = inf", ["'rating.sigma': should be a finite number, not inf"]),
            ("[2]", "[2]\n[rating]\nsigma = 0", ["'rating.sigma': should be greater than or equal to 0.001, not 0"]),
            (
                "[2]",
                "[2]\n[rating]\nmu = 1500\nsigma = 500",
                [
                    "'rating': sigma = 500, beta = 4.16667 and tau = 0.0833333 are of different scales; usual with this sigma are "
                    "beta = 250 (a half) and tau = 5 (a hundredth)"
                ],
            ),
            ("[2]", "[2]\n[rating]\ndraw_probability = 0", ["'rating.draw_probability': should be greater than or equal to 0.0001, not 0"]),
            ("[2]", "[2]\n[rating]\ndraw_probability = 1", ["'rating.draw_probability': should be less than 1, not 1"]),
            ('["random", {name = "r2", source = "random"}]', "[]", ["'bots': should not be empty"]),
            # what does not fit together
            ("[2]", "[1]", ["schedule.tables has a table of 1 seat, but tongiaki is for 2 to 6"]),
            ("[2]", "[3]", ["schedule.tables has tables of 3 seats, for only 2 bots; add bots or take smaller tables"]),
            ('"r2"', '"random"', ["the bot name 'random' is used twice; write one of them as {name = 'another', source = 'random'}"]),
            (
                '["random", {name = "r2", source = "random"}]',
                '["a/hero.py", "b/Hero.py"]',
                ["the bot name 'Hero' differs only in case from 'hero'; write one of them as {name = 'another', source = 'b/Hero.py'}"],
            ),
            (
                '["random", {name = "r2", source = "random"}]',
                '["a/hero.py", "b/hero.py"]',
                ["the bot name 'hero' is used twice; write one of them as {name = 'another', source = 'b/hero.py'}"],
            ),
            ('"tongiaki"', '"tongiki"', ["there is no game 'tongiki'; did you mean 'tongiaki'?"]),
            ("seed = 7", "seed = 7\noptions = {level = 2}", ["tongiaki has no options, so there is no option 'level'"]),
            ("seed = 7", "seed = 7\noptions = 2", ["'options': should be a table, not 2"]),
            (
                "seed = 7",
                "seed = 7\noptions = {level = [1.5]}",
                ["'options': 'level' should be a number, true or false, a text or a list of integers, not [1.5]"],
            ),
            ("seed = 7", "seed = 7\noptions = {level = nan}", ["'options': 'level' should be a finite number, not nan"]),
            ("seed = 7", "seed = 7\noptions = {level = 1.5}", ["tongiaki has no options, so there is no option 'level'"]),
            (
                "seed = 7",
                'seed = 7\noptions = {level = [1, "a"]}',
                ["'options': 'level' should be a number, true or false, a text or a list of integers, not [1, 'a']"],
            ),
        ],
    )
    def test_each_mistake_has_its_sentence(self, old: str, new: str, sentences: list[str]) -> None:
        assert GOOD.count(old) >= 1
        assert refused(GOOD.replace(old, new, 1) if old != "[2]" else GOOD.replace(old, new)) == sentences

    @pytest.mark.parametrize("name", ["", " a", "_a", "a/b", "a\\nb", "ü", "a" * 61])
    def test_a_tournaments_name(self, name: str) -> None:
        [sentence] = refused(GOOD.replace('"good"', f'"{name}"'))
        assert sentence.startswith(
            "'name': should begin with a letter or digit (A-Z, a-z, 0-9), go on with those, '.', '_', '-' and spaces"
        )
        assert len(sentence) < 250

    @pytest.mark.parametrize("name", ["", "a b", "_a", "a:b", "ü", "a" * 41, "a" * 5000])
    def test_a_bots_name(self, name: str) -> None:
        [sentence] = refused(GOOD.replace('"r2"', f'"{name}"'))
        assert sentence.startswith("'bots[1].name': should begin with a letter or digit")
        assert "at most 40 long" in sentence
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
        with pytest.raises(BotError, match=r"^bot 'gone': there is no file .*gone\.py; 'arena new gone\.py' writes"):
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

    @pytest.mark.parametrize(
        ("clock", "sentence"),
        [
            ("move_fuel = 5", "'clock': 'move_fuel' counts units, which only the mode 'fuel' does; write mode = \"fuel\", or leave it out"),
            (
                'mode = "fuel"\nmove = 5.0',
                "'clock': 'move' counts seconds, and the mode 'fuel' counts units; write 'move_fuel', or leave it out",
            ),
            ('mode = "fuel"\nstrikes = 1', "'clock': 'strikes' is a time limit, and the mode 'fuel' has only 'wall'; leave it out"),
            ('mode = "fuel"\nmove_fuel = 0', "'clock.move_fuel': should be greater than or equal to 1, not 0"),
            ('mode = "fuel"\nmove_fuel = 1.5', "'clock.move_fuel': should be an integer, not 1.5"),
            ('mode = "fuels"', "'clock.mode': should be 'clock', 'budget' or 'fuel', not 'fuels'"),
        ],
    )
    def test_what_can_not_be_is_refused_in_a_sentence(self, clock: str, sentence: str) -> None:
        assert refused(f"{GOOD}[clock]\n{clock}") == [sentence]

    def test_the_option_of_a_match_takes_the_same_keys(self) -> None:
        assert make_clock({"mode": "fuel", "start_fuel": 7}, "--clock").start_fuel == 7
        with pytest.raises(SpecError, match="--clock: 'clock': 'bank' counts seconds"):
            make_clock({"mode": "fuel", "bank": 7}, "--clock")
