"""What tests of formats share: specs of many bots, and a tournament played by made-up results."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from itertools import combinations, islice

from arena.formats.base import Outcome, Round
from arena.formats.schedule import RoundDriver, Schedule
from arena.spec.spec import Spec, make_spec
from engine.records import Ticket


def plan(bots: int, **schedule: object) -> Spec:
    """A spec with that many bots, b00, b01 ..., and this schedule."""
    entries = [{"name": f"b{number:02}", "source": "random"} for number in range(bots)]
    return make_spec({"name": "plan", "game": "tongiaki", "seed": 7, "bots": entries, "schedule": {"tables": [2], **schedule}}, "f.toml")


def played(ticket: Ticket, ties: float = 0.2, apart: float = 0.2) -> Outcome:
    """An outcome that follows from the ticket: bots with small numbers are better, ``apart`` from each other; some matches are ties."""
    rng = random.Random(ticket.id)
    if rng.random() < ties:
        return Outcome(ticket, (1,) * len(ticket.seats))
    strengths = [rng.gauss(0, 2) - int(name[1:]) * apart for name in ticket.seats]
    return Outcome(ticket, tuple(1 + sum(other > own for other in strengths) for own in strengths))


def play(
    spec: Spec, rounds: int = 1000, ties: float = 0.2, apart: float = 0.2, joining: dict[int, str] | None = None
) -> tuple[Schedule, list[list[Ticket]]]:
    """The tickets of each round, played to the end or for so many rounds; ``joining`` says who joins before which round."""
    joining = joining or {}
    schedule = Schedule(spec, dict.fromkeys(joining.values(), -1))
    found: list[list[Ticket]] = []
    driver = schedule.drive()
    step = driver.next()
    while step is not None and len(found) < rounds:
        found.append(list(step.tickets))
        if step.number + 1 in joining:
            schedule.ladder.join(joining[step.number + 1], step.number + 1)
        step = go_on(driver, [played(ticket, ties, apart) for ticket in found[-1]])
    return schedule, found


def go_on(driver: RoundDriver, outcomes: Iterable[Outcome]) -> Round | None:
    """The next round, paired by the outcomes of the whole round before it."""
    for outcome in outcomes:
        driver.expect(outcome.ticket)
        driver.settle(outcome.ticket.id, outcome.ranks)
    return driver.next()


def lineups(tickets: list[Ticket]) -> list[tuple[str, ...]]:
    """The line-ups of some tickets, each once for each of its blocks."""
    return [ticket.lineup for ticket in tickets if ticket.rotation == 0]


def seated(tickets: list[Ticket]) -> Counter[str]:
    """How many matches each bot has in some tickets."""
    return Counter(name for ticket in tickets for name in ticket.seats)


def met(tickets: list[Ticket]) -> Counter[tuple[str, ...]]:
    """How often each pair meets in some line-ups' first blocks."""
    return Counter(pair for ticket in tickets if ticket.rotation == ticket.block == 0 for pair in combinations(ticket.lineup, 2))


def first(spec: Spec, number: int) -> list[Ticket]:
    """The first tickets of a schedule that needs no results."""
    return list(islice(Schedule(spec), number))
