"""``arena analyse``: what it prints of a match, its files, and one sentence for whatever is wrong."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from rich.cells import cell_len
from typer.testing import CliRunner, Result

from arena.analysis.match_analysis import MatchAnalysis, read_analysis
from arena.cli.app import app
from leaderboard.storage.store import Store
from tests.arena.running import play_tournament

VECTORS = Path(__file__).parents[2] / "vectors"
SHORT = VECTORS / "tongiaki" / "r2-70.json"
FOUR = VECTORS / "tongiaki" / "r4-16.json"
CUP = 'name = "cup"\ngame = "{game}"\nseed = 5\nbots = ["random", "greedy"]\n[schedule]\ntables = {tables}\nblocks = 1\n'


@pytest.fixture(autouse=True)
def one_cache(analyses: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All tests share a cache, of analyses that measure losses in few worlds."""
    monkeypatch.setenv("ARENA_CACHE", str(analyses))
    for name in ("FIRST_CHECKS", "CHECKS", "LAST_CHECKS"):
        monkeypatch.setattr(f"arena.analysis.move_quality.{name}", 2)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament of a few short matches."""
    return play_tournament(tmp_path_factory.mktemp("analyse") / "cup.db", CUP.format(game="tongiaki", tables=[2]))


def arena(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["analyse", *arguments], prog_name="arena")


def fine(*arguments: str) -> str:
    result = arena(*arguments)
    assert (result.exit_code, re.sub(r"\d+ of \d+ decisions\n", "", result.stderr)) == (0, ""), result.output  # progress on a slow machine
    return result.stdout


def refused(*arguments: str) -> str:
    """The one sentence with which it is refused."""
    result = arena(*arguments)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert result.stderr.count("error: ") == 1
    return " ".join(result.stderr.removeprefix("error: ").split())


def assert_sums(shown: str, analysis: MatchAnalysis) -> None:
    """Check that each player's result is printed, the winner's first, and that the printed parts add up to it exactly."""
    lines = shown.replace("\N{MINUS SIGN}", "-").partition("Where the result came from")[2].splitlines()
    assert lines[1].split() == ["start", "own", "others", "luck", "=", "result"]
    sums = [re.findall(r" ([+-]?[0-9]+)\b", line) for line in lines[2 : 2 + analysis.players]]
    assert [int(each[-1]) for each in sums] == sorted((100 * account.result for account in analysis.accounts), reverse=True)
    for *parts, result in sums:
        assert sum(map(int, parts)) == int(result)


class TestMatch:
    def test_what_is_printed_fits_a_screen_and_has_the_sentence_three_moments_and_a_bar_for_each_player(self) -> None:
        shown = fine(str(FOUR))
        analysis = read_analysis(fine(str(FOUR), "--json").encode())

        lines = shown.splitlines()
        assert len(lines) <= 30
        assert [line for line in lines if cell_len(line) > 80 and "arena replay" not in line] == []
        assert analysis.sentence in " ".join(shown.split())
        assert re.findall(r"^([abc])  Decision", shown, re.MULTILINE) == list("abc")
        assert_sums(shown, analysis)

    def test_every_decision_can_be_listed(self) -> None:
        listed = re.findall(r"^ *(\d+)  \S+ .*\d+[ %]", fine(str(FOUR), "--all").partition("Every decision")[2], re.MULTILINE)
        assert [int(each) for each in listed] == list(range(1, len(json.loads(FOUR.read_text())["decisions"]) + 1))

    def test_with_details_there_are_the_sum_and_the_graph_within_80_columns_and_the_sum_adds_up(self) -> None:
        shown = fine(str(FOUR), "--details")

        assert [line for line in shown.splitlines() if cell_len(line) > 80 and "arena replay" not in line] == []
        assert_sums(shown, read_analysis(fine(str(FOUR), "--json").encode()))

    def test_a_command_shows_the_worst_decision(self, db: Path) -> None:
        shown = fine(str(FOUR), "--details")
        worst = int(re.findall(r"^ *(\d+) .+, \d+ pp worse than the best move found", shown, re.MULTILINE)[0])

        assert f"The position before decision {worst}: arena replay {shlex.quote(str(FOUR))} --at {worst - 1}\n" in shown
        with Store.read(str(db)) as store:
            tournament = store.tournament()
            assert tournament is not None
            match = store.recent_matches(tournament, limit=1)[0].id
        stored = fine(match, "--db", str(db))
        command = re.findall(r"^The position before decision \d+: arena (.+)$", stored, re.MULTILINE)[0]
        assert command.startswith(f"replay {match} --db {db} --at ")
        assert CliRunner().invoke(app, shlex.split(command)).exit_code == 0

    def test_json_is_the_whole_analysis(self) -> None:
        analysis = read_analysis(fine(str(FOUR), "--json").encode())

        assert analysis.is_whole
        assert len(analysis.chances) == len(analysis.decisions) + 1 == analysis.total + 1

    def test_the_page_is_a_file(self, here: Path) -> None:
        fine(str(FOUR), "--html", "why.html")

        analysis = read_analysis(fine(str(FOUR), "--json").encode())
        assert analysis.sentence.partition(":")[0] in (here / "why.html").read_text()


class TestRefused:
    @pytest.mark.parametrize(
        ("change", "sentence"),
        [
            ({"scores": [1, 2]}, "bad.json can't be analysed: the score of seat 0 is "),
            ({"rules_version": 99}, "bad.json can't be analysed: it was played under version 99 of tongiaki's rules"),
            ({"game": "nothing"}, "bad.json can't be analysed: "),
            ({"decisions": []}, "bad.json can't be analysed: the game is not over at the end of the replay: seat "),
        ],
    )
    def test_a_replay_that_does_not_agree_with_its_game(self, here: Path, change: dict[str, object], sentence: str) -> None:
        (here / "bad.json").write_text(json.dumps(json.loads(SHORT.read_text()) | change))

        assert refused("bad.json").startswith(sentence)
