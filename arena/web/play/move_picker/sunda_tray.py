"""The tiles of Sunda to Sahul as trays: where each tile fits, its effect there in words, and its picture."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Final, Literal

from msgspec.structs import replace

from arena.web.play.move_picker.base import Effect, Item, Place, Stack, Tray, Turn
from engine.render.scene import Box, Scene
from engine.render.svg import number, stroke
from engine.sunda.board.board import SundaBoard
from engine.sunda.board.claims import points, solo_points
from engine.sunda.board.grids import NOWHERE
from engine.sunda.board.tiles import IDS, LAND, N_TILES, PATTERN_OF_TILE, side_kind
from engine.sunda.board.trigrid import OVERLAPPING, SPAN, corners_of, half_turned, lozenge_of
from engine.sunda.notation.moves import NOTHING, SundaMove, write_placement
from engine.sunda.position import Position
from engine.sunda.render.move_text import KINDS, direction, kind_number
from engine.sunda.render.pictures import INK, add_terrain, middle_of, point_of, polygon, shown_pattern, tile_edge
from engine.text import signed

SHEET: Final = "tiles"
"""The name of the image with all tiles."""
_RADIUS: Final = 64.0
"""The distance from the middle of a tile within which the tile lies in any orientation, in board units."""
_BOX: Final = (-_RADIUS, -42.0, 2 * _RADIUS, 84.0)
_ROUND: Final = (-_RADIUS, -_RADIUS, 2 * _RADIUS, 2 * _RADIUS)
_STACKS: Final = [Stack(*kind) for kind in KINDS]
_NODES_OF_A_STEP: Final = 2
_LAKE_POINTS: Final = 5
Corners = tuple[int, int]
"""A lozenge of the board, and the types of a tile's corners on it, as bits: all that the effect of laying the tile depends on."""
_LOZENGE: Final = [(x - middle_of(0)[0], y - middle_of(0)[1]) for x, y in map(point_of, corners_of(0))]
_OUTLINE: Final = f'<path class="outline" d="{polygon([(x * 0.94, y * 0.94) for x, y in _LOZENGE])}"/>'
_EMPTY: Final = Tray("", "", "", "", SHEET, _BOX, _ROUND, _OUTLINE, _STACKS, [])


def words_of(tile: int) -> str:
    """Return a tile in words: its kind, and its edges in order from a sharp corner."""
    edges = ", ".join("blank" if side_kind(PATTERN_OF_TILE[tile], side) else "tab" for side in range(4))
    return f"{KINDS[kind_number(tile)].words} ({edges})"


def _item(tile: int, *, key: str = "") -> Item:
    return Item(key or IDS[tile], words_of(tile), f"tile-{tile}", kind_number(tile))


def _at(placement: int) -> tuple[float, float, float]:
    x, y = middle_of(placement)
    return x, y, -60 * (placement % 6) % 360


class _Effects:
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
        """Return the index of the effect of laying a tile there."""
        lozenge = lozenge_of(placement)
        key = lozenge, shown_pattern(tile, placement) >> 4
        if key not in self._seen:
            board = self._p.board.copy()
            board.lay(tile, placement)
            self._seen[key] = self._add(self._effect(board, corners_of(lozenge), has_gap=board.spots.space_at(lozenge) != NOWHERE))
        return self._seen[key]

    def of_shifting(self, move: SundaMove) -> int:
        """Return the index of a shift's effect, together with the effect of the tile that made the shift necessary."""
        old = self._p.board
        laid = old.corners(old.tile_on(lozenge_of(self._p.board.lies[self._p.newest])))
        touched = {*laid, *(vertex for vertex in corners_of(lozenge_of(move.second)) if not old.is_closed(vertex))}
        tile = old.tile_on(lozenge_of(move.first))
        board = old.copy()
        board.lift(tile)
        board.lay(tile, move.second)
        return self._add(self._effect(board, touched, was_open=touched, has_gap=False))

    def _add(self, effect: Effect) -> int:
        return self._index.setdefault(effect, len(self._index))

    def _effect(self, board: SundaBoard, touched: Collection[int], *, has_gap: bool, was_open: Collection[int] = ()) -> Effect:
        p, old = self._p, self._p.board
        new = sorted(vertex for vertex in touched if board.is_closed(vertex) and (vertex in was_open or not old.is_closed(vertex)))
        nodes = [vertex for vertex in new if board.types[vertex] == LAND]
        words = [*_nodes(p, board, nodes), *(_lakes(board, new) if p.level >= 1 and not p.alone else [])]
        gains = [after - before for before, after in zip(self._before, _points(p, board), strict=True)]
        good = bool(words) or gains[self._seat] > 0
        words += _islands(old, board, touched, new)
        words += _gains(gains, self._seat)
        if has_gap:
            words.append("leaves a gap of one triangle: you then move one of the other two tiles next to it")
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
    if not nodes:
        return []
    what = "a land node" if len(nodes) == 1 else f"{len(nodes)} land nodes"
    if p.alone:
        return [f"closes {what}"]
    worth = sorted((2 if board.is_complete(vertex) else 1 for vertex in nodes), reverse=True)[:_NODES_OF_A_STEP]
    return [f"closes {what}: {said_points(sum(worth))} if you claim {'it' if len(nodes) == 1 else 'two' if len(nodes) > 2 else 'them'}"]


def _lakes(board: SundaBoard, new: list[int]) -> list[str]:
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
    words = [f"{signed(gain)} for {'you' if other == seat else f'seat {other}'}" for other, gain in enumerate(gains) if gain]
    return ["at once " + ", ".join(words)] if words else []


class _Places:
    """Collects the places of a tray, from north to south, and the tiles that fit there."""

    def __init__(self, board: SundaBoard | None, lozenges: Iterable[int]) -> None:
        self._board = board
        self._lozenges = sorted(set(lozenges), key=lambda lozenge: (middle_of(lozenge)[1], middle_of(lozenge)[0]))
        self._fits: dict[int, list[tuple[int, int, int]]] = {lozenge: [] for lozenge in self._lozenges}

    def add(self, placement: int, item: int, effect: int) -> None:
        lozenge = lozenge_of(placement)
        self._fits[lozenge].append((item, int(placement != lozenge), effect))

    def all(self, *, keys: bool = True) -> list[Place]:
        index = {lozenge: number for number, lozenge in enumerate(self._lozenges)}
        places = []
        for lozenge, fits in self._fits.items():
            turns = [Turn(write_placement(turn) if keys else "", _at(turn)) for turn in (lozenge, half_turned(lozenge))]
            near = [index[lozenge + offset] for offset in OVERLAPPING[lozenge % 6][1:] if lozenge + offset in index]
            words = direction(self._board, middle_of(lozenge)) if self._board else "in the middle"
            places.append(Place(words, middle_of(lozenge), turns, fits, near))
        return places


def laying(p: Position, seat: int, moves: Sequence[SundaMove]) -> Tray:
    """Return the tray of a seat's pot; ``moves`` are all moves of the seat that lay a tile."""
    tiles = p.pots.tiles(p.pot(seat))
    index = {tile: number for number, tile in enumerate(tiles)}
    effects = _Effects(p, seat)
    places = _Places(p.board, (lozenge_of(move.second) for move in moves))
    for move in moves:
        places.add(move.second, index[move.first], effects.of_laying(move.first, move.second))
    title = "Your tiles" if p.private else "Tiles of the pot"
    choose = "Choose" if p.alone or p.ticks else f"Tile {p.step + 1} of 2: choose"
    prompt = f"{choose} a tile to lay, or a place for one"
    items = list(map(_item, tiles))
    laid = {"act": "Lay", "move": "place {item} {turn}", "places": places.all(), "effects": effects.all}
    return replace(_EMPTY, title=title, prompt=prompt, items=items, **laid)


def starting(moves: Sequence[SundaMove]) -> Tray:
    """Return the tray with the tiles that may be laid first."""
    tiles = [move.first for move in moves]
    places = _Places(None, [0])
    for item, _ in enumerate(tiles):
        places.add(0, item, NOTHING)
    items = list(map(_item, tiles))
    title, prompt = "Tiles to begin with", "The first tile is open sea"
    begun = {"act": "Begin with", "move": "start {item}", "places": places.all(keys=False), "alike": True}
    return replace(_EMPTY, title=title, prompt=prompt, items=items, **begun)


def shifting(p: Position, seat: int, moves: Sequence[SundaMove]) -> Tray:
    """Return the tray with two tiles, one of which must be moved."""
    board = p.board
    sources = sorted({move.first for move in moves})
    effects = _Effects(p, seat)
    places = _Places(board, (lozenge_of(move.second) for move in moves))
    for move in moves:
        places.add(move.second, sources.index(move.first), effects.of_shifting(move))
    items, stacks = [], []
    for stack, source in enumerate(sources):
        tile = board.tile_on(lozenge_of(source))
        words = f"the {KINDS[kind_number(tile)].words} {direction(board, middle_of(source))}"
        stacks.append(Stack(words, ", ".join("water" if PATTERN_OF_TILE[tile] >> (7 - corner) & 1 else "land" for corner in range(4))))
        items.append(Item(write_placement(source), words, f"tile-{tile}", stack, _at(source)))
    title = "Tiles next to the gap"
    choose = (
        "choose a tile next to it, and then a new place for that tile" if len(stacks) > 1 else "choose a new place for the tile next to it"
    )
    prompt = f"There is a gap of one triangle: {choose}"
    moved = {"act": "Move", "move": "shift {item} {turn}", "places": places.all(), "effects": effects.all}
    return replace(_EMPTY, title=title, prompt=prompt, stacks=stacks, items=items, **moved)


def raiding(victim: int, tiles: Sequence[int]) -> Tray:
    """Return the tray with the tiles that may be stolen from a seat."""
    items = list(map(_item, tiles))
    prompt = f"Choose a tile to steal from seat {victim}, who may then take two of yours"
    title, act, move = f"Raid seat {victim} ({len(tiles)})", f"Raid seat {victim}: take", f"raid {victim} {{item}}"
    return replace(_EMPTY, title=title, prompt=prompt, act=act, move=move, items=items, take=1)


def seizing(raider: int, tiles: Sequence[int]) -> Tray:
    """Return the tray with the raider's tiles, of which the victim of the raid takes two (or the only one)."""
    take: Literal[1, 2] = 2 if len(tiles) > 1 else 1
    prompt = f"Seat {raider} has raided you: take {'two tiles' if take == 2 else 'the tile'} in return"
    items = list(map(_item, tiles))
    return replace(_EMPTY, title=f"Tiles of seat {raider}", prompt=prompt, act="Take", move="seize {item}", items=items, take=take)


@lru_cache(maxsize=1)
def sheet() -> str:
    """Return one SVG with a picture of every tile, centred on the origin in direction 0; a tile's ``Item.picture`` is its id."""
    x, y = middle_of(0)
    back = f'transform="translate({number(-x)} {number(-y)})"'
    tiles = "".join(f'<g id="tile-{tile}" stroke-linejoin="round"><g {back}>{_drawn(tile)}</g></g>' for tile in range(N_TILES))
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{" ".join(map(number, _ROUND))}">{tiles}</svg>'


def _drawn(tile: int) -> str:
    board = SundaBoard()
    board.lay(tile, 0)
    scene = Scene(Box(*_BOX))
    add_terrain(scene, board)
    return scene.drawn().replace("\n", "") + tile_edge(tile, 0, f'fill="none" {stroke(INK, 2)}')
