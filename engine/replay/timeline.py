"""A replay with every position in it, for what shows a match and moves back and forth in it: ``timeline_of(replay).states[k]``."""

from __future__ import annotations

from dataclasses import dataclass

from engine.core import Move, State
from engine.records import Forfeit, Replay
from engine.replay.verifier import verify_replay, walk
from engine.text import short


@dataclass(frozen=True, slots=True)
class ReplayTimeline:
    """A replay and its positions: ``states[k]`` is the one after the first ``k`` decisions, ``moves[k]`` the move then played."""

    replay: Replay
    names: tuple[str, ...]
    states: tuple[State, ...]
    moves: tuple[Move, ...]

    @property
    def end(self) -> int:
        """The number of decisions, which is the index of the last position."""
        return len(self.moves)

    @property
    def turns(self) -> tuple[int, ...]:
        """The positions in which a seat begins to decide; with one player, every position is one."""
        seats = [decision.seat for decision in self.replay.decisions]
        return tuple(at for at in range(self.end) if at == 0 or self.replay.players == 1 or seats[at] != seats[at - 1])

    def forfeit_at(self, decision: int) -> Forfeit | None:
        """The forfeit that took effect with that decision, if there is one."""
        return next((forfeit for forfeit in self.replay.forfeits if forfeit.index == decision), None)


def timeline_of(replay: Replay) -> ReplayTimeline:
    """Play the replay and keep every position, so that seeking costs nothing. Raises DisagreementError, naming the first mistake."""
    verify_replay(replay)
    states: list[State] = []
    moves: list[Move] = []
    for state, move in walk(replay):
        states.append(state.copy())
        if move is not None:
            moves.append(move)
    return ReplayTimeline(replay, shown_names(replay), tuple(states), tuple(moves))


def shown_names(replay: Replay) -> tuple[str, ...]:
    """The names by seat, safe to show; a seat without a name is called by its number."""
    return tuple(short(name) or f"seat {seat}" for seat, name in enumerate(replay.names))
