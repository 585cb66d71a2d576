"""Plays legal moves in a position: turns, steps, rights, ticks and the end of the game (RULES 4, 5, 7 and 8).

Moves are not checked here; ``rules.legal`` does that. Each function advances the position to the next decision or the end of the game, and
appends to ``events``.
"""

from __future__ import annotations

from engine.sunda.board.claims import controller
from engine.sunda.board.grids import NOWHERE
from engine.sunda.board.tiles import LAND
from engine.sunda.board.trigrid import corners_of, lozenge_of
from engine.sunda.notation.moves import (
    ACCEPT,
    AGREE,
    CHALLENGE,
    CLAIM,
    JOIN,
    LAKE,
    NOTHING,
    PLACE,
    REFUSE,
    RESOURCE,
    SEIZE,
    SHIFT,
    SKIP,
    START,
    STOP,
    WAIT,
    SundaMove,
)
from engine.sunda.position import (
    ANSWER,
    CHOOSE,
    FIGHT,
    LAKE_RIGHT,
    LAND_RIGHT,
    LAY,
    MEND,
    OVER,
    RESOURCE_RIGHT,
    STRIKE_BACK,
    Ending,
    Position,
)
from engine.sunda.rules.challenges import challenger_wins, roll_challenge, roll_order
from engine.sunda.rules.legal import can_place, challenges, may_place


def apply(p: Position, move: SundaMove) -> list[str]:
    """Play a legal move, changing the position, and return the events it causes."""
    events: list[str] = []
    p.moves = None
    p.counts = None
    kind = move.kind
    if p.phase == CHOOSE:
        _choose(p, move, events)
    elif kind == PLACE:
        _lay(p, move.first, move.second, events)
    elif kind == START:
        p.pots.take(move.first)
        p.board.lay(move.first, 0)
        _next_turn(p, events)
    elif kind == SHIFT:
        _shift(p, move, events)
    elif kind == AGREE:
        _agree(p, events)
    elif kind == STOP:
        _finish(p, Ending.AGREED)
    elif kind == SEIZE:
        _seize(p, move)
        _after_act(p, events)
    else:
        _decide(p, move, events)
    return events


def _finish(p: Position, ending: Ending) -> None:
    p.ending = ending
    p.phase = OVER
    p.step = 0
    p.queue.clear()
    p.choices = [None] * p.players


# Steps


def _lay(p: Position, tile: int, placement: int, events: list[str]) -> None:
    p.pots.take(tile)
    p.board.lay(tile, placement)
    p.newest = tile
    p.agreed = 0
    lozenge = lozenge_of(placement)
    if p.board.spots.space_at(lozenge) != NOWHERE:
        p.phase = MEND
        p.shifts = None
    else:
        _begin_rights(p, list(corners_of(lozenge)), events)


def _shift(p: Position, move: SundaMove, events: list[str]) -> None:
    board = p.board
    p.shifts = None
    # A vertex that was closed before the step is not new, though the shift may open it and close it again.
    laid = board.corners(p.newest)
    touched = [*laid, *[vertex for vertex in corners_of(lozenge_of(move.second)) if vertex not in laid and not board.is_closed(vertex)]]
    tile = board.tile_on(lozenge_of(move.first))
    board.lift(tile)
    board.lay(tile, move.second)
    _begin_rights(p, touched, events)


def _begin_rights(p: Position, touched: list[int], events: list[str]) -> None:
    """Find the new nodes and lakes among the vertices that the step may have closed, and continue with the first right."""
    board = p.board
    if not p.alone:
        closed = [vertex for vertex in touched if board.is_closed(vertex)]
        closed.sort()
        p.nodes = [vertex for vertex in closed if board.types[vertex] == LAND]
        p.rights = min(2, len(p.nodes))
        if p.level >= 1:
            islands = board.islands
            bodies = {islands.name[vertex] for vertex in closed if board.types[vertex] != LAND}
            p.lakes = sorted(islands.smallest(body) for body in bodies if islands.open[body] == 0)
    _next_right(p, events)


def _next_right(p: Position, events: list[str]) -> None:
    has_token = p.claims.tokens[p.seat] > 0
    if p.rights and has_token:
        p.phase = LAND_RIGHT
    elif p.lakes and has_token:
        p.rights = 0
        p.phase = LAKE_RIGHT
    elif p.level >= 4 and p.has_claimed and challenges(p):
        p.phase = FIGHT
    else:
        _end_step(p, events)


def _decide(p: Position, move: SundaMove, events: list[str]) -> None:
    kind = move.kind
    if kind == CLAIM:
        p.nodes.remove(move.first)
        p.rights -= 1
        _place_token(p, move.first, events)
    elif kind == JOIN:
        if p.level == 2 or controller(p.claims.tribes[move.first]) == p.seat:
            _join(p, move.first, events)
        else:
            p.focus = move.first
            p.phase = ANSWER
    elif kind == ACCEPT:
        _join(p, p.focus, events)
    elif kind == REFUSE:
        p.refused.append(p.focus)
        p.refused.sort()
        _next_right(p, events)
    elif kind == LAKE:
        del p.lakes[0]
        p.claims.add_to_lake(p.board, move.first, p.seat)
        _after_token(p, move.first, events)
    elif kind == RESOURCE:
        p.claims.add_marker(move.first, move.second)
        _next_right(p, events)
    elif kind == CHALLENGE:
        _challenge(p, move.first, move.second, events)
        _end_step(p, events)
    elif kind == SKIP:
        _skip(p, events)


def _skip(p: Position, events: list[str]) -> None:
    if p.phase == LAND_RIGHT:
        p.rights = 0
    elif p.phase == LAKE_RIGHT:
        del p.lakes[0]
    elif p.phase == FIGHT:
        _end_step(p, events)
        return
    _next_right(p, events)


def _join(p: Position, vertex: int, events: list[str]) -> None:
    name = p.board.islands.name
    p.nodes.remove(next(node for node in p.nodes if name[node] == name[vertex]))
    p.rights -= 1
    _place_token(p, vertex, events)


def _place_token(p: Position, vertex: int, events: list[str]) -> None:
    p.claims.add_to_tribe(vertex, p.seat)
    _after_token(p, vertex, events)


def _after_token(p: Position, vertex: int, events: list[str]) -> None:
    p.has_claimed = True
    if p.level >= 5 and p.claims.may_add_marker(p.board, vertex):
        p.focus = vertex
        p.phase = RESOURCE_RIGHT
    else:
        _next_right(p, events)


def _challenge(p: Position, own: int, other: int, events: list[str]) -> None:
    tribes = p.claims.tribes
    mine, theirs = roll_challenge(p, len(tribes[own]), len(tribes[other]))
    events.append(f"dice {' '.join(map(str, mine))}|{' '.join(map(str, theirs))}")
    loser = other if challenger_wins(mine, theirs) else own
    p.claims.take_back(loser, controller(tribes[loser]))


def _end_step(p: Position, events: list[str]) -> None:
    p.nodes = []
    p.rights = 0
    p.refused = []
    p.lakes = []
    p.has_claimed = False
    p.step += 1
    _after_act(p, events)


def _after_act(p: Position, events: list[str]) -> None:
    ending = _ending(p)
    if ending is not None:
        _finish(p, ending)
    elif p.ticks:
        p.step = 0
        _carry_on(p, events)
    else:
        _next_turn(p, events)


def _ending(p: Position) -> Ending | None:
    if not p.alone and 0 in p.claims.tokens:
        return Ending.TOKENS
    sizes = p.pots.sizes
    if (min(sizes) if p.ticks else max(sizes)) == 0:
        return Ending.TILES
    for seat in range(p.players):
        if can_place(p, seat):
            return None
    return Ending.BLOCKED


# Turns


def _next_turn(p: Position, events: list[str]) -> None:
    """Continue with the next player who can lay a tile, which is the same player if a step of the turn is left."""
    if p.ticks:
        p.phase = CHOOSE
        return
    while True:
        if p.step == 2:
            p.step = 0
            p.seat = (p.seat + 1) % p.players
        if can_place(p, p.seat):
            p.phase = LAY
            return
        events.append(f"unable {p.seat}")
        p.step = 2
        if p.level >= 1:
            p.agreed += 1
            if p.agreed == p.players:
                _finish(p, Ending.AGREED)
                return


def _agree(p: Position, events: list[str]) -> None:
    p.agreed += 1
    if p.agreed == p.players:
        _finish(p, Ending.AGREED)
        return
    p.step = 2
    _next_turn(p, events)


# Ticks


def _choose(p: Position, move: SundaMove, events: list[str]) -> None:
    p.choices[p.chosen] = move
    p.chosen += 1
    if p.chosen < p.players:
        return
    p.chosen = 0
    busy: list[int] = []
    for seat in range(p.players):
        choice = p.choices[seat]
        if choice is not None and choice.kind != WAIT:
            busy.append(seat)
        else:
            p.choices[seat] = None
    if not busy:
        _finish(p, Ending.AGREED)
        return
    if len(busy) > 1:
        rolls = roll_order(p, busy)
        events.append("order " + " ".join(f"{seat}:{'/'.join(map(str, rolls[seat]))}" for seat in busy))
        busy.sort(key=lambda seat: rolls[seat], reverse=True)
    p.queue = busy
    _carry_on(p, events)


def _carry_on(p: Position, events: list[str]) -> None:
    """Carry out the next choice of the tick that still has an effect, or begin a new tick."""
    while p.queue:
        seat = p.queue.pop(0)
        move = p.choices[seat]
        p.choices[seat] = None
        assert move is not None, "a seat in the queue has chosen"
        p.seat = seat
        if move.kind == PLACE:
            if p.pots.pot_of[move.first] == seat and may_place(p, move.first, move.second):
                _lay(p, move.first, move.second, events)
                return
        elif p.pots.pot_of[move.first] == move.second:
            _raid(p, move.first, move.second, events)
            return
        events.append(f"void {seat}")
    p.seat = 0
    p.phase = CHOOSE


def _raid(p: Position, tile: int, victim: int, events: list[str]) -> None:
    p.pots.take(tile)
    p.pots.add(tile, p.seat)
    p.raids[p.seat] += 1
    if p.pots.sizes[p.seat] > 1:
        p.stolen = tile
        p.victim = victim
        p.phase = STRIKE_BACK
    else:
        _after_act(p, events)


def _seize(p: Position, move: SundaMove) -> None:
    for tile in (move.first, move.second):
        if tile != NOTHING:
            p.pots.take(tile)
            p.pots.add(tile, p.victim)
