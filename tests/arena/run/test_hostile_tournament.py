"""A tournament of eight bots of which four are hostile ends by itself, the same wherever it is played; what the machine fails is void."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from arena.play.executors.base import ATTEMPTS, Executor, InlineExecutor, Job, Played, Tickets
from arena.play.match import play_tickets
from arena.run.results import standings
from arena.run.runner import Summary, run_tournament
from arena.spec.spec import Spec, make_spec
from bots.errors import SandboxError
from bots.host.player_pool import PlayerPool
from bots.limits import Level
from bots.loader.loading import identify
from bots.loader.version import BotVersion
from bots.sandbox.probe import best_level
from engine.records import FaultKind, MatchResult, Ticket, VoidMatch
from leaderboard.storage.matches import faults, voids
from leaderboard.storage.store import Store
from tests.arena.fakes import without_pauses

ROOT = Path(__file__).parents[3]
HOSTILE = {
    "loops": FaultKind.MOVE_TIMEOUT,
    "two_answers": FaultKind.PROTOCOL_ERROR,
    "one_long_line": FaultKind.OUTPUT_FLOOD,
    "exits": FaultKind.CRASH,
}
SPEC = {
    "name": "hostile",
    "game": "tongiaki",
    "seed": 5,
    "bots": [*({"name": name, "source": name} for name in ("random", "greedy", "spoiler")), {"name": "minimal", "source": "minimal_bot.py"}]
    + [{"name": name, "source": name} for name in HOSTILE],
    "schedule": {"tables": [2], "lineups": 10},
    "clock": {"move": 0.5, "start": 5.0, "slack": 2.0},
}


@pytest.fixture
def versions(monkeypatch: pytest.MonkeyPatch) -> dict[str, BotVersion]:
    monkeypatch.setenv("PATH", f"/usr/bin:{os.environ['PATH']}")
    honest = {name: identify(name) for name in ("random", "greedy", "spoiler")}
    honest["minimal"] = identify("minimal_bot.py", name="minimal", base=ROOT / "examples")
    return honest | {name: hostile(name) for name in HOSTILE}


def hostile(name: str) -> BotVersion:
    files = (("protocol.py", (ROOT / "tests/hostile/protocol.py").read_bytes()),)
    return BotVersion(name, name, name, "", files=files, command=("python3", "protocol.py", name))


def played(path: Path, spec: Spec, versions: Mapping[str, BotVersion], executor: Executor, level: Level) -> Summary:
    try:
        with Store.create(path) as store:
            return run_tournament(spec, versions, store, executor, level=level)
    finally:
        executor.close()


@pytest.mark.slow
def test_the_right_faults_on_the_right_seats_inline_and_on_ray(tmp_path: Path, versions: dict[str, BotVersion]) -> None:
    from arena.play.executors.ray_executor import RayExecutor

    spec = make_spec(SPEC, "test")
    level = max(Level.L0, best_level())
    inline = played(tmp_path / "inline.db", spec, versions, InlineExecutor(), level)
    ray = played(tmp_path / "ray.db", spec, versions, RayExecutor(workers=2, temp_dir=Path(f"/tmp/hostile-{os.getpid()}")), level)  # noqa: S108  # Ray's sockets need a short path

    assert inline.is_complete
    assert ray.is_complete
    assert (inline.results_digest, inline.ratings_digest) == (ray.results_digest, ray.ratings_digest)
    with Store.read(tmp_path / "ray.db") as store:
        found = faults(store, ray.tournament)
        board = standings(store, ray.tournament)
    assert {(entry.bot, FaultKind(entry.kind)) for entry in found} == set(HOSTILE.items())
    assert {entry.isolation for entry in found} == {str(level)}
    assert all(line.faults == (line.matches if line.bot in HOSTILE else 0) for line in board)
    assert board[0].bot not in HOSTILE
    assert board[-1].bot in HOSTILE


class Broken(PlayerPool):
    """A pool whose sandbox fails the first ``failures`` times that a bot is to start."""

    def __init__(self, failures: int) -> None:
        super().__init__(Level.L0)
        self.failures = failures
        self.starts = 0

    def fail(self) -> None:
        self.starts += 1
        if self.starts <= self.failures:
            raise SandboxError("no sandbox today")


@pytest.fixture
def ticket() -> Ticket:
    return Ticket("0123456789abcdef", ("ann", "bob"), 0, 0, ("ann", "bob"), 5)


@pytest.fixture
def job() -> Job:
    return Job("tongiaki", {}, {name: identify("random", name=name) for name in ("ann", "bob")}, level=Level.L0)


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Iterator[Broken]:
    with Broken(0) as pool:
        sandbox = pool._sandbox
        assert sandbox is not None
        spawn = sandbox.spawn
        monkeypatch.setattr(sandbox, "spawn", lambda entry, payload, **more: (pool.fail(), spawn(entry, payload, **more))[1])
        yield pool


def test_a_match_that_the_machine_fails_is_played_again_with_the_same_seed(ticket: Ticket, job: Job, broken: Broken) -> None:
    [smooth] = play_tickets(job, [ticket], broken)
    broken.failures = broken.starts + ATTEMPTS - 1
    [after] = play_tickets(job, [ticket], broken)
    assert isinstance(smooth, MatchResult)
    assert isinstance(after, MatchResult)
    assert after.replay == smooth.replay
    assert [seat.fault for seat in after.seats] == [None, None]


def test_after_three_times_it_is_void(ticket: Ticket, job: Job, broken: Broken) -> None:
    broken.failures = ATTEMPTS
    assert play_tickets(job, [ticket], broken) == [VoidMatch(ticket, "no sandbox today")]
    assert isinstance(play_tickets(job, [ticket], broken)[0], MatchResult)


class Sometimes(InlineExecutor):
    """Voids every third ticket."""

    def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
        with PlayerPool(Level.NONE) as pool:
            for number, ticket in enumerate(without_pauses(tickets)):
                yield [VoidMatch(ticket, "the power went")] if number % 3 == 0 else play_tickets(job, [ticket], pool)


def test_a_void_match_rates_nobody_and_a_later_run_plays_it(tmp_path: Path) -> None:
    spec = make_spec(SPEC | {"bots": ["random", "greedy"], "schedule": {"tables": [2], "blocks": 3}, "clock": {}}, "test")
    versions = {name: identify(name) for name in ("random", "greedy")}
    first = played(tmp_path / "a.db", spec, versions, Sometimes(), Level.NONE)
    assert (len(first.void), first.stored, first.is_complete) == (2, 4, False)
    assert [rated.number for rated in first.table] == [4, 4]
    with Store.read(tmp_path / "a.db") as store:
        assert [void.reason for void in voids(store, first.tournament)] == ["the power went"] * 2

    again = played(tmp_path / "a.db", spec, versions, InlineExecutor(), Level.NONE)
    whole = played(tmp_path / "b.db", spec, versions, InlineExecutor(), Level.NONE)
    assert again.is_complete
    assert (again.results_digest, again.ratings_digest) == (whole.results_digest, whole.ratings_digest)
    with Store.read(tmp_path / "a.db") as store:
        assert voids(store, again.tournament) == ()
