"""The one driver of rounds: running, resuming, counting and verifying a tournament all go through its schedule with it.

driver = schedule.drive()
while (round_ := driver.next()) is not None:
    for ticket in round_.tickets:
        driver.expect(ticket)
        ...
        driver.settle(ticket.id, ranks)
"""

from __future__ import annotations

from arena.formats.base import Outcome, Round, Rounds
from engine.records import Ticket


class RoundDriver:
    """Steps through the rounds of a schedule, and sends each one's outcomes to the format, which pairs the next by them.

    Expect each ticket of the round in hand that can have an outcome, in the schedule's order, and settle it when its outcome is known;
    outcomes may come in any order. Where rounds are not paired by results there is one round, nothing is kept, and nothing has to be
    settled.
    """

    def __init__(self, rounds: Rounds, *, needs_results: bool) -> None:
        self._rounds = rounds
        self._needs_results = needs_results
        self._has_begun = False
        self._in_hand: dict[str, tuple[Ticket, tuple[int, ...] | None]] = {}
        self._awaited = 0
        self._lost = 0
        self.is_over = False
        """Whether the schedule has come to its end."""

    @property
    def is_waiting(self) -> bool:
        """Whether a match of the round in hand is still to be settled, without which the next can't be paired."""
        return self._awaited > 0

    @property
    def is_blocked(self) -> bool:
        """Whether a match of the round in hand has no outcome, so that there is no next round."""
        return self._lost > 0

    def next(self) -> Round | None:
        """Return the next round; None at the end of the schedule, or if the driver is blocked.

        Raises RuntimeError while it is waiting for outcomes.
        """
        if self.is_waiting:
            raise RuntimeError("the next round is paired by the outcomes of this one, of which some are still to come")
        if self.is_blocked or self.is_over:
            return None
        outcomes = [Outcome(ticket, ranks) for ticket, ranks in self._in_hand.values() if ranks is not None]
        self._in_hand.clear()
        try:
            round_ = self._rounds.send(outcomes) if self._has_begun else next(self._rounds)
        except StopIteration:
            self.is_over = True
            return None
        self._has_begun = True
        return round_

    def expect(self, ticket: Ticket) -> None:
        """Take note that a match of the round in hand is going to be settled."""
        if self._needs_results:
            self._in_hand[ticket.id] = (ticket, None)
            self._awaited += 1

    def settle(self, match: str, ranks: tuple[int, ...] | None) -> None:
        """Give the rank of each seat in a match that is expected, or None if the match has no outcome that can be used."""
        if match not in self._in_hand:
            return
        ticket, _ = self._in_hand[match]
        self._in_hand[match] = (ticket, ranks)
        self._awaited -= 1
        self._lost += ranks is None
