"""The command line: what each command prints, its exit codes, and one sentence for whatever is wrong."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from typer.main import get_command
from typer.testing import CliRunner, Result

from arena.cli.app import COMMANDS, app
from arena.cli.files import write_text
from arena.cli.options import read_options
from arena.cli.output import Exit, UserError
from bots.loader.version import BotVersion, code_digest, pack
from engine.replay.format import read_replay
from engine.replay.verifier import verify_replay
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import SubmissionState, put_back, save, submit
from tests.arena.conftest import PROGRAM
from tests.snapshots import check_snapshot
from tests.world import claimed, person, sent

Run = Callable[..., "CompletedProcess[str]"]
ROOT = Path(__file__).parents[3]
VECTOR = ROOT / "tests" / "vectors" / "tongiaki" / "r2-70.json"

SPEC = """
name = "cup"
game = "tongiaki"
seed = 7
isolation = "none"
bots = ["random", {name = "rival", source = "random"}, "greedy"]
[schedule]
tables = [2]
blocks = 1
"""
LOUD = "print('import')\nclass B:\n    def choose(self, v, c):\n        print('choose')\n        return v.legal_moves[0]\n"
DIGESTS = re.compile(r"results sha256:[0-9a-f]{64}\nratings sha256:[0-9a-f]{64}\n$")


@pytest.fixture(autouse=True)
def cup(here: Path) -> None:
    (here / "cup.toml").write_text(SPEC)


def arena(*arguments: str) -> Result:
    """The program with these arguments, in this process, and so are the bots of a match unless the test says where."""
    here = ["--isolation", "none"] if arguments[:1] == ("match",) and "--isolation" not in arguments else []
    return CliRunner().invoke(app, [*arguments, *here], prog_name="arena")


def fine(*arguments: str, code: int = 0) -> str:
    """What a command prints that is done, in 80 columns and without colour."""
    result = arena(*arguments)
    assert (result.exit_code, result.stderr) == (code, ""), result.output
    assert "\x1b" not in result.stdout
    return result.stdout


def refused(*arguments: str) -> str:
    """The one sentence on standard error of a command whose input was wrong, and which leaves the folder as it was."""
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    result = arena(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == "" or (arguments[0] == "run" and re.fullmatch(r"Reading \S+; results go to \S+\n", result.stdout))
    assert isinstance(result.exception, SystemExit)
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before
    [line] = result.stderr.splitlines()
    assert line.startswith("error: ")
    return line.removeprefix("error: ")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the tournament played, which tests take copies of."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.delenv("FORCE_COLOR", raising=False)
        (folder / "cup.toml").write_text(SPEC)
        assert DIGESTS.search(fine("run", "cup.toml", "--db", "cup.db", "--executor", "inline"))
    return folder


@pytest.fixture
def played(here: Path, whole: Path) -> Path:
    """A database of the test's own with the tournament played."""
    for path in whole.glob("cup.db*"):
        shutil.copy(path, here)
    return here / "cup.db"


@pytest.fixture
def world(played: Path) -> Path:
    """A folder with a played tournament, a bot, a replay, and a text."""
    fine("new", "mine.py")
    shutil.copy(VECTOR, played.parent / "m.json")
    (played.parent / "text.txt").write_text("nothing of the kind, but long enough")
    return played.parent


def test_whatever_is_wrong_is_refused_in_a_sentence_and_changes_nothing(world: Path) -> None:
    def answer(command: str) -> list[str]:
        before = {path: path.read_bytes() for path in world.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
        result = arena(*command.split())
        assert (result.exit_code, "Traceback" in result.output) == (2, False), f"{command}: {result.output}"
        assert {path: path.read_bytes() for path in world.rglob("*") if path.is_file() and "__pycache__" not in path.parts} == before
        words = " ".join(result.stderr.translate(str.maketrans("│╭╮╰╯─", "      ")).split())
        return [words]

    check_snapshot(Path(__file__).with_name("refused.txt"), answer)


class TestHelp:
    def test_every_command_has_whole_words_and_an_example_at_80_columns(self) -> None:
        for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]  # a group
            for words in [[name, each] for each in getattr(command, "commands", ())] or [[name]]:
                text = fine(*words, "--help")
                assert f"arena {' '.join(words)}" in text.split("Usage:")[1].split("\n", 1)[1], words
                assert max(map(len, text.splitlines())) <= 80, words
                assert "\N{HORIZONTAL ELLIPSIS}" not in text, words

    def test_the_program_lists_its_commands(self) -> None:
        text = fine("--help")
        assert all(f" {command} " in text for command in COMMANDS)

    def test_the_version(self) -> None:
        assert re.fullmatch(r"arena \d+\.\d+\.\d+\S*\n", fine("--version"))


class TestRun:
    def test_it_ends_with_the_leaderboard_and_two_digests(self) -> None:
        text = fine("run", "cup.toml", "--db", "cup.db", "--executor", "inline")
        reading, seed, begun = text.splitlines()[:3]
        assert reading == "Reading cup.toml; results go to cup.db"
        assert seed == "Open seed 7: anyone can compute every deck."
        assert begun.startswith("cup: 6 matches on this process (because of --executor), isolation ")
        assert DIGESTS.search(text)
        assert {"random", "rival", "greedy"} <= set(text.split())
        assert max(map(len, text.splitlines()[:-2])) <= 80

    def test_again_it_plays_nothing_and_prints_the_same_digests(self, played: Path) -> None:
        again = fine("run", "cup.toml", "--db", "cup.db", "--executor", "inline")
        assert "All 6 matches had already been played; nothing was left to play.\n" in again
        with Store.read(played) as store:
            seals = store.seals(1)
        assert again.splitlines()[-2:] == [f"{kind} {seals[kind]}" for kind in ("results", "ratings")]

    def test_what_bots_print_is_no_result(self, here: Path) -> None:
        (here / "loud.py").write_text(LOUD)
        (here / "cup.toml").write_text(SPEC.replace('"greedy"', '"loud.py"'))
        result = arena("run", "cup.toml", "--db", "cup.db", "--executor", "inline", "--isolation", "none")
        assert result.exit_code == 0
        assert "choose" not in result.stdout
        assert "import" not in result.stdout
        assert "choose" in result.stderr

    @pytest.mark.parametrize(
        ("old", "new", "sentence"),
        [
            ('"greedy"', '"gone.py"', "bot 'gone': there is no file gone.py; 'arena new gone.py' creates a bot to start from"),
            ("blocks", "block", "cup.toml: unknown key 'schedule.block'; did you mean 'blocks'?"),
            ("seed = 7", "seed = ", "cup.toml is not valid TOML: Invalid value (at line 4, column 8)"),
            (
                "blocks = 1",
                "blocks = 999999999999999",
                "the schedule of 'cup' has more than 1000000000000 matches; use fewer blocks, or set schedule.lineups to a number",
            ),
        ],
    )
    def test_a_wrong_spec(self, here: Path, old: str, new: str, sentence: str) -> None:
        (here / "cup.toml").write_text(SPEC.replace(old, new))
        assert refused("run", "cup.toml", "--db", "cup.db", "--executor", "inline") == sentence

    def test_a_bot_that_can_not_play(self, here: Path) -> None:
        (here / "mine.py").write_text("class B:\n    def choose(self, v, c): ...\n    def __init__(self): 1 / 0\n")
        (here / "cup.toml").write_text(SPEC.replace('"greedy"', '"mine.py"'))
        said = refused("run", "cup.toml", "--db", "cup.db", "--executor", "inline", "--isolation", "none")
        assert "B() raised ZeroDivisionError: division by zero (line 3)" in said

    def test_a_changed_spec_or_bot(self, here: Path) -> None:
        fine("new", "mine.py")
        (here / "cup.toml").write_text(SPEC.replace('"greedy"', '"mine.py"'))
        fine("run", "cup.toml", "--db", "cup.db", "--executor", "inline")
        (here / "mine.py").write_text((here / "mine.py").read_text() + "# changed\n")
        assert refused("run", "cup.toml", "--db", "cup.db", "--executor", "inline").startswith("the bot 'mine' has changed since")
        (here / "cup.toml").write_text(SPEC.replace("seed = 7", "seed = 8"))
        assert "was started with a different 'bots'" in refused("run", "cup.toml", "--db", "cup.db", "--executor", "inline")


class TestMatch:
    def test_it_shows_how_the_match_went(self) -> None:
        text = fine("match", "--game", "tongiaki", "greedy", "random", "--seed", "7")
        assert text.startswith("tongiaki, seed 7, isolation ")
        assert re.search(r"^ +1 +[01] +(greedy|random)", text, re.MULTILINE)

    @pytest.mark.parametrize("game", ["tongiaki", "sunda"])
    def test_a_saved_replay_verifies(self, game: str) -> None:
        fine("match", "greedy", "random", "random", "--seed", "7", "--game", game, "--save", "m.json")
        verify_replay(read_replay(Path("m.json").read_text()))
        assert fine("replay", "verify", "m.json").startswith("m.json: ok, ")

    def test_json(self) -> None:
        data = json.loads(fine("match", "--game", "tongiaki", "random", "random", "--seed", "0", "--json"))
        assert data["seed"] == 0
        assert [seat["bot"] for seat in data["seats"]] == ["random#1", "random#2"]
        assert {seat["rank"] for seat in data["seats"]} <= {1, 2}

    def test_a_fault_is_told(self, here: Path) -> None:
        (here / "bad.py").write_text("class B:\n    def choose(self, v, c): return 3\n    def finish(self, end): ...\n")
        text = fine("match", "--game", "tongiaki", "bad.py", "random", "--seed", "1", code=7)
        assert "seat 0, bad, was replaced by a substitute from decision 1 on: protocol error: choose returned 3 (int), which is" in text


class TestNew:
    @pytest.mark.parametrize("game", ["tongiaki", pytest.param("sunda", marks=pytest.mark.slow)])
    def test_a_new_bot_plays_every_game_without_faults(self, game: str) -> None:
        assert fine("new", "my_bot.py") == "Wrote my_bot.py. Try it: arena match my_bot.py greedy random --game NAME --seed 7\n"
        seats = json.loads(fine("match", "--game", game, "my_bot.py", "random", "--seed", "7", "--json"))["seats"]
        assert [seat["fault"] for seat in seats] == [None, None]

    def test_a_new_tournament_runs(self) -> None:
        assert fine("new", "--tournament", "my cup.toml") == "Wrote my cup.toml. Run it: arena run my cup.toml\n"
        cup = Path("my cup.toml")
        cup.write_text(cup.read_text().replace("tables = [2, 3]", "tables = [2]").replace("blocks = 2", "blocks = 1"))
        printed = fine("run", "my cup.toml", "--executor", "inline", "--isolation", "none")
        assert "3 of 3 blocks complete." in printed


class TestReplay:
    def test_verify_names_the_first_disagreement_of_each_file(self, here: Path) -> None:
        good = VECTOR.read_text()
        (here / "good.json").write_text(good)
        (here / "edited.json").write_text(good.replace("place 2", "place 1", 1))
        (here / "score.json").write_text(re.sub(r'"scores":\s*\[(\d+)', lambda found: f'"scores":[9{found[1]}', good))
        result = arena("replay", "verify", "good.json", "edited.json", "score.json")
        assert result.exit_code == 1
        assert result.stdout == "good.json: ok, 229 decisions of tongiaki with 2 players\n"
        first, second = result.stderr.splitlines()
        assert first.startswith("error: edited.json: decision ")
        assert second.startswith("error: score.json: the score of seat 0 is ")

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            (lambda text: text[:500], "is not a replay: it is not in the format 'arena-replay/1': "),
            (
                lambda text: text.replace("arena-replay/1", "arena-replay/2"),
                "Invalid enum value 'arena-replay/2'",
            ),
            (lambda _text: "[" * 100_000, "is not a replay: it is not in the format 'arena-replay/1': "),
        ],
    )
    def test_a_file_that_is_no_replay(self, here: Path, change: Callable[[str], str], words: str) -> None:
        (here / "bad.json").write_text(change(VECTOR.read_text()))
        for command in (("replay", "verify", "bad.json"), ("replay", "bad.json"), ("replay", "bad.json", "--svg", "out.svg")):
            sentence = refused(*command)
            assert sentence.startswith("bad.json ")
            assert words in sentence

    def test_a_stored_match_by_the_beginning_of_its_id(self, played: Path) -> None:
        [match, *_] = json.loads(fine("matches", "--db", "cup.db", "--json"))
        fine("replay", match["id"][:8], "--db", "cup.db", "--save", "m.json")
        assert fine("replay", "verify", "m.json").startswith("m.json: ok, ")
        assert read_replay(Path("m.json").read_text()).seed == match["seed"]


class TestLeaderboard:
    def test_for_people(self, played: Path) -> None:
        text = fine("leaderboard", "--db", "cup.db")
        assert text.startswith("cup (tongiaki)")
        assert max(map(len, text.splitlines())) <= 80
        assert text.splitlines()[2].split()[:2] == ["1", "greedy"]

    def test_for_scripts(self, played: Path) -> None:
        data = json.loads(fine("leaderboard", "--db", "cup.db", "--json"))
        assert data["matches"] == {"played": 6, "total": 6}
        rows = list(csv.DictReader(io.StringIO(fine("leaderboard", "--db", "cup.db", "--csv"))))
        assert [row["bot"] for row in rows] == [line["bot"] for line in data["standings"]]
        assert [float(row["mu"]) for row in rows] == [line["mu"] for line in data["standings"]]
        head, rule, *lines, blank, seed = fine("leaderboard", "--db", "cup.db", "--markdown").splitlines()
        assert (blank, seed) == ("", "Open seed 7: anyone can compute every deck.")
        assert {line.count("|") for line in (head, rule, *lines)} == {11}
        assert [line.split("|")[2].strip() for line in lines] == [row["bot"] for row in rows]


class TestMatches:
    def test_newest_first_with_limit_and_bot(self, played: Path) -> None:
        every = json.loads(fine("matches", "--db", "cup.db", "--json"))
        assert len(every) == 6
        assert json.loads(fine("matches", "--db", "cup.db", "--json", "--limit", "2")) == every[:2]
        greedy = json.loads(fine("matches", "--db", "cup.db", "--json", "--bot", "greedy"))
        assert [match["id"] for match in greedy] == [m["id"] for m in every if "greedy" in {seat["bot"] for seat in m["seats"]}]
        text = fine("matches", "--db", "cup.db")
        assert max(map(len, text.splitlines())) <= 80
        assert all(match["id"] in text for match in every)


class TestSmallCommands:
    def test_bots(self, played: Path) -> None:
        assert [line.split()[0] for line in fine("bots").splitlines()][:3] == ["random", "greedy", "spoiler"]
        data = json.loads(fine("bots", "--db", "cup.db", "--json"))
        assert [bot["name"] for bot in data["entered"]] == ["greedy", "random", "rival"]
        assert "in cup.db:\n" in fine("bots", "--db", "cup.db")
        assert refused("bots", "--db", "none.db").startswith("there is no database none.db")


class TestNamingTheDatabase:
    def test_by_the_environment(self, played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        matches = fine("matches", "--db", "cup.db")
        monkeypatch.setenv("ARENA_DB", "cup.db")
        assert fine("matches") == matches
        monkeypatch.setenv("ARENA_DB", "none.db")
        assert "there is no database none.db" in refused("matches")
        assert fine("matches", "--db", "cup.db") == matches

    def test_a_second_server_that_would_change_the_database_is_refused(self, here: Path) -> None:
        Store.create("cup.db").__exit__()
        with Store.join("cup.db") as store:
            unlock = store.lock_server()
            said = refused("serve", "--db", "cup.db", "--allow-play")
            unlock()
            store.lock_server()()
        ending = "stop it, or serve without --allow-submissions and --allow-play"
        assert said == f"another server is taking submissions or running games in cup.db; {ending}"


class TestListingSubmissions:
    def test_the_host_sees_what_waits_runs_and_failed_and_why(self, here: Path) -> None:
        Store.create("cup.db").__exit__()
        assert "No bot has been submitted to cup.db" in fine("bots", "list", "--db", "cup.db")
        with Store.join("cup.db") as store:
            for number, author in enumerate(("Ana", "Ben", "Cid")):
                sent(store, author, f"bot{number}", ladder="league")
            refused, interrupted = claimed(store), claimed(store, 1)
            refused.state, refused.seconds, refused.reason = SubmissionState.REFUSED, 1.0, "it failed in 2 of 9 matches"
            save(store, refused)
            put_back(store, interrupted, "SandboxError: no room on the disk")
        told = fine("bots", "list", "--db", "cup.db")
        for words in (
            "refused   bot0 by Ana for league (1 s)\n    it failed in 2 of 9 matches\n",
            "waiting   bot1 by Ben for league\n    SandboxError: no room on the disk\n",
            "waiting   bot2 by Cid for league\n",
        ):
            assert words in told
        listed = json.loads(fine("bots", "list", "--db", "cup.db", "--json"))["submissions"]
        assert [(each["author"], each["state"]) for each in listed] == [("Ana", "refused"), ("Ben", "waiting"), ("Cid", "waiting")]
        assert listed[1]["reason"] == "SandboxError: no room on the disk"

    def test_the_same_program_of_two_authors_is_named(self, here: Path) -> None:
        source = "class Bot:\n    def choose(self, view, clock):\n        return view.legal_moves[0]\n"
        entered = [
            ("walker", "Ana", source),
            ("mine", "Ben", "# mine\n" + source.replace("    ", "  ").replace("[0]", "[ 0 ]")),
            ("own", "Cid", source.replace("[0]", "[1]")),
        ]
        with Store.join("cup.db", creates=True) as store:
            for name, author, code in [*entered, ("again", "Ana", source)]:
                version = BotVersion(name, code_digest("Bot", code), f"{name}.py", "Bot", code)
                submit(store, name, version.digest, person(store, author), pack(version))
        told = fine("bots", "list", "--db", "cup.db")
        assert told.count("note: ") == 1, told
        assert "note: again@1 by Ana, mine@1 by Ben and walker@1 by Ana are the same program except for comments and formatting\n" in told
        assert json.loads(fine("bots", "list", "--db", "cup.db", "--json"))["alike"] == [["again@1", "mine@1", "walker@1"]]


class TestWriting:
    def test_whole_or_not_at_all(self, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        target = here / "out.txt"
        target.write_text("before")

        def full(_self: Path, *_arguments: object, **_options: object) -> int:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(Path, "replace", full)
            with pytest.raises(UserError, match=r"out\.txt can't be written: No space left on device"):
                write_text(target, "after")
        assert target.read_text() == "before"
        assert {path.name for path in here.iterdir()} == {"out.txt", "cup.toml"}

    def test_a_full_disk_on_standard_output_is_a_sentence(self, run: Run, environment: dict[str, str], here: Path) -> None:
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                [*PROGRAM, "--help"], env=environment, cwd=here, stdout=full, stderr=subprocess.PIPE, text=True, check=False
            )
        assert (done.returncode, done.stderr) == (1, "error: the output can't be used: No space left on device\n")

    @pytest.mark.sampled(1)  # each is a process of its own
    @pytest.mark.parametrize(
        ("command", "buffered"),
        [(["matches", "--db", "cup.db"], False), (["leaderboard", "--db", "cup.db", "--json"], True), (["run", "--help"], False)],
        ids=["table", "json", "help"],
    )
    def test_a_reader_that_goes_away_ends_a_command_silently(
        self, played: Path, environment: dict[str, str], command: list[str], buffered: bool
    ) -> None:
        process = unread(command, environment if buffered else environment | {"PYTHONUNBUFFERED": "1"}, played.parent)
        assert (process.communicate(timeout=60)[1], process.returncode) == ("", Exit.NO_READER)

    @pytest.mark.slow  # processes and pipes
    def test_a_run_whose_reader_goes_away_is_stopped_and_goes_on(self, played: Path, environment: dict[str, str]) -> None:
        process = unread(["run", "cup.toml", "--db", "half.db", "--executor", "inline"], environment, played.parent, lines=2)
        assert (process.communicate(timeout=60)[1], process.returncode) == ("", Exit.NO_READER)
        resumed, whole = (DIGESTS.search(fine("run", "cup.toml", "--db", db, "--executor", "inline")) for db in ("half.db", "cup.db"))
        assert resumed is not None
        assert whole is not None
        assert resumed[0] == whole[0]


def unread(command: list[str], environment: dict[str, str], folder: Path, lines: int = 0) -> subprocess.Popen[str]:
    """The program, the reader of whose output has gone after so many lines."""
    reader, writer = os.pipe()
    process = subprocess.Popen([*PROGRAM, *command], env=environment, cwd=folder, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    with os.fdopen(reader, buffering=1) as output:
        for _ in range(lines):
            assert output.readline()
    return process


class TestOptions:
    @pytest.mark.parametrize(
        ("text", "value"),
        [("2", 2), ("-2", -2), ("1,2,3", (1, 2, 3)), ("a", "a"), ("a,1", "a,1"), ("--1", "--1"), ("", ""), ("1,", "1,"), ("²", "²")],
    )
    def test_values_are_read_as_numbers_where_they_are(self, text: str, value: object) -> None:
        assert read_options([f"x={text}"]) == {"x": value}

    @pytest.mark.parametrize("text", ["x", "=2", ""])
    def test_no_key_or_no_value(self, text: str) -> None:
        with pytest.raises(UserError, match="write an option as KEY=VALUE"):
            read_options([text])


class TestADatabaseElsewhere:
    """A database that is named where another file belongs, or that is away."""

    def test_a_server_that_does_not_answer_is_a_fault_of_the_machine(self) -> None:
        done = arena("status", "--db", "postgresql+psycopg://ana@/cup?host=/nowhere")
        assert done.exit_code == 1
        assert done.stderr.startswith("error: no server answers at postgresql+psycopg://ana@/cup")
