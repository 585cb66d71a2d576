"""When a match was lost: the decision with which a seat fell behind for good, by the points that its game counts on the way."""

from __future__ import annotations

from dataclasses import dataclass

from arena.web.data.queries import Queries
from engine.core import EngineError
from engine.records import Replay
from engine.replay.format import read_replay
from engine.replay.verifier import walk
from leaderboard.storage.store import StoredMatch


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """How a seat's match went. ``margins[k]`` is its points less the best of the others' after ``k`` decisions."""

    margins: tuple[float, ...]
    seats: tuple[int, ...]

    @property
    def behind_from(self) -> int | None:
        """The decision, counted from 1, since which it was behind; None if it was not behind at the end."""
        if self.margins[-1] >= 0:
            return None
        return 1 + max((at for at, margin in enumerate(self.margins) if margin >= 0), default=0)

    @property
    def is_decided_at_end(self) -> bool:
        """Whether points came only with the last decision, so that nobody could be seen to fall behind."""
        return not any(self.margins[:-1])

    @property
    def lead(self) -> float:
        """The most that it was ahead, 0 if it never was."""
        return max(0, *self.margins)

    @property
    def lead_at(self) -> int:
        """After how many decisions it was ahead the most."""
        return self.margins.index(max(self.margins))

    def mover(self, decision: int) -> int:
        """Return the seat that made the decision, counted from 1."""
        return self.seats[decision - 1]


def turning_point(queries: Queries, match: StoredMatch, seat: int) -> TurningPoint | None:
    """Return how the match went for the seat; None if its points on the way are not those that count, or its replay can't be played."""

    def make() -> TurningPoint | None:
        try:
            return find_turning_point(read_replay(queries.store.replay(match.id)), [each.score for each in match.seats], seat)
        except EngineError:
            return None

    return queries.keep_match(("turning point", seat), match.id, make)


def find_turning_point(replay: Replay, scores: list[float], seat: int) -> TurningPoint | None:
    """Play the replay and return how it went for the seat, or None if its game's first tally does not end in the scores.

    Raises EngineError for a replay that can't be played.
    """
    margins: list[float] = []
    points: tuple[float, ...] = ()
    for state, _ in walk(replay):
        points = next(iter(state.tally().values()), ())
        if len(points) < 2:
            return None
        margins.append(points[seat] - max(points[:seat] + points[seat + 1 :]))
    if list(points) != scores or len(margins) < 2:
        return None
    return TurningPoint(tuple(margins), tuple(decision.seat for decision in replay.decisions))
