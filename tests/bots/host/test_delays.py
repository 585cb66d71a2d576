"""Time that a bot or the host waits for a processor counts against nobody, and no bot makes it longer by itself."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from types import SimpleNamespace

import pytest

from bots import clock
from bots.clock import MOST_WAIT, Delay, Patience, RunningTime, running_time
from bots.errors import BotFaultError, HostFaultError
from bots.host.bot_process import ProcessPlayer, Watch
from bots.host.player_pool import InProcessPlayer, PlayerPool
from bots.loader.loading import resolve
from bots.protocol import Clock, ClockSpec
from engine.records import Fault, FaultKind
from tests.bots import playing

LEAST_STOP = 0.3
"""Seconds that the host waits at least in these tests."""


class Times:
    """A clock that the test sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(clock, "running_time", lambda: self.now)


def test_time_for_which_the_process_stood_still_does_not_pass() -> None:
    now = [1000.0]
    clock = RunningTime(lambda: now[0])
    before = clock.now()
    for _ in range(100):  # a bot sleeps, and the thread beats
        now[0] += 0.1
        clock.beat()
    assert clock.now() - before == pytest.approx(10.0)
    for _ in range(10):
        now[0] += 120.0
        clock.now()
    assert clock.now() - before == pytest.approx(10.0, abs=1.5)


def test_who_waited_for_a_processor_is_waited_for_as_much_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    times, delayed = Times(monkeypatch), [0.0]
    patience = Patience(2.0, lambda: delayed[0])
    times.now += 1.5
    assert patience.left() == pytest.approx(0.5)
    times.now, delayed[0] = 1002.0, 1.25
    assert patience.left() == pytest.approx(1.25)
    times.now, delayed[0] = 1004.0, 1.25
    assert patience.left() == 0.0
    assert not patience.is_machines_fault


def test_the_wait_ends_whatever_the_machine_does_and_is_its_fault_then(monkeypatch: pytest.MonkeyPatch) -> None:
    times = Times(monkeypatch)
    patience = Patience(2.0, lambda: times.now - 1000.0)
    while patience.left() > 0:
        times.now += patience.left()
    assert times.now - 1000.0 == pytest.approx(2.0 * MOST_WAIT, abs=0.1)
    assert patience.is_machines_fault


@contextmanager
def running(program: str) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        try:
            yield process
        finally:
            process.kill()


class Starved(Delay):
    """A bot that the machine lets run for no moment."""

    def __init__(self, process: int) -> None:
        super().__init__(process)
        self._began = monotonic()

    def seconds(self) -> float:
        return monotonic() - self._began


@pytest.fixture
def is_impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bots.clock._LEAST_STOP", LEAST_STOP)


def play(pool: PlayerPool, source: str, clock: ClockSpec) -> Fault | None:
    version = playing.written(f"class Bot:\n    def choose(self, view, clock):\n        {source}\n")
    return playing.play([pool.seat(version), InProcessPlayer(resolve("random"))], clock=clock).seats[0].fault


@pytest.mark.slow  # busy for seconds
@pytest.mark.usefixtures("is_impatient")
def test_a_bot_that_the_machine_keeps_from_running_loses_no_strike_and_no_seat(
    own_process: PlayerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = "n = self.__dict__.setdefault('n', []); n.append(1); len(n) == 3 and __import__('time').sleep(1.1); return view.legal_moves[0]"
    clock = ClockSpec(move=0.07, strikes=0, wall_bank=1.0)
    fault = play(own_process, once, clock)
    assert fault is not None
    assert fault.detail.startswith("it had not answered after 0.3 s by the wall clock, 0.0")
    monkeypatch.setattr("bots.sandbox.child.Delay", Starved)
    assert play(own_process, once, clock) is None


@pytest.mark.usefixtures("is_impatient")
@pytest.mark.slow  # a second of waits
def test_a_bot_that_the_machine_never_lets_run_is_not_to_blame(own_process: PlayerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bots.sandbox.child.Delay", Starved)
    monkeypatch.setattr(clock, "MOST_WAIT", 2)
    with pytest.raises(HostFaultError, match=r"the machine hardly let a bot run .* waiting for a processor; the"):
        play(own_process, "__import__('time').sleep(600)", ClockSpec(move=0.07, strikes=0))


def test_the_time_until_a_process_is_made_is_not_the_bots(own_process: PlayerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    start = ProcessPlayer.start
    late = 0.0

    def slow(player: ProcessPlayer, *arguments: object) -> None:
        spawn = player._spawn

        def spawn_late(*args: object, **kwargs: object) -> object:
            nonlocal late
            late += 1000.0
            return spawn(*args, **kwargs)  # type: ignore[arg-type]

        player._spawn = spawn_late  # type: ignore[assignment]
        start(player, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(ProcessPlayer, "start", slow)
    monkeypatch.setattr("bots.host.bot_process.running_time", lambda: running_time() + late)
    monkeypatch.setattr("arena.play.match.running_time", lambda: running_time() + late)
    assert play(own_process, "return view.legal_moves[0]", ClockSpec(wall_bank=900.0)) is None


def test_cpu_time_over_the_limit_is_a_fault_however_long_the_bot_waited() -> None:
    child = SimpleNamespace(delay=lambda: SimpleNamespace(seconds=lambda: 600.0), cpu_seconds=lambda: 11.0)
    watch = Watch(child, Clock(seconds=10.0), FaultKind.MOVE_TIMEOUT, 0.0, is_command=False)  # type: ignore[arg-type]  # as far as it is used
    watch.check()
    with pytest.raises(BotFaultError, match="CPU time"):
        watch.check()
    assert watch.delayed() == 600.0
