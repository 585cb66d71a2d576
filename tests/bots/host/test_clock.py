"""Time: limits, banks, strikes; what a bot waited for a processor; cores; and pipes with deadlines."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from types import SimpleNamespace

import pytest

from bots import clock
from bots.clock import MOST_WAIT, Delay, Patience, Timekeeper, running_time
from bots.errors import BotFaultError, HostFaultError
from bots.host.bot_process import ProcessPlayer, Watch
from bots.host.channel import LOG_KEPT, MAX_LOG, Channel, ChannelError, Trouble
from bots.host.player_pool import InProcessPlayer, PlayerPool
from bots.loader.loading import resolve
from bots.protocol import Clock, ClockMode, ClockSpec
from engine.records import Fault, FaultKind
from tests.bots import playing


def over(supervisor: Timekeeper, wall: float, cpu: float) -> str:
    with pytest.raises(BotFaultError) as error:
        supervisor.charge(supervisor.for_decision(), wall, cpu)
    assert error.value.kind is FaultKind.MOVE_TIMEOUT
    return error.value.detail


def test_a_decision_has_its_limit_and_the_wall_a_generous_multiple_of_it() -> None:
    assert Timekeeper(ClockSpec(move=2.0)).for_decision() == Clock(seconds=2.0, stop=8.0, strikes=3)
    assert Timekeeper(ClockSpec(move=0.01)).for_decision().stop == 1.0


def test_cpu_time_over_the_limit_is_a_fault_whatever_the_wall_says() -> None:
    assert over(Timekeeper(ClockSpec(move=1.0)), 1.2, 1.1) == "it used 1.10 s of CPU time for a decision; the limit is 1 s"


def test_the_bank_is_for_the_whole_match_and_caps_each_decision() -> None:
    supervisor = Timekeeper(ClockSpec(move=2.0, bank=3.0))
    supervisor.charge(supervisor.for_decision(), 1.5, 1.5)
    assert supervisor.for_decision().seconds == 1.5
    supervisor.charge(supervisor.for_decision(), 1.0, 1.0)
    assert (supervisor.for_decision().seconds, supervisor.for_decision().bank) == (0.5, 0.5)
    assert over(supervisor, 0.6, 0.6).endswith("the rest of its bank was 0.5 s")


def test_a_budget_counts_no_wall_time() -> None:
    supervisor = Timekeeper(ClockSpec(mode=ClockMode.BUDGET, move=0.1, strikes=0, wall=60.0))
    assert supervisor.for_decision() == Clock(seconds=0.1, stop=60.0)
    supervisor.charge(supervisor.for_decision(), 30.0, 0.05)
    over(supervisor, 0.2, 0.2)


def test_getting_ready_has_its_own_limit() -> None:
    supervisor = Timekeeper(ClockSpec(start=2.0))
    supervisor.charge_start(1.9)
    with pytest.raises(BotFaultError) as error:
        supervisor.charge_start(2.1)
    assert error.value.kind is FaultKind.INIT_TIMEOUT
    Timekeeper(ClockSpec(start=None)).charge_start(1000.0)


def test_what_is_slept_is_taken_from_a_bank_for_the_whole_match() -> None:
    supervisor = Timekeeper(ClockSpec(wall_bank=5.0))
    supervisor.charge_idle(3.0, FaultKind.INIT_TIMEOUT)
    supervisor.charge_idle(-1.0, FaultKind.MOVE_TIMEOUT)  # a clock may be read a little late
    supervisor.charge_idle(2.0, FaultKind.MOVE_TIMEOUT)
    with pytest.raises(BotFaultError, match="for more than the 5 s of wall time that 'wall_bank' allows") as error:
        supervisor.charge_idle(0.1, FaultKind.MOVE_TIMEOUT)
    assert error.value.kind is FaultKind.MOVE_TIMEOUT
    Timekeeper(ClockSpec(wall_bank=None)).charge_idle(1000.0, FaultKind.INIT_TIMEOUT)


FUEL = ClockSpec(ClockMode.FUEL, start=None, move=None, wall_bank=None, wall=60.0, nodes=9, start_fuel=500, move_fuel=1000, bank_fuel=1500)


def test_fuel_is_counted_in_units_and_time_not_at_all() -> None:
    keeper = Timekeeper(FUEL)
    assert keeper.for_start() == Clock(stop=60.0, fuel=500)
    keeper.charge_start(50.0, 500)
    assert keeper.for_decision() == Clock(nodes=9, stop=60.0, fuel=1000)
    keeper.charge(keeper.for_decision(), 50.0, 50.0, 1000)
    keeper.charge_idle(1000.0, FaultKind.MOVE_TIMEOUT)
    assert keeper.for_decision().fuel == 500
    with pytest.raises(BotFaultError, match=r"its 500 units of fuel for a decision \(the rest of its bank\)$") as error:
        keeper.charge(keeper.for_decision(), 0.0, 0.0, 501)
    assert error.value.kind is FaultKind.MOVE_TIMEOUT
    assert keeper.for_decision().fuel == 0


MAX = 1000


class Ends:
    """Three pipes, the host's ends and the child's."""

    def __init__(self) -> None:
        self.child_in, self.stdin_fd = os.pipe()
        self.stdout_fd, self.child_out = os.pipe()
        self.stderr_fd, self.child_err = os.pipe()
        for fd in (self.stdin_fd, self.stdout_fd, self.stderr_fd, self.child_out, self.child_err):
            os.set_blocking(fd, False)


@pytest.fixture
def ends() -> Iterator[Ends]:
    ends = Ends()
    yield ends
    for fd in vars(ends).values():
        try:
            os.close(fd)
        except OSError:
            continue  # the test has closed it


def trouble(call: object) -> Trouble:
    with pytest.raises(ChannelError) as error:
        call()  # type: ignore[operator]
    return error.value.trouble


def test_lines_come_one_by_one(ends: Ends) -> None:
    channel = Channel(ends, MAX)
    os.write(ends.child_out, b"one\ntwo\nthr")
    assert [channel.receive(lambda: 60.0, lambda: 1.0) for _ in range(2)] == [b"one", b"two"]
    assert trouble(lambda: channel.receive(lambda: 0.0, lambda: 1.0)) is Trouble.LATE
    os.write(ends.child_out, b"ee\n")
    assert channel.receive(lambda: 60.0, lambda: 1.0) == b"three"


def test_a_child_that_does_not_read_stops_the_host_at_its_deadline(ends: Ends) -> None:
    channel = Channel(ends, MAX)
    assert trouble(lambda: channel.send(b"x" * (1 << 20), lambda: 0.0)) is Trouble.DEAF


def test_a_child_that_writes_instead_of_reading_is_heard_while_the_host_writes(ends: Ends) -> None:
    channel = Channel(ends, MAX)
    os.write(ends.child_out, b"x" * 5000)
    assert trouble(lambda: channel.send(b"x" * (1 << 20), lambda: 60.0)) is Trouble.FLOOD


def test_the_end_of_the_log_is_kept_and_a_flood_of_it_is_none(ends: Ends) -> None:
    channel = Channel(ends, MAX)
    os.write(ends.child_err, b"a" * 5000)
    os.write(ends.child_err, b"b" * 5000)
    os.write(ends.child_out, b"x\n")
    channel.receive(lambda: 60.0, lambda: 1.0)
    channel.take_rest()
    assert channel.log == b"a" * (LOG_KEPT - 5000) + b"b" * 5000

    def flood() -> float:
        os.write(ends.child_err, b"c" * 60_000)
        return 1.0

    assert trouble(lambda: channel.receive(lambda: 60.0, flood)) is Trouble.LOG_FLOOD
    assert len(channel.log) == LOG_KEPT
    assert MAX_LOG > 60_000


LEAST_STOP = 0.3
"""Seconds that the host waits at least in these tests."""


class Times:
    """A clock that the test sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(clock, "running_time", lambda: self.now)


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
    assert fault.detail.startswith("it had not answered after 0.3 s by the wall clock; it used 0.0")
    monkeypatch.setattr("bots.sandbox.child.Delay", Starved)
    assert play(own_process, once, clock) is None


@pytest.mark.usefixtures("is_impatient")
@pytest.mark.slow  # a second of waits
def test_a_bot_that_the_machine_never_lets_run_is_not_to_blame(own_process: PlayerPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bots.sandbox.child.Delay", Starved)
    monkeypatch.setattr(clock, "MOST_WAIT", 2)
    with pytest.raises(HostFaultError, match=r"a bot's process was starved of CPU .* for a processor \(not counted\); the"):
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


def test_slowness_on_the_wall_costs_strikes_before_it_costs_the_seat() -> None:
    supervisor = Timekeeper(ClockSpec(move=1.0, strikes=2))
    for left in (2, 1):
        assert supervisor.for_decision().strikes == left
        supervisor.charge(supervisor.for_decision(), 1.5, 0.1)
    told = over(supervisor, 1.5, 0.1)
    assert told.startswith(
        "it took 1.50 s of wall time for a decision with a limit of 1 s, and had no strikes left (of 2); it used 0.10 s of CPU"
    )
