"""The hash key of a position: equal for equal positions, cheap enough to be asked for at every node of a search.

Board, claims and pots keep their part of it up to date with every change.
"""

from __future__ import annotations

from typing import Final

from engine.sunda.position import ANSWER, CHOOSE, MEND, RESOURCE_RIGHT, STRIKE_BACK, Ending, Position

_ENDING: Final = {ending: number for number, ending in enumerate(Ending, start=1)}
_NOTHING_CHOSEN: Final = 0
_UNKNOWN: Final = -1
"""In the place of the seed of dice that are hidden."""


def key_of(p: Position) -> int:
    """The key of a position; see ``State.key``."""
    dice = p.dice
    ending = p.ending
    return hash(
        (
            p.board.key,
            p.claims.key,
            p.pots.key if p.private else 0,
            p.options.key,
            p.players,
            _UNKNOWN if dice is None else dice.seed,
            p.rolled,
            p.seat,
            p.step,
            p.agreed,
            _rights(p) if p.nodes or p.refused or p.lakes or p.rights or p.has_claimed else 0,
            _tick(p) if p.ticks else 0,
            p.phase,
            _decision(p),
            0 if ending is None else _ENDING[ending],
        )
    )


def _rights(p: Position) -> int:
    return hash((tuple(p.nodes), p.rights, tuple(p.refused), tuple(p.lakes), p.has_claimed))


def _tick(p: Position) -> int:
    choices = [_NOTHING_CHOSEN if choice is None else hash(choice) for choice in p.choices]
    return hash((tuple(p.raids), tuple(choices), tuple(p.queue)))


def _decision(p: Position) -> int:
    """What the phase leaves to be known of the decision."""
    phase = p.phase
    if phase == CHOOSE:
        return p.chosen
    if phase == MEND:
        return p.newest
    if phase in {ANSWER, RESOURCE_RIGHT}:
        return p.focus
    if phase == STRIKE_BACK:
        return p.stolen * p.players + p.victim
    return 0
