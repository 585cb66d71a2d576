"""The same tournament in a file and on a PostgreSQL server, in this process and on Ray, killed and resumed: the same two digests."""

from __future__ import annotations

from pathlib import Path
from time import sleep

import pytest

from tests.arena.conftest import Run, Start
from tests.arena.running import write_cup
from tests.postgres import Server
from tests.world import wait_for

BOTS = '["random", "greedy", "slow.py"]'
SCHEDULE = 'tables = [2, 3]\nblocks = 3\nseats = "rotations"'
MATCHES = 27


@pytest.fixture(autouse=True)
def here(tmp_path: Path) -> Path:
    """A folder with a tournament."""
    write_cup(tmp_path, bots=BOTS, schedule=SCHEDULE)
    return tmp_path


def played(run: Run, place: str, *more: str) -> list[str]:
    """Run the tournament to its end; gives the two digests."""
    done = run("run", "cup.toml", "--isolation", "none", "--db", place, *more, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()[-2:]


def test_the_digests_do_not_depend_on_where_results_are_kept_and_matches_are_played(run: Run, postgres: Server) -> None:
    found = [
        played(run, "file.db", "--executor", "inline"),
        played(run, postgres.new_database(), "--executor", "inline"),
        played(run, postgres.new_database(), "--workers", "2"),
    ]
    assert found[0][0].startswith("results sha256:")
    assert found == [found[0]] * 3


def test_nor_on_being_killed_and_resumed(run: Run, start: Start, postgres: Server, here: Path) -> None:
    write_cup(here, nap=0.005, bots=BOTS, schedule=SCHEDULE)  # so that it is not over before it is killed
    place = postgres.new_database()
    name = place.rpartition("/test")[2].partition("?")[0]
    for matches in (1, 5):
        process = start("run", "cup.toml", "--isolation", "none", "--executor", "inline", "--db", place)
        while stored(postgres, f"test{name}") < matches and process.poll() is None:
            sleep(0.02)
        assert process.poll() is None
        process.kill()
        process.wait()
    assert 5 <= stored(postgres, f"test{name}") < MATCHES
    assert played(run, place, "--executor", "inline") == played(run, "file.db", "--executor", "inline")
    assert stored(postgres, f"test{name}") == MATCHES


def stored(postgres: Server, database: str) -> int:
    """How many matches are on the server now."""
    [(table,)] = postgres.execute("SELECT to_regclass('match')", database)
    return int(postgres.execute("SELECT count(*) FROM match", database)[0][0]) if table else 0


def test_every_command_takes_the_address(run: Run, postgres: Server, here: Path) -> None:
    place = postgres.new_database()
    (here / "walker.py").write_text("class Walker:\n    def choose(self, view, clock):\n        return view.legal_moves[0]\n")
    assert run("bots", "submit", "--game", "tongiaki", "walker.py", "--name", "walker", "--db", place).returncode == 0
    (here / "cup.toml").write_text('name = "cup"\ngame = "tongiaki"\nbots = ["random", "walker@1"]\n[schedule]\ntables = [2]\nblocks = 1\n')
    played(run, place, "--executor", "inline", "--trust-bots")
    for command in ("leaderboard", "matches", "faults", "bots list", "bots list walker@1"):
        done = run(*command.split(), "--db", place)
        assert (done.returncode, done.stderr) == (0, ""), command
        assert "walker" in done.stdout or command == "faults"
    match = run("matches", "--db", place).stdout.splitlines()[2].split()[0]
    assert run("replay", match, "--db", place, "--save", "match.json").returncode == 0
    assert run("replay", "verify", "match.json").stdout.startswith("match.json: ok, ")
    assert run("log", match, "0", "--db", place).returncode == 0


def test_a_ladder_is_steered_while_a_run_has_the_database(run: Run, start: Start, postgres: Server, here: Path) -> None:
    write_cup(here, bots=BOTS, schedule='format = "ladder"\ntables = [2]')
    place = postgres.new_database()
    database = "test" + place.rpartition("/test")[2].partition("?")[0]
    going = start("run", "cup.toml", "--isolation", "none", "--db", place, "--executor", "inline")
    wait_for(lambda: stored(postgres, database) > 3 or going.poll() is not None)
    given = [
        run("ladder", *order, "--db", place) for order in (["pause", "--why", "a test"], ["resume", "--why", "over"], ["end", "--why", "x"])
    ]
    _, printed = going.communicate(timeout=120)
    assert [done.returncode for done in given] == [0, 0, 0], given
    assert going.returncode == 0, printed
    assert run("status", "--db", place).stdout.count("the host") == 3
    assert "everything agrees" in run("verify", place).stdout
