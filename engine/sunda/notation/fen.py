"""Positions of Sunda to Sahul as text; ``fen_reader`` reads them back.

A text has one fact per line, so that a test or a bug report can be written by hand::

    sunda
    players 2
    dice 7 3
    turn 0 2
    tile LLLL+-++ 1,-2,0
    tribe 1,-1 0 1 1
    water 4,2 1
    resource 6 1,-1
    nodes 2,0 3,0
    rights 2
    decide land

``dice`` has the seed and the number of dice rolled so far, ``turn`` the seat and its step, ``tribe`` the seats from the bottom up. With
private pots, ``pot 0 LLLL+--+ ...`` has what is left in each. What a fresh game has anyway (``agreed 0``, ``raids 0 0``, no ``refused``,
``lakes`` or ``claimed`` token in the step, no ``choice 0 wait`` or ``queue 2 0`` of a tick) is left out; ``tokens`` follow from the table
and may be given as a check. ``decide`` is ``start``, ``lay``, ``choose 1`` (the seat), ``shift LLLL+-++`` (the tile just laid), ``land``,
``answer 1,-1``, ``resource 1,-1``, ``lake``, ``challenge``, ``seize 1 LLLL+--+`` (the victim, the stolen tile) or ``over tiles``. The text
of a view has ``?`` for the seed of the dice and for hidden choices; such a position is read-only.
"""

from __future__ import annotations

from engine.sunda.board.tiles import IDS
from engine.sunda.notation.moves import write_placement, write_vertex
from engine.sunda.position import ANSWER, CHOOSE, HIDDEN, MEND, OVER, PHASE_WORDS, RESOURCE_RIGHT, STRIKE_BACK, Position


def write_position(p: Position) -> str:
    """Return the position as text; equal positions have equal texts."""
    lines = ["sunda", f"players {p.players}", f"dice {'?' if p.dice is None else p.dice.seed} {p.rolled}", f"turn {p.seat} {p.step + 1}"]
    if p.agreed:
        lines.append(f"agreed {p.agreed}")
    if any(p.raids):
        lines.append(f"raids {_numbers(p.raids)}")
    lines += _table(p)
    lines += _rights(p)
    for seat, choice in enumerate(p.choices):
        if choice is not None:
            lines.append(f"choice {seat} {'?' if choice is HIDDEN else choice}")
    if p.queue:
        lines.append(f"queue {_numbers(p.queue)}")
    lines.append(f"decide {_decision(p)}")
    return "\n".join(lines) + "\n"


def _numbers(numbers: list[int]) -> str:
    return " ".join(map(str, numbers))


def _vertices(vertices: list[int]) -> str:
    return " ".join(map(write_vertex, vertices))


def _table(p: Position) -> list[str]:
    lines = [f"tile {IDS[tile]} {write_placement(place)}" for tile, place in sorted(p.board.lies.items())]
    if p.private:
        lines += [" ".join(["pot", str(seat), *(IDS[tile] for tile in p.pots.tiles(seat))]) for seat in range(p.players)]
    claims = p.claims
    lines += [f"tribe {write_vertex(vertex)} {_numbers(list(tribe))}" for vertex, tribe in sorted(claims.tribes.items())]
    lines += [f"water {write_vertex(lake)} {seat}" for lake, seat in sorted(claims.lakes.items())]
    lines += [f"resource {value} {write_vertex(vertex)}" for value, vertex in sorted(claims.markers)]
    return lines


def _rights(p: Position) -> list[str]:
    lines: list[str] = []
    if p.nodes:
        lines.append(f"nodes {_vertices(p.nodes)}")
    if p.rights:
        lines.append(f"rights {p.rights}")
    if p.refused:
        lines.append(f"refused {_vertices(p.refused)}")
    if p.lakes:
        lines.append(f"lakes {_vertices(p.lakes)}")
    if p.has_claimed:
        lines.append("claimed")
    return lines


def _decision(p: Position) -> str:
    word = PHASE_WORDS[p.phase]
    if p.phase == CHOOSE:
        return f"{word} {p.chosen}"
    if p.phase == MEND:
        return f"{word} {IDS[p.newest]}"
    if p.phase in {ANSWER, RESOURCE_RIGHT}:
        return f"{word} {write_vertex(p.focus)}"
    if p.phase == STRIKE_BACK:
        return f"{word} {p.victim} {IDS[p.stolen]}"
    if p.phase == OVER and p.ending is not None:
        return f"{word} {p.ending.value}"
    return word
