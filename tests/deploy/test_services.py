"""The units' and services' commands start the real programs, which become healthy, go on in the same ladder and stop when they should."""

from __future__ import annotations

import os
import shlex
import signal
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from arena.cli.output import Exit
from leaderboard.errors import StoreError
from leaderboard.storage.store import Store
from tests.deploy.files import DEPLOY, command_of, read_compose, read_unit
from tests.deploy.programs import LADDER, Running, fitting, started, write_arena
from tests.postgres import Server, postgres  # noqa: F401  # a fixture
from tests.world import wait_for

pytestmark = pytest.mark.slow  # it starts programs

ENTRYPOINT = str(DEPLOY / "entrypoint.sh")


def matches_in(database: str) -> int:
    """How many matches a database has; 0 while it is not there."""
    try:
        with Store.read(database) as store:
            tournament = store.tournament(None)
            return 0 if tournament is None else store.count_matches(tournament)
    except StoreError:
        return 0


def has_more(database: str, than: int, driver: Running) -> bool:
    """Whether the driver has stored more matches than that, or has ended."""
    return matches_in(database) > than or not driver.is_running()


def is_healthy(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/healthz", timeout=5) as response:  # noqa: S310  # our own server
            return response.status == 200
    except OSError:
        return False


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ladder.toml").write_text(LADDER)
    return tmp_path


@pytest.fixture
def path(tmp_path: Path) -> str:
    return f"{write_arena(tmp_path / 'bin')}:{os.environ['PATH']}"


class TestUnits:
    def test_the_driver_goes_on_in_the_same_ladder_after_a_stop_and_after_a_kill(self, folder: Path, path: str) -> None:
        unit = read_unit(DEPLOY / "arena-driver.service")
        command = ["arena", *fitting(command_of(unit))]
        environment = {"PATH": path, "ARENA_DB": "ladder.db", "ARENA_CACHE": str(folder / "cache")}
        database = str(folder / "ladder.db")
        stored = 0
        for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGTERM):
            with started(command, folder, environment) as driver:
                wait_for(partial(has_more, database, stored + 3, driver), 120)
                assert driver.is_running(), driver.output
                code = driver.stop(number)
            assert code == (Exit.INTERRUPTED if number == signal.SIGTERM else -number), driver.output
            stored = matches_in(database)
        assert str(int(Exit.INTERRUPTED)) == unit["Service"]["SuccessExitStatus"]
        with started(["arena", "verify", "ladder.db"], folder, environment) as verifying:
            assert verifying.wait() == Exit.DONE, verifying.output

    def test_the_web_server_gets_healthy_and_stops(self, folder: Path, path: str) -> None:
        Store.create(folder / "ladder.db").close()
        arguments = command_of(read_unit(DEPLOY / "arena-web.service"))
        environment = {"PATH": path, "ARENA_DB": "ladder.db"}
        with started(["arena", *fitting(arguments)], folder, environment) as web:
            address = web.find(r"on (http://127\.0\.0\.1:\d+)/")
            wait_for(lambda: is_healthy(address))
            assert web.stop() == -signal.SIGTERM  # which systemd takes for a clean end


class TestEntrypoint:
    @pytest.mark.parametrize("code", [Exit.DONE, Exit.WRONG_INPUT, 6])
    def test_a_run_that_would_end_in_the_same_way_again_waits_for_the_host(self, tmp_path: Path, code: int) -> None:
        path = write_arena(tmp_path / "bin", f"exit {int(code)}")
        held = tmp_path / "arena-held"
        with started([ENTRYPOINT, "run", "x.toml"], tmp_path, {"PATH": f"{path}:{os.environ['PATH']}", "TMPDIR": str(tmp_path)}) as run:
            wait_for(lambda: held.exists() and held.read_text())
            assert run.is_running()
            assert held.read_text() == f"{int(code)}\n"
            check = read_compose()["services"]["driver"]["healthcheck"]["test"][1].replace("/tmp/arena-held", str(held))  # noqa: S108
            assert (os.system(check) == 0) == (code == Exit.DONE)  # noqa: S605
            assert "docker compose" in run.output
            assert run.stop() == Exit.DONE

    @pytest.mark.parametrize("signals", [1, 2])
    def test_a_stop_reaches_the_run_whose_code_it_returns(self, tmp_path: Path, signals: int) -> None:
        script = f"trap 'n=$((n+1)); echo got $n; [ $n -lt {signals} ] || exit 130' TERM; n=0; echo up 1; while :; do sleep 0.05; done"
        path = write_arena(tmp_path / "bin", script)
        with started([ENTRYPOINT, "run", "x.toml"], tmp_path, {"PATH": f"{path}:{os.environ['PATH']}", "TMPDIR": str(tmp_path)}) as run:
            run.find("up (1)")
            for number in range(1, signals):
                os.kill(run.pid, signal.SIGTERM)
                run.find(f"got ({number})")
            assert run.stop() == Exit.INTERRUPTED
        assert not (tmp_path / "arena-held").exists()


class TestServices:
    @pytest.fixture
    def composed(self, postgres: Server) -> Iterator[str]:  # noqa: F811
        """A database that its owner opens by a password."""
        postgres.execute("CREATE ROLE careful LOGIN PASSWORD 'a:b\\c'")
        postgres.execute("CREATE DATABASE composed OWNER careful")
        yield "composed"
        postgres.execute("DROP DATABASE composed WITH (FORCE)")
        postgres.execute("DROP ROLE careful")

    def test_driver_and_web_server_survive_the_end_of_postgresql(
        self,
        folder: Path,
        path: str,
        composed: str,
        postgres: Server,  # noqa: F811
    ) -> None:
        (folder / "db_password").write_text("a:b\\c\n")
        environment = {
            "PATH": path,
            "ARENA_DB": postgres.url(composed, "careful"),
            "DB_PASSWORD_FILE": str(folder / "db_password"),
            "PGPASSFILE": str(folder / "pgpass"),
            "TMPDIR": str(folder),
        }
        services = read_compose()["services"]
        ours = postgres.url(composed)
        serving = shlex.split(" ".join(services["web"]["command"]).replace("${HOST_NAME:-localhost}", "localhost"))
        web_folder = folder / "web"
        web_folder.mkdir()
        with started([ENTRYPOINT, *fitting(services["driver"]["command"])], folder, environment) as driver:
            wait_for(lambda: has_more(ours, 1, driver), 120)
            with started([ENTRYPOINT, *fitting(serving)], web_folder, environment | {"PGPASSFILE": str(web_folder / "pgpass")}) as web:
                port = web.find(r"on http://0\.0\.0\.0:(\d+)/")
                address = f"http://127.0.0.1:{port}"
                wait_for(lambda: is_healthy(address))
                postgres.stop()
                wait_for(lambda: not is_healthy(address))
                postgres.start()
                stored = matches_in(ours)
                wait_for(lambda: is_healthy(address))
                wait_for(lambda: has_more(ours, stored, driver), 120)
                assert web.stop() == -signal.SIGTERM
            assert driver.stop() == Exit.INTERRUPTED, driver.output
