"""The program as a process: interrupted, killed, started again; always the same two digests, and no match twice."""

from __future__ import annotations

import os
import random
import re
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from tests.arena.conftest import Run, Start
from tests.arena.running import write_cup
from tests.bots.sandbox.stage import descendants, is_stopped
from tests.world import wait_for

pytestmark = pytest.mark.slow  # it starts the program again and again

RUN = ("run", "cup.toml", "--executor", "inline", "--db")


@pytest.fixture(autouse=True)
def here(tmp_path: Path) -> Path:
    """A folder with a tournament of twelve matches, each of a tenth of a second and more."""
    write_cup(tmp_path)
    return tmp_path


def stored(path: Path) -> int:
    """How many matches are in the database now."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            return int(connection.execute("SELECT count(*) FROM match").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def wait_until_stored(path: Path, number: int, process: subprocess.Popen[str]) -> None:
    """Wait until so many matches are stored, while the run goes on."""

    def is_so() -> bool:
        is_over = process.poll() is not None  # asked before, since the last matches may be stored in between
        if stored(path) >= number:
            return True
        assert not is_over, process.communicate()
        return False

    wait_for(is_so, 120)


def digests(text: str) -> list[str]:
    """The last two lines of a run."""
    lines = text.splitlines()[-2:]
    assert re.fullmatch(r"results sha256:[0-9a-f]{64}", lines[0])
    assert re.fullmatch(r"ratings sha256:[0-9a-f]{64}", lines[1])
    return lines


ROUNDS = {
    "swiss": 'format = "swiss"\ntables = [2]\nrounds = 3\nblocks = 2',
    "ladder": 'format = "ladder"\ntables = [2]\nrounds = 10',
    "final": "tables = [2]\nuntil = { places = 2, budget = 60 }",
    "knockout": 'format = "knockout"\ntables = [2]\nblocks = 2\nextra = 4',
}


@pytest.mark.parametrize("schedule", ROUNDS.values(), ids=ROUNDS)
def test_rounds_that_follow_from_results_go_on_where_a_kill_left_them(here: Path, start: Start, run: Run, schedule: str) -> None:
    bots = '["random", "slow.py", {name = "slow-2", source = "slow.py"}]'
    write_cup(here, bots=bots, schedule=schedule)
    peace = run(*RUN, "peace.db")
    assert peace.returncode == 0
    whole = stored(here / "peace.db")
    moments = random.Random(whole)
    for matches in sorted(moments.sample(range(whole - 1), 2)):
        process = start(*RUN, "cup.db")
        wait_until_stored(here / "cup.db", matches, process)
        time.sleep(moments.random() / 10)  # at any moment of a match, or between two rounds
        process.kill()
        process.wait()
    again = run(*RUN, "cup.db")
    assert again.returncode == 0, again.stderr
    assert digests(again.stdout) == digests(peace.stdout)
    assert stored(here / "cup.db") == whole
    with closing(sqlite3.connect(here / "cup.db")) as one, closing(sqlite3.connect(here / "peace.db")) as other:
        query = "SELECT id, round, block, rotation, digest FROM match ORDER BY id"
        assert one.execute(query).fetchall() == other.execute(query).fetchall()


def test_killed_at_random_moments_it_ends_as_in_peace(here: Path, start: Start, run: Run) -> None:
    write_cup(here, nap=0.004, schedule="tables = [2]\nblocks = 16")  # six kills are over long before it is
    moments = Random(20)
    for kill in range(6):
        process = start(*RUN, "cup.db")
        wait_until_stored(here / "cup.db", stored(here / "cup.db") + (kill > 0), process)  # the first is killed at whatever it begins with
        time.sleep(moments.random() * 0.4)
        process.kill()
        assert process.wait() == -signal.SIGKILL
    assert 0 < stored(here / "cup.db") < 32
    again, peace = run(*RUN, "cup.db"), run(*RUN, "peace.db")
    assert (again.returncode, peace.returncode) == (0, 0)
    assert digests(again.stdout) == digests(peace.stdout)
    assert again.stderr == ""
    with closing(sqlite3.connect(here / "cup.db")) as connection:
        [(matches, different, seats)] = connection.execute(
            "SELECT (SELECT count(*) FROM match), (SELECT count(DISTINCT seed || ':' || rotation) FROM match), (SELECT count(*) FROM seat)"
        )
    assert (matches, different, seats) == (32, 32, 64)


PLACES = pytest.mark.parametrize("place", ["inline", "processes"])


def on(place: str) -> tuple[str, ...]:
    """The command of a run that is played there."""
    return tuple(place if word == "inline" else word for word in RUN)


@PLACES
def test_ctrl_c_finishes_the_match_in_hand_and_says_how_to_go_on(here: Path, start: Start, run: Run, place: str) -> None:
    # Long enough not to be over when the signal comes; and processes have several matches in hand if they are short.
    write_cup(here, nap=0.01 if place == "processes" else 0.005)
    process = start(*on(place), "cup.db")
    wait_until_stored(here / "cup.db", 2, process)
    os.killpg(process.pid, signal.SIGINT)  # a terminal interrupts the whole group
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert err == "\nFinishing the matches in progress; press Ctrl-C again to stop now.\n"
    left = 12 - stored(here / "cup.db")
    assert 0 < left < 11
    assert f"Stopped with {left} of 12 matches left; continue with: arena run cup.toml --db cup.db\n" in out
    stopped = digests(out)
    again, peace = run(*on(place), "cup.db"), run(*on(place), "peace.db")
    assert digests(again.stdout) == digests(peace.stdout) != stopped


@PLACES
def test_ctrl_c_twice_stops_at_once(here: Path, start: Start, run: Run, place: str) -> None:
    write_cup(here, nap=5)  # a match takes five minutes
    process = start(*on(place), "cup.db")
    assert process.stdout is not None
    assert process.stdout.readline() == "Reading cup.toml; results go to cup.db\n"
    assert process.stdout.readline().startswith("Open seed 7: ")
    assert process.stdout.readline().startswith("cup: 12 matches")
    # Who is not on turn is frozen, so a match has begun; and before that Ctrl-C is listened for.
    wait_for(lambda: process.poll() is not None or any(map(is_stopped, descendants(process.pid))), 120)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    assert [process.stderr.readline() for _ in range(2)] == ["\n", "Finishing the matches in progress; press Ctrl-C again to stop now.\n"]
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    out, err = process.communicate(timeout=120)
    assert time.monotonic() - began < 100  # the match that is played takes five minutes
    assert process.returncode == 130, err
    assert err.splitlines()[-1] == "error: interrupted"
    assert "Traceback" not in err
    assert out == ""
    write_cup(here, nap=0)
    assert run(*RUN, "other.db").returncode == 0  # nothing is locked, and the folder is as usable as before


@pytest.mark.parametrize("numbers", [[signal.SIGTERM], [signal.SIGHUP, signal.SIGHUP]])
def test_sigterm_and_a_closed_terminal_count_as_the_first_ctrl_c(here: Path, start: Start, numbers: list[signal.Signals]) -> None:
    write_cup(here, nap=0.02)  # long enough not to be over when the signal comes
    process = start(*RUN, "cup.db")
    wait_until_stored(here / "cup.db", 1, process)
    for number in numbers:
        process.send_signal(number)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "continue with: arena run cup.toml --db cup.db" in out
    assert "\nseal sha256:" in out


def test_strings_hash_differently_in_every_process_and_nothing_changes(here: Path, run: Run) -> None:
    write_cup(here, bots='["random", "greedy", "spoiler"]', schedule="tables = [2]")
    found = [digests(run(*RUN, f"{seed}.db", PYTHONHASHSEED=seed).stdout) for seed in ("1", "2")]
    assert found[0] == found[1]


def test_a_match_in_sunda_does_not_depend_on_hashes_either(here: Path, run: Run) -> None:
    for seed in ("1", "2"):
        done = run("match", "greedy", "random", "--game", "sunda", "--seed", "5", "--json", "--save", f"{seed}.json", PYTHONHASHSEED=seed)
        assert done.returncode == 0
    assert (here / "1.json").read_bytes() == (here / "2.json").read_bytes()
