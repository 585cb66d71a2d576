"""Runs of tournaments in tests: real ones, ones whose results are made up, when they stop, and the digests that they end with."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

from arena.play.executors.base import InlineExecutor, Job, Played, Tickets, take
from arena.run.runner import Summary, run_tournament
from arena.spec.spec import Spec, make_spec
from bots.loader.loading import resolve
from bots.loader.version import BotVersion
from engine.records import Fault, FaultKind, MatchResult, SeatResult, Ticket, VoidMatch, pack_replay
from leaderboard.storage.store import Store
from tests.arena.fakes import FakeExecutor

Spoil = Callable[[Ticket], bool]


def versions_of(spec: Spec) -> dict[str, BotVersion]:
    """The versions of a spec's bots."""
    return {each.name: resolve(each.source, name=each.name) for each in spec.bots}


def play_tournament(path: Path, text: str) -> Path:
    """Play the tournament of a TOML text in this process, into the database at this path; return the path."""
    spec = make_spec(tomllib.loads(text), "test.toml")
    with Store.create(path) as store:
        run_tournament(spec, versions_of(spec), store, InlineExecutor())
    return path


def stop_after(number: int) -> Callable[[], bool]:
    """Has a run stop when it has begun so many matches."""
    asked = iter(range(number))
    return lambda: next(asked, None) is None


def digests(summary: Summary) -> tuple[str, str]:
    """The digests that a run ended with."""
    return summary.results_digest, summary.ratings_digest


def write_cup(
    folder: Path, *, nap: float | str = 0.001, bots: str = '["random", "slow.py"]', schedule: str = "tables = [2]\nblocks = 6"
) -> None:
    """Write a tournament one bot of which waits so many seconds before each move, so that a run of it can be interrupted."""
    (folder / "cup.toml").write_text(f'name = "cup"\ngame = "tongiaki"\nseed = 7\nbots = {bots}\n[schedule]\n{schedule}\n')
    waits = f"import os, time\n\nclass Slow:\n    def choose(self, view, clock):\n        time.sleep({nap})\n"
    (folder / "slow.py").write_text(waits + "        return view.legal_moves[0]\n")


def made_up(ticket: Ticket) -> MatchResult:
    """A result that follows from the ticket."""
    rng = random.Random(ticket.id)
    order = list(ticket.seats)
    rng.shuffle(order)
    fault = Fault(FaultKind.CRASH, 3, "x") if rng.random() < 0.1 else None
    seats = tuple(SeatResult(name, 10 - order.index(name), 1 + order.index(name), fault, 5, rng.random()) for name in ticket.seats)
    return MatchResult(ticket, seats, "waters", 40, rng.random(), pack_replay(f"replay of {ticket.id}"))


class Hasty(FakeExecutor):
    """An executor that plays nothing and asks for as many tickets as it can; results come in an order of its own."""

    description = "nowhere"

    def __init__(self, shuffled: int = 0, most: int = 1000, spoil: Spoil = lambda _: False) -> None:
        self.taken: list[Ticket] = []
        self.pauses = 0
        self._rng = random.Random(shuffled)
        self._most = most
        self._spoil = spoil

    def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
        while True:
            found, is_paused = take(tickets, self._most)
            self.pauses += is_paused
            self.taken += found
            if not found:
                assert not is_paused, "it waits for results, but none are to come"
                return
            assert {name for ticket in found for name in ticket.seats} <= set(job.bots)
            self._rng.shuffle(found)
            for ticket in found:
                yield [VoidMatch(ticket, "the machine is on fire") if self._spoil(ticket) else made_up(ticket)]


def run(spec: Spec, path: Path, executor: Hasty | None = None, **more: object) -> Summary:
    """Run a tournament whose results are made up."""
    with Store.create(path) as store:
        return run_tournament(spec, versions_of(spec), store, executor or Hasty(), **more)  # type: ignore[arg-type]
