"""A seat's time: what it may use, what it is charged, and when that is too much."""

from __future__ import annotations

import pytest

from bots.clock import Timekeeper
from bots.errors import BotFaultError
from bots.protocol import Clock, ClockMode, ClockSpec
from engine.records import FaultKind


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
    assert over(supervisor, 0.6, 0.6).endswith("what was left of its bank is 0.5 s")


def test_slowness_on_the_wall_costs_strikes_before_it_costs_the_seat() -> None:
    supervisor = Timekeeper(ClockSpec(move=1.0, strikes=2))
    for left in (2, 1):
        assert supervisor.for_decision().strikes == left
        supervisor.charge(supervisor.for_decision(), 1.5, 0.1)
    told = over(supervisor, 1.5, 0.1)
    assert told.startswith(
        "it took 1.50 s by the wall clock for a decision, of 1 s, and that was let pass 2 times before; 0.10 s of it CPU"
    )


def test_a_budget_counts_no_wall_time() -> None:
    supervisor = Timekeeper(ClockSpec(mode=ClockMode.BUDGET, move=0.1, strikes=0, wall=60.0))
    assert supervisor.for_decision() == Clock(seconds=0.1, stop=60.0)
    supervisor.charge(supervisor.for_decision(), 30.0, 0.05)
    over(supervisor, 0.2, 0.2)


def test_a_budget_of_nodes_shows_nothing_that_depends_on_the_machine() -> None:
    supervisor = Timekeeper(ClockSpec(mode=ClockMode.BUDGET, move=None, nodes=1000))
    first = supervisor.for_decision()
    supervisor.charge(first, 5.0, 5.0)
    assert supervisor.for_decision() == first == Clock(nodes=1000, stop=120.0)


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
    with pytest.raises(BotFaultError, match="it let 5 s pass by the wall clock in this match without computing") as error:
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
    with pytest.raises(BotFaultError, match=r"for a decision, 500 units, which was all that was left of its bank$") as error:
        keeper.charge(keeper.for_decision(), 0.0, 0.0, 501)
    assert error.value.kind is FaultKind.MOVE_TIMEOUT
    assert keeper.for_decision().fuel == 0
