"""The ids of Tongiaki's moves, as docs/environments.md lists them; it imports only the engine, so that exported bots can use it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from engine.core import Move
from engine.tongiaki.board.tiles import N_TILES
from engine.tongiaki.notation.moves import CROWNS, ENTERS, EXPANDS, PLACES, SAILS, SETTLES, TAKES, THE_PASS, THE_RECOLONISE, Kind

ACTIONS: Final = 1024
"""Enough for every decision: the most in half a million random games were 720 moves for a landing, and 90 otherwise."""
FARTHEST: Final = N_TILES - 1

_LISTED: Final[list[Move]] = [
    *PLACES,
    *(move for choices in EXPANDS for moves in choices[1:] for move in moves),
    *TAKES,
    THE_PASS,
    *CROWNS,
    THE_RECOLONISE,
    *(move for moves in ENTERS for move in moves),
    *SETTLES,
    *SAILS,
]
_ID_OF: Final = {move: number for number, move in enumerate(_LISTED)}
_SPAN: Final = 2 * FARTHEST + 1
_LAYS: Final = _SPAN * _SPAN * 6
COUNT: Final = len(_LISTED) + _LAYS + ACTIONS


def ids_of(moves: Sequence[Any]) -> list[int]:
    """Return the ids of all legal moves of a position; of a landing with more than ``ACTIONS``, those of the first.

    Moves without ships come by kind, island and beaches or side; then tiles by cell and orientation, and landings by place in the list.
    """
    first = len(_LISTED)
    if moves and moves[0].code == Kind.LAY:
        places = [move.numbers for move in moves]
        return [first + ((q + FARTHEST) * _SPAN + r + FARTHEST) * 6 + orientation for q, r, orientation in places]
    if moves and moves[0].code == Kind.LAND:
        return list(range(first + _LAYS, first + _LAYS + min(len(moves), ACTIONS)))
    return [_ID_OF[move] for move in moves]
