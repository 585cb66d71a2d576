"""What executors that make up results have in common."""

from __future__ import annotations

from collections.abc import Iterator

from arena.play.executors.base import Answer, Item, Job, Pause, Played, Task, Tickets
from engine.records import Ticket


class FakeExecutor:
    """An executor of matches alone; a class below it says what comes of them."""

    description = "nowhere"

    def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
        raise NotImplementedError

    def work(self, task: Task[Item, Answer], items: Iterator[Item | Pause]) -> Iterator[list[Answer]]:
        raise NotImplementedError

    def close(self) -> None:
        """Nothing to give back."""


def without_pauses(tickets: Tickets) -> Iterator[Ticket]:
    """The tickets of a schedule that waits for no results."""
    for ticket in tickets:
        assert isinstance(ticket, Ticket)
        yield ticket
