"""The match of a table so far: its moves, the positions that pages may still request, and the news of each seat."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from arena.web.play.seats import TableError
from engine.core import Move, State, View
from engine.core.observer import Chronicle, News

_KEPT: Final = 80
"""How many earlier positions pages can request."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What a seat (None: a spectator) saw at some moment: the position, the one before the last move, and all news."""

    view: View[State]
    before: State | None
    news: tuple[News, ...]


class History:
    """The moves, from the first position on. It takes no lock: its table does.

    A match that goes on after a pause is played from its beginning, so the chronicle of who plays it is behind for a while; until it has
    caught up, seats get the news of the previous one.
    """

    def __init__(self, start: State, opening: Iterable[Move]) -> None:
        self.state: State = start
        self.moves: list[Move] = []
        self._past: dict[int, State] = {0: start}
        self._chronicle = self._coming = Chronicle(start)
        for move in opening:
            actor, state = self.state.actor, self.state.copy()
            assert actor is not None, "the match would be over"
            state.play(move)
            self._chronicle.record(actor, move, state)
            self.add(state, move)

    def add(self, state: State, move: Move) -> None:
        """Note a move that was played, and the position after it."""
        self.state = state
        self.moves.append(move)
        self._past[len(self.moves)] = state
        self._past.pop(len(self.moves) - _KEPT, None)

    def follow(self, chronicle: Chronicle) -> None:
        """Take news from a chronicle that is about to hear of the whole match, once it has caught up."""
        self._coming = chronicle
        if not self.moves:
            self._chronicle = chronicle

    def is_behind(self) -> bool:
        """Return whether the chronicle has just heard of a move that is known already; changes over to it when it has heard of all."""
        heard, known = len(self._coming), len(self.moves)
        if self._coming is self._chronicle or heard > known:
            return False
        if heard == known:
            self._chronicle = self._coming
        return True

    def observed(self, seat: int | None, at: int | None = None) -> Observation:
        """Return the view of the seat, now or after ``at`` decisions. Raises TableError if that is too long ago, or still to come."""
        at = len(self.moves) if at is None else at
        if at not in self._past:
            raise TableError("that position of the match is no longer kept", 404)
        viewer = -1 if seat is None else seat
        before = self._past.get(at - 1)
        news = tuple(self._chronicle.news(viewer, 0)[:at])
        return Observation(self._past[at].view(viewer), before.view(viewer).position if before else None, news)
