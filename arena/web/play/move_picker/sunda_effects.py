"""What a tile of Sunda to Sahul does where it is laid, in words; it is laid on a copy of the board to see."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from arena.web.play.move_picker.tray import Effect
from engine.sunda.board.board import SundaBoard
from engine.sunda.board.grids import NOWHERE
from engine.sunda.board.tiles import LAND, PATTERN_OF_TILE
from engine.sunda.board.trigrid import SPAN, corners_of, lozenge_of
from engine.sunda.notation.moves import SundaMove
from engine.sunda.position import Position
from engine.sunda.render.pictures import shown_pattern
from engine.sunda.rules.scoring import points, solo_points

_NODES_OF_A_STEP: Final = 2
_LAKE_POINTS: Final = 5
Corners = tuple[int, int]
"""A lozenge and the types that a tile shows at its corners, as bits: all that the effect of a tile depends on."""


class Effects:
    """The effects of laying or shifting tiles in one position, each found once; ``all`` has them by index."""

    def __init__(self, p: Position, seat: int) -> None:
        self._p = p
        self._seat = seat
        self._before = _points(p, p.board)
        self._seen: dict[Corners, int] = {}
        self._index: dict[Effect, int] = {}

    @property
    def all(self) -> list[Effect]:
        """The effects by the index that ``of_laying`` and ``of_shifting`` return."""
        return list(self._index)

    def of_laying(self, tile: int, placement: int) -> int:
        """Return the index of what a tile does there."""
        lozenge = lozenge_of(placement)
        key = lozenge, shown_pattern(tile, placement) >> 4
        if key not in self._seen:
            board = self._p.board.copy()
            board.lay(tile, placement)
            self._seen[key] = self._add(self._found(board, corners_of(lozenge), has_gap=board.spots.space_at(lozenge) != NOWHERE))
        return self._seen[key]

    def of_shifting(self, move: SundaMove) -> int:
        """Return the index of what a shift does, with the tile that made it necessary."""
        old = self._p.board
        laid = old.corners(old.tile_on(lozenge_of(self._p.board.lies[self._p.newest])))
        touched = {*laid, *(vertex for vertex in corners_of(lozenge_of(move.second)) if not old.is_closed(vertex))}
        tile = old.tile_on(lozenge_of(move.first))
        board = old.copy()
        board.lift(tile)
        board.lay(tile, move.second)
        return self._add(self._found(board, touched, was_open=touched, has_gap=False))

    def _add(self, effect: Effect) -> int:
        return self._index.setdefault(effect, len(self._index))

    def _found(self, board: SundaBoard, touched: Collection[int], *, has_gap: bool, was_open: Collection[int] = ()) -> Effect:
        p, old = self._p, self._p.board
        new = sorted(vertex for vertex in touched if board.is_closed(vertex) and (vertex in was_open or not old.is_closed(vertex)))
        nodes = [vertex for vertex in new if board.types[vertex] == LAND]
        words = [*_nodes(p, board, nodes), *(_lakes(board, new) if p.level >= 1 and not p.alone else [])]
        gains = [after - before for before, after in zip(self._before, _points(p, board), strict=True)]
        good = bool(words) or gains[self._seat] > 0
        words += _islands(old, board, touched, new)
        words += _gains(gains, self._seat)
        if has_gap:
            words.append("leaves a gap of one triangle: you then move one of the other two tiles beside it")
        said = "; ".join(words) or "closes nothing yet"
        return Effect(f"{said[0].upper()}{said[1:]}.", good)


def _points(p: Position, board: SundaBoard) -> tuple[int, ...]:
    if p.alone:
        return (solo_points(board, level=p.level),)
    return points(board, p.claims, level=p.level)


def said_points(number: int) -> str:
    """Return a number of points in words."""
    return f"{number} point{'' if number == 1 else 's'}"


def _nodes(p: Position, board: SundaBoard, nodes: list[int]) -> list[str]:
    """Say how many land nodes are new, and what claiming them is worth."""
    if not nodes:
        return []
    what = "a land node" if len(nodes) == 1 else f"{len(nodes)} land nodes"
    if p.alone:
        return [f"closes {what}"]
    worth = sorted((2 if board.is_complete(vertex) else 1 for vertex in nodes), reverse=True)[:_NODES_OF_A_STEP]
    return [f"closes {what}: {said_points(sum(worth))} if you claim {'it' if len(nodes) == 1 else 'two' if len(nodes) > 2 else 'them'}"]


def _lakes(board: SundaBoard, new: list[int]) -> list[str]:
    """Say which lakes are new, and what their water rights are worth."""
    islands = board.islands
    bodies = {islands.name[vertex] for vertex in new if board.types[vertex] != LAND}
    words = []
    for body in sorted(bodies):
        if islands.open[body]:
            continue
        around = islands.name[islands.smallest(body) - SPAN]
        worth = _LAKE_POINTS * islands.size[body] * (1 if islands.open[around] else 2)
        words.append(f"closes a lake: {said_points(worth)} if you claim it")
    return words


def _islands(old: SundaBoard, board: SundaBoard, touched: Collection[int], new: list[int]) -> list[str]:
    """Say what becomes of the islands at the tile."""
    islands = board.islands
    words = []
    completed = {islands.name[vertex] for vertex in new if board.types[vertex] == LAND and board.is_complete(vertex)}
    if completed:
        words.append("completes an island" if len(completed) == 1 else f"completes {len(completed)} islands")
    before: dict[int, set[int]] = {}
    for vertex in touched:
        if board.types.get(vertex) == LAND:
            former = before.setdefault(islands.name[vertex], set())
            if vertex in old.types:
                former.add(old.islands.name[vertex])
    joined = sum(len(former) for former in before.values() if len(former) > 1)
    if joined:
        words.append(f"joins {joined} islands")
    elif any(not former for former in before.values()):
        words.append("starts a new island")
    return words


def _gains(gains: list[int], seat: int) -> list[str]:
    """Say who scores or loses at once by what lies there already."""
    told = [("you" if other == seat else f"seat {other}", gain) for other, gain in enumerate(gains) if gain]
    if not told:
        return []
    return ["at once " + ", ".join(f"{gain:+d} for {who}" for who, gain in told)]


def corners_word(tile: int) -> str:
    """Return the corners of a tile in words, counter-clockwise from a sharp one."""
    return ", ".join("water" if PATTERN_OF_TILE[tile] >> (7 - corner) & 1 else "land" for corner in range(4))
