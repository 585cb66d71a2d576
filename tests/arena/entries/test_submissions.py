"""From a bot's file to a submitted version that plays in tournaments, through the program."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from leaderboard.storage.store import Store
from tests.arena.web.hosting import LADDER, make_ladder
from tests.world import tournament_of

Run = Callable[..., object]

GOOD = "class Good:\n    def choose(self, view, clock): return view.legal_moves[-1]\n"

BAD = "class Bad:\n    def choose(self, view, clock): print('so far'); return 1 / 0\n"

SPEC = 'name = "{name}"\ngame = "tongiaki"\nbots = ["random", "{bot}"]\n[schedule]\ntables = [2]\n[clock]\nmove = 2.0\n'


@pytest.fixture
def cli(run, tmp_path: Path):
    def go(*arguments: str, code: int = 0) -> str:
        done = run(*arguments)
        assert done.returncode == code, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return str(done.stdout if code == 0 else done.stdout + done.stderr)

    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "bad.py").write_text(BAD)
    return go


def test_check_plays_every_seat(cli: Callable[..., str]) -> None:
    report = json.loads(cli("bots", "check", "good.py", "--game", "tongiaki", "--trust-bots", "--json", "--seconds", "600"))
    assert (report["verdict"], report["stage"], report["matches"], report["troubles"]) == ("passed", "play", 6, [])
    assert 0 < report["seconds"]["median"] <= report["seconds"]["p95"] <= report["seconds"]["max"]
    assert report["memory"] > 1 << 20


@pytest.mark.slow
def test_what_plays_in_a_submitted_module_is_its_file(cli: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "mine.wasm").write_bytes((Path(__file__).parents[3] / "examples" / "wasm" / "c.wasm").read_bytes())
    cli("bots", "submit", "--game", "tongiaki", "mine.wasm", "--name", "mine", "--author", "Ana", "--db", "s.db", "--trust-bots")
    assert "\nplays bot.wasm\n" in cli("bots", "list", "mine", "--db", "s.db")


def test_check_of_a_broken_bot_says_what_to_mend_and_fails(cli: Callable[..., str]) -> None:
    text = cli("bots", "check", "bad.py", "--game", "sunda", "--option", "level=2", "--trust-bots", code=1)
    for words in (
        "ZeroDivisionError",
        "(line 2)",
        "hint: crash:",
        "so far",
        "not passed: it failed in each of the first 3 matches for the same reason, and the check stopped there (stage: play)",
    ):
        assert words in text
    assert text.count("Traceback (most recent call last)") == 1  # of all matches that failed for one cause


@pytest.mark.slow
def test_a_version_never_changes_and_a_tournament_names_it(cli: Callable[..., str], tmp_path: Path) -> None:
    submit = (
        "bots",
        "submit",
        "--game",
        "tongiaki",
        "good.py",
        "--name",
        "walker",
        "--author",
        "Ana",
        "--db",
        "s.db",
        "--trust-bots",
        "--clock",
        "move=5",
    )
    assert "walker@1" in cli(*submit)
    assert "has exactly the same content" in cli(*submit, code=2)
    (tmp_path / "good.py").write_text(GOOD.replace("[-1]", "[0]"))
    assert "is taken by another author" in cli(*[each.replace("Ana", "Bob") for each in submit], code=2)
    assert "walker@2" in cli(*submit)
    (tmp_path / "good.py").unlink()

    for name, bot in (("one", "walker@1"), ("two", "walker@newest"), ("three", "walker")):
        (tmp_path / f"{name}.toml").write_text(SPEC.format(name=name, bot=bot))
        cli("run", f"{name}.toml", "--db", "s.db", "--executor", "inline", "--trust-bots")
    listed = {each["number"]: each["version"] for each in json.loads(cli("bots", "list", "--db", "s.db", "--json"))["versions"]}
    boards = [json.loads(cli("leaderboard", "--db", "s.db", "--tournament", name, "--json")) for name in ("one", "two", "three")]
    played = [next(line["version"] for line in board["standings"] if line["bot"] == "walker") for board in boards]
    assert played == [listed[1][:8], listed[2][:8], listed[2][:8]]

    cli("bots", "retire", "walker@1", "--db", "s.db")
    shown = json.loads(cli("bots", "list", "walker@1", "--db", "s.db", "--json"))
    assert shown["retired"]
    assert [(each["tournament"], each["matches"], each["faults"]) for each in shown["tournaments"]] == [("one", 2, 0)]
    assert "nothing was left to play" in cli("run", "one.toml", "--db", "s.db", "--executor", "inline", "--trust-bots")
    (tmp_path / "four.toml").write_text(SPEC.format(name="four", bot="walker@1"))
    assert "walker@1 is retired" in cli("run", "four.toml", "--db", "s.db", "--executor", "inline", "--trust-bots", code=2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("bots", "submit", "--game", "tongiaki", "random", "--name", "x"), "can't be submitted"),
        (("bots", "submit", "--game", "tongiaki", "bad.py", "--name", "x", "--trust-bots"), "failed in each of the first 3 matches"),
        (("bots", "submit", "--game", "tongiaki", "good.py", "--name", "x y"), "can't be a bot's name"),
        (("bots", "list", "nobody"), "there is no database"),
        (("bots", "check", "--game", "tongiaki", "gone.py"), "there is no file gone.py"),
        (("match", "--game", "tongiaki", "good.py", "random", "--isolation", "L0"), "--trust-bots"),
        (("match", "--game", "tongiaki", "random", "random", "--isolation", "L7"), "there is no isolation level 'L7'"),
        (
            ("match", "--game", "tongiaki", "random", "random", "--isolation", "none", "--require-isolation", "L3"),
            "isolation L3 is required",
        ),
        (("match", "--game", "tongiaki", "random", "random", "--clock", "mov=1"), "did you mean 'move'?"),
        (("match", "--game", "tongiaki", "random", "random", "--clock", "move"), "KEY=VALUE"),
    ],
)
def test_what_is_refused(cli: Callable[..., str], arguments: tuple[str, ...], words: str) -> None:
    text = cli(*arguments, code=1 if "failed" in words else 2)
    assert words in " ".join(text.split())


@pytest.mark.slow  # checks a bot in a sandbox
def test_a_bot_submitted_for_a_ladder_is_checked_at_its_tables_and_enters_it(cli: Callable[..., str], tmp_path: Path) -> None:
    make_ladder(tmp_path / "league.db")
    (tmp_path / "good.py").write_text(GOOD + "    def start(self, info): assert info.players == 2\n")
    submit = ("bots", "submit", "good.py", "--db", "league.db", "--author", "Ana", "--trust-bots", "--ladder")
    said = cli(*submit, LADDER)
    assert said.endswith(f"; it plays in {LADDER} as good\n")
    assert "there is no ladder 'cup' here" in cli(*submit, "cup", code=2)
    cli("ladder", "end", "--after-round", "2", "--why", "the season is over", "--db", "league.db")
    (tmp_path / "good.py").write_text(GOOD + "# mended\n")
    assert f"it plays in {LADDER} as good.2\nnote: the ladder ends after round 2\n" in cli(*submit, LADDER)
    with Store.read(tmp_path / "league.db") as store:
        assert {bot for bot, seconds in store.speeds(tournament_of(store)).items() if seconds > 0} == {"good", "good.2"}


@pytest.mark.slow  # seconds of play
def test_faults_and_logs_are_shown_to_who_asks(cli: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(SPEC.format(name="t", bot="bad.py"))
    cli("run", "t.toml", "--db", "s.db", "--executor", "inline", "--trust-bots")
    ledger = json.loads(cli("faults", "--db", "s.db", "--json"))
    assert ledger["void"] == []
    assert {(each["bot"], each["kind"]) for each in ledger["faults"]} == {("bad", "crash")}
    assert "bad: 2 x crash" in cli("faults", "--db", "s.db")
    newest = json.loads(cli("faults", "--db", "s.db", "--json", "--limit", "1"))
    assert newest["faults"] == ledger["faults"][-1:]
    first = ledger["faults"][0]
    log = json.loads(cli("log", first["match"][:6], str(first["seat"]), "--db", "s.db", "--json"))
    assert log["log"] == "so far\n"
    assert log["messages"][-1].startswith('< {"type":"error"')
    assert "so far" in cli("log", first["match"], str(first["seat"]), "--db", "s.db")
    shown = cli("log", first["match"], str(first["seat"]), "--db", "s.db")
    assert log["traceback"] in shown
    assert log["traceback"].startswith('Traceback (most recent call last):\n  File "bad.py", line ')
    assert "traceback" not in first
    assert cli("faults", "--db", "s.db", "--traceback").count(log["traceback"]) == 1
    assert {each["traceback"] for each in json.loads(cli("faults", "--db", "s.db", "--traceback", "--json"))["faults"]} == {
        log["traceback"]
    }
    assert "Its log is empty" in cli("log", first["match"], str(1 - first["seat"]), "--db", "s.db")
    seats = "0 (random), 1 (bad)" if first["seat"] else "0 (bad), 1 (random)"
    assert f"has the seats {seats}; there is no seat 2" in cli("log", first["match"], "2", "--db", "s.db", code=2)
