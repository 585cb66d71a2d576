"""What a position is worth to each seat, as the reference experts see it. Import `evaluate` from `bots`."""

from __future__ import annotations

from bots.reference.heuristics.registry import heuristic_of
from engine.core import OptionsError, State, View


def evaluate(position: View[State] | State) -> tuple[float, ...]:
    """Return the points that each seat may expect to have at the end of the game: one number for each seat, in seat order.

    Once the game is over, these are its scores. It is the estimate by which ``expert`` and ``mcts`` compare positions
    (``bots/reference/heuristics/``): rules of thumb about the present position, which play no move and take tens of microseconds. It uses
    nothing that is hidden, so a view, the state it was taken from and each of its samples have the same value. In solo play it is the
    points so far.

    Raises LookupError for a game without an expert; the games that come with the project have one each.
    """
    state = position.position if isinstance(position, View) else position
    try:
        heuristic = heuristic_of(state.game)
    except OptionsError as error:  # a game that is not installed
        raise LookupError(str(error)) from None
    return tuple(heuristic.evaluate(state))
